stagetrace history lisst
