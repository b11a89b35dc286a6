stagetrace tree --help
