echo 'a 1' | stagetrace export - --metric size
