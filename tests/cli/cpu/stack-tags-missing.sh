stagetrace cpu "$DATA/traced-run" --by phase --stack-tags nowhere.stacktags
