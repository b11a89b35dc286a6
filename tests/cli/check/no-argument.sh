stagetrace check
