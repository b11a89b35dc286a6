stagetrace memory "$DATA/traced-run" --columns error_bytes
