cp -r "$DATA/traced-run" base
cp -r base new
stagetrace compare base new
