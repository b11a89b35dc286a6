stagetrace export "$DATA/traced-run" --metric outstanding --at 1.9s
