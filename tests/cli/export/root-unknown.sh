stagetrace export "$DATA/traced-run" --root module
