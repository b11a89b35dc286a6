stagetrace history export --format json
