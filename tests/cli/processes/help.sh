stagetrace processes --help
