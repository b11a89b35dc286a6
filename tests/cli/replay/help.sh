stagetrace replay --help
