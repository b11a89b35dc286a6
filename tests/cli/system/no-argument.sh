stagetrace system
