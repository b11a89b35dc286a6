stagetrace record --help
