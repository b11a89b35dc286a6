stagetrace compare base new --by phase,stack
