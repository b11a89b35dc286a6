stagetrace memory "$DATA/traced-run" --fit 300MB --format csv --head
