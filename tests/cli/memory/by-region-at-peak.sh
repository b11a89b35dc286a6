# With --at only what is held then; its sizes add up to the peak.
stagetrace memory "$DATA/traced-run" --by region --at peak --role rustc --columns size_bytes,address,stack --format json -q
