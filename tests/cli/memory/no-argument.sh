stagetrace memory
