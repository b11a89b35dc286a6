stagetrace heap 17 4 17
