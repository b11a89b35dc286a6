stagetrace cpu "$DATA/traced-run" --by module,function
