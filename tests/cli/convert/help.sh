stagetrace convert --help
