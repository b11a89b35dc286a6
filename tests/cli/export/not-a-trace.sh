echo hello >text
stagetrace export text
