# Of a large log the end is searched, where a build says why it ended, not another log.
cp -r "$DATA/tiny-run" run
mkdir -p run/logs
sed -i 's/"state": "done"/"state": "failed", "reason": "stage 2 failed with exit code 1"/' run/manifest.json
sed -i -E '/"pid":(100|101),/s/"exit_code":0/"exit_code":1/; s/"exit_code":137,"signal":9/"exit_code":134,"signal":6/' run/processes.jsonl
echo 'error: of stage 1' >run/logs/stage1.log
{
	echo 'error: of the beginning'
	head -c 67108864 /dev/zero | tr '\0' '\n'
	echo 'memory allocation of 16777216 bytes failed'
} >run/logs/stage2.log
stagetrace why -q run | grep -e '^cause' -e '^evidence'
