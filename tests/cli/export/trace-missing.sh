stagetrace export nowhere
