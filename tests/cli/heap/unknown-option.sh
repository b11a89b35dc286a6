stagetrace heap --nonesuch 1
