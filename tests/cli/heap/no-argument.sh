stagetrace heap
