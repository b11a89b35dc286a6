stagetrace cpu "$DATA/traced-run" --by crate --stack-tags my.stacktags
