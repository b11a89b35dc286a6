stagetrace system "$DATA/traced-run" --columns section,keys
