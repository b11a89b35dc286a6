stagetrace memory "$DATA/traced-run" --by function --at peak
