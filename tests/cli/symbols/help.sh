stagetrace symbols --help
