stagetrace cpu "$DATA/traced-run" --by calls --focus main --ignore main
