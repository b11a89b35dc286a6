stagetrace system --help
