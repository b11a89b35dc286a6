stagetrace help tree | sed -n 1,3p
