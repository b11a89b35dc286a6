stagetrace open
