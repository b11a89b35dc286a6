stagetrace cpu
