cp -r "$DATA/tiny-run" tiny
stagetrace history add -q tiny
stagetrace history check
