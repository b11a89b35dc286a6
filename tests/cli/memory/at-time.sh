stagetrace memory "$DATA/traced-run" --by crate --at 1.9s
