cp -r "$DATA/tiny-run" .
stagetrace cpu tiny-run
