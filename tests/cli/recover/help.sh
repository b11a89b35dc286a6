stagetrace recover --help
