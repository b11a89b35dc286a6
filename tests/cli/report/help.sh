stagetrace report --help
