# Idle time is that of stage 2, as in `system`: not of the recording before its start and after its end.
cp -r "$DATA/traced-run" run
sed -i '/"stage2"/,/}/{s/"start_ns": *[0-9]*/"start_ns": 400000000/;s/"end_ns": *[0-9]*/"end_ns": 9200000000/}' run/manifest.json
grep -A 3 '"stage2"' run/manifest.json
stagetrace system run | grep none_at_work
stagetrace timeline run --every 1s --format csv --columns time_ns,idle_ns
stagetrace timeline run --every 1s | grep '^work'
