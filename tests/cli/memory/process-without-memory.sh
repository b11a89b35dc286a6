stagetrace memory "$DATA/traced-run" --process python3
