echo hello >text
stagetrace system text
