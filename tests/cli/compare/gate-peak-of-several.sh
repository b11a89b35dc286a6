# A gate on the build's peak says growth and overlap whether it passes, trips or is undecided: of several runs a side
# between those whose peaks are in the middle.
for i in 1 2 3 4; do
	cp -r "$DATA/traced-run" "same$i"
	cp -r "same$i" "more$i"
	cp "$DATA/grown.perf.data" "more$i/trace.perf.data"
done
gate() {
	stagetrace compare "${@:2}" --fail-if "$1" --top 1 -o rows.txt --force 2>&1 || echo "exit code $?"
}
gate 'peak > +9%' more4 same1 same2 -- same3 more1 more2
gate 'peak > +9%' more4 more3 same2 -- same3 same4 same1
gate 'peak > +5%' same1 same2 same3 -- more1 more2 more3
gate 'peak > 1GB' same1 same2 -- same3 more1 more2
# No other gate has the runs read again.
gate 'size > 1GB' same1 same2 -- same3 more1 more2
