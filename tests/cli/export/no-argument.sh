stagetrace export
