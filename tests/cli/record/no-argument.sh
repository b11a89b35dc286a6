stagetrace record
