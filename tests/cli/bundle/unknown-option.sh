stagetrace bundle --nonesuch
