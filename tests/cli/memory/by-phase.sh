stagetrace memory "$DATA/traced-run" --by phase --at peak
