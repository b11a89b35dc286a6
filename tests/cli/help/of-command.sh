stagetrace help tree | head -n 3
