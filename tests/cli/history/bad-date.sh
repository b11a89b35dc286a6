stagetrace history list --since yesterday
