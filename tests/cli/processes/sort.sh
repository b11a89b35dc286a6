stagetrace processes "$DATA/tiny-run" --sort peak_rss_bytes --columns pid,peak_rss_bytes
