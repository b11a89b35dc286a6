stagetrace --help
