stagetrace bundle --help
