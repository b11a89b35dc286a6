stagetrace heap --help
