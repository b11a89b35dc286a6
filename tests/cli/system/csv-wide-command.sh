stagetrace system "$DATA/traced-run" --format csv --columns value,key --sort key --top 12
