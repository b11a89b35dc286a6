stagetrace cpu nowhere
