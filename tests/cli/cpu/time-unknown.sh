stagetrace cpu "$DATA/traced-run" --time noon
