cd "$DATA" && stagetrace memory traced-run --of touched
