stagetrace recover --nonesuch
