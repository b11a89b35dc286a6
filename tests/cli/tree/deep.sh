# Ten thousand generations: neither the stack nor the line gives way.
mkdir run
cp "$DATA/tiny-run/manifest.json" run
for ((i = 1; i <= 10000; i++)); do
	printf "{\"pid\":%d,\"ppid\":%d,\"start_ns\":%d,\"exe\":\"/bin/sh\"}\n" $((i + 1)) "$i" "$i"
done >run/processes.jsonl
stagetrace tree run --columns pid,image | tail -n 2
stagetrace tree run --format csv --columns depth | tail -n 1
