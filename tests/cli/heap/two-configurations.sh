stagetrace heap one.ini two.ini
