printf 'a;b 1\nno number\n\na;b x\nc 2.5\n' | stagetrace export -
