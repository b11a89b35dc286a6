stagetrace check --help
