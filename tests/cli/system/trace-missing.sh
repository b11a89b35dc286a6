stagetrace system nowhere
