stagetrace cpu --help
