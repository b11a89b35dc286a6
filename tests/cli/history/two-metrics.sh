stagetrace history show cpu wall
