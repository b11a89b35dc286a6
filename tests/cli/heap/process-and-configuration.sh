stagetrace heap 17 heap.ini
