stagetrace memory "$DATA/traced-run" --role rustdoc
