printf 'b;c 2\na 1\nb;c 3\n' | stagetrace export -
