# A file is replaced only with --force; that is said before the trace is read: here there is none.
run() {
	local code=0

	timeout 600 stagetrace "$@" >said 2>&1 || code=$?
	printf '%s: %d, %s\n' "$*" "$code" "$(sed 's/^stagetrace: //; s/^cannot bundle .[^ ]*: //; s|.[^ ]*run\.zip. exists|run.zip exists|' said)"
}

mkdir none
for command in cpu memory timeline processes tree system export convert bundle; do
	echo mine >x
	run $command none -o x
	cat x
done

cp -r "$DATA/traced-run" run
for command in memory export convert bundle; do
	echo mine >x
	stagetrace $command run -o x --force >said 2>&1
	grep -qx mine x && echo "$command: not replaced"
	# What the name of a run makes of itself is no other.
	[ $command != bundle ] || mv x run.zip
done
run bundle run
# A failure leaves what was there.
echo mine >x
run memory run -o x --force --crate none --columns nothing
run cpu none -o x --force
cat x
ls
