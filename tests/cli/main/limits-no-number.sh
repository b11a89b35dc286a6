# The number by which limits are multiplied must be one, whatever the command.
cp -r "$DATA/tiny-run" run
for number in abc 8x 0 0.5 -4 1001; do
	code=0
	STAGETRACE_LIMITS=$number stagetrace processes run || code=$?
	echo "$code"
done
code=0
STAGETRACE_LIMITS=abc stagetrace check memory.ini || code=$?
echo "$code"
STAGETRACE_LIMITS=1000 stagetrace processes run --columns pid --format csv
STAGETRACE_LIMITS='' stagetrace processes run --columns pid --format csv
STAGETRACE_LIMITS=abc stagetrace processes --help | sed -n 1p
