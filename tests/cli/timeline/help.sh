stagetrace timeline --help
