# A run with a file that is none of a run's is not opened: WPA would read what it names.
cp -r "$DATA/tiny-run" run
echo none >run/trace.etl
rm run/processes.jsonl
mkfifo run/processes.jsonl
STAGETRACE_WPA=/bin/echo timeout 600 stagetrace open run 2>err || sed "s|$PWD/||g" err
