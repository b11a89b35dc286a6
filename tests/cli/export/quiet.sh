# What `export` says of incomplete stacks, and `convert` and `bundle` of what is left out, goes with -q; what they write stays.
stagetrace export "$DATA/traced-run" -o loud.folded
stagetrace export "$DATA/traced-run" -q -o quiet.folded
cmp loud.folded quiet.folded
cp -r "$DATA/traced-run" run
for quiet in '' -q; do
	stagetrace convert $quiet run -o "x$quiet.etl" 2>&1 >converted | wc -l
	stagetrace bundle $quiet --with-stack-copies run -o "run$quiet.zip" 2>&1 >bundled | wc -l
	stagetrace open $quiet --dry-run "$DATA/heap.etl" 2>&1 >opened | wc -l
done
cmp x.etl x-q.etl
