# A link or a FIFO in a run is not opened.
for name in manifest.json processes.jsonl trace.perf.data; do
	for make in "ln -s ../kept" mkfifo; do
		rm -rf run
		cp -r "$DATA/traced-run" run
		mv "run/$name" kept
		$make "run/$name"
		timeout 600 stagetrace cpu run --by function --top 2 2>&1 && echo shown
	done
done
