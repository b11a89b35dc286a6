# Stage 1 is not followed, so that no process is known: what cargo says of how its compiler ended counts.
cp -r "$DATA/tiny-run" run
sed -i 's/"state": "done"/"state": "failed", "reason": "stage 1 failed with exit code 1"/' run/manifest.json
rm run/processes.jsonl
mkdir -p run/logs
for end in 'signal: 9, SIGKILL: kill' 'exit code: 0xc0000017' 'exit code: 0xc0000409, STATUS_STACK_BUFFER_OVERRUN' 'exit status: 101'; do
	cat >run/logs/stage1.log <<-LOG
		error: could not compile \`core\` (lib)

		Caused by:
		  process didn't exit successfully: \`/b/rustc --crate-name core\` ($end)
	LOG
	stagetrace why run | grep -e '^cause' -e '^evidence'
done
