# Warnings of a run about call stacks: only in views that show such stacks, and each once.
cp -r "$DATA/traced-run" run
stacks='{"cpu": true, "memory": false, "text": "of CPU samples"}, {"cpu": false, "memory": true, "text": "of memory events"}, {"cpu": true, "memory": true, "text": "of both"}'
sed -i "s/\"warnings\": \[\]/\"warnings\": [\"of all\"], \"stack_warnings\": [$stacks]/" run/manifest.json
for view in processes tree 'cpu --by process' 'memory --by crate' system 'cpu --by function' 'cpu --by module --format csv' 'memory --by stack' \
	'export --metric cpu' 'export --metric at-peak' 'convert -o out.etl'; do
	echo "-- $view"
	# shellcheck disable=SC2086 # a command and its options
	stagetrace $view run 2>&1 >out | grep warning
done
echo '-- rows of system'
stagetrace system run --format csv 2>err | grep ',warning,'
stagetrace bundle run -o run.zip >bundled
stagetrace system run.zip --format csv 2>err | grep -c ',warning,'
