stagetrace convert "$DATA/traced-run" -o missing/x.etl 2>&1
