echo 'a 1' | stagetrace export - --full-names
