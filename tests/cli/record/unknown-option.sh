stagetrace record --nonesuch
