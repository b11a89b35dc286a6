# A run may come from anyone: what is no file or directory is refused before anything is done.
say() {
	"$@" 2>&1 | sed "s|$PWD/||g"
	return "${PIPESTATUS[0]}"
}
interrupted_run() {
	rm -rf run.partial
	cp -r "$DATA/tiny-run" run.partial
	sed -i 's/"state": "done"/"state": "recording"/' run.partial/manifest.json
}
echo secret >victim
for name in processes.jsonl.partial processes.journal config.ini manifest.json.partial logs/recorder.log symbols; do
	interrupted_run
	mkdir -p run.partial/logs
	rm -f "run.partial/$name"
	ln -s "$PWD/victim" "run.partial/$name"
	say stagetrace recover run.partial && echo "recovered with a link as $name"
done
for name in config.ini processes.journal manifest.json trace.perf.data; do
	interrupted_run
	rm -f "run.partial/$name"
	mkfifo "run.partial/$name"
	rc=0
	say timeout 600 stagetrace recover run.partial || rc=$?
	[ $rc = 1 ] || echo "exit code $rc with a FIFO as $name"
done
cat victim
