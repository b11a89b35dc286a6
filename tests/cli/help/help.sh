stagetrace help --help
