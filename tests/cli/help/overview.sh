stagetrace help
