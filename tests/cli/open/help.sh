stagetrace open --help
