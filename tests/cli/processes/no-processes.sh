cp -r "$DATA/tiny-run" run
: >run/processes.jsonl
stagetrace processes run
