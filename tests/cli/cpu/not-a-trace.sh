echo hello >text
stagetrace cpu text
