stagetrace check --nonesuch
