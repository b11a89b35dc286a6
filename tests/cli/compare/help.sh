stagetrace compare --help
