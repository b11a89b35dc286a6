printf 'main;run 3\nmain 1\n' | stagetrace export - --format svg | grep -o '<title>[^<]*' | sort
