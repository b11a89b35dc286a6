stagetrace history --help
