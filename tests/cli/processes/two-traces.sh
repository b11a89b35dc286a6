stagetrace processes one two
