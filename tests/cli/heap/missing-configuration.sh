stagetrace heap nonesuch.ini
