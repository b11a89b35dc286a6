stagetrace memory "$DATA/traced-run" --columns size_byte
