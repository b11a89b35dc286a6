stagetrace heap 0
