# Two runs that began in one millisecond: what is acknowledged begins in the one that is named, the second.
"$DATA/../tools/make-runs.sh" "$DATA" nights 30015 29855 30322 30100 30200 40300 40150 40200
"$DATA/../tools/make-runs.sh" "$DATA" again 1 1 1 1 40250
second=tiny-20260105T120000Z-2
mv again/tiny-20260105T120000Z nights/$second
sed -i "s/tiny-20260105T120000Z/$second/" nights/$second/manifest.json
stagetrace history add -q nights/*0[1-5]T* >added
stagetrace history acknowledge $second
stagetrace history check --fail-if 'crate:core.cpu > +5%' || echo "exit code $?"
stagetrace history add -q nights/* >added
stagetrace history show cpu --crate core | tail -n 3
