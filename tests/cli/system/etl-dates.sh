cp "$DATA/etl/SIH.etl" .
stagetrace system SIH.etl | grep -E "_utc|zone"
