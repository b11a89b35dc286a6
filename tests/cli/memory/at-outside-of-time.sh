stagetrace memory "$DATA/traced-run" --by role --time 2..3 --at 3.5s
