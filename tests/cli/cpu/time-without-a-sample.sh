stagetrace cpu "$DATA/traced-run" --time 0..50ms
