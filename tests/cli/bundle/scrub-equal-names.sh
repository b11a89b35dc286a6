# Files whose names become equal are numbered, and those by which a run is read keep theirs.
cp -r "$DATA/tiny-run" run
sed -i 's/"hostname": "[^"]*"/"hostname": "processes", "user": "alice"/' run/manifest.json
mkdir run/logs
for name in alice alice.log alice.tar.gz user user.log stage2.log; do echo $name >run/logs/$name; done
stagetrace bundle run --scrub -o public.zip >/dev/null
unzip -Z1 public.zip
unzip -p public.zip '*/manifest.json' | grep -o '"path": "logs/[^"]*"'
stagetrace processes public.zip --columns pid --format csv | sed -n 1,2p
