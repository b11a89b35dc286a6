echo hello >text
stagetrace memory text
