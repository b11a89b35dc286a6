stagetrace bundle
