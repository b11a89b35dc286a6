stagetrace compare base new --min-effect 1%,two
