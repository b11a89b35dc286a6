stagetrace history prune
