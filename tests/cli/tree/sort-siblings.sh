stagetrace tree "$DATA/tiny-run" --sort peak_rss_bytes
