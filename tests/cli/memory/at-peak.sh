stagetrace memory "$DATA/traced-run" --by crate --at peak
