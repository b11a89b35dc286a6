# What is no run, or not one that may be run, is refused before anything is started.
for options in '' "$DATA/traced-run" "$DATA/traced-run --commit" "$DATA/traced-run --frob" no-such-run; do
	rc=0
	# shellcheck disable=SC2086
	stagetrace rerun $options || rc=$?
	echo "$rc"
done 2>&1 | sed "s|$DATA|DATA|g"
