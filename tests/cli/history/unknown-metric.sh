stagetrace history show own-peek
