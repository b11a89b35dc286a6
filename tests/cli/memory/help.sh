stagetrace memory --help
