stagetrace history show own-peek || true
stagetrace history show peak
