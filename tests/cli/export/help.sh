stagetrace export --help
