# A run with a trace, one without, the first one once more.
cp -r "$DATA/traced-run" traced
cp -r "$DATA/tiny-run" tiny
stagetrace history add traced tiny
stagetrace history add traced
stagetrace history list
stagetrace history list --config tiny --format json
stagetrace history export --config traced
