# What reached its own peak at another time is no evidence of the peak: rustc_driver has 128 MB of its own, and nothing then.
cp -r "$DATA/traced-run" run
stagetrace compare run run --fail-if 'peak > 300MB' -q --top 1
