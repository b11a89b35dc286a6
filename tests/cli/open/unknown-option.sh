stagetrace open --dry run
