# What is no call, or one of several, is refused before anything is run.
for options in '' '--crate' '--pid 0' '--crate a --times 1001' '--crate a --jobs 1001' '--crate no_such_crate' '--crate rustc-midle' '--crate rustc_parse --part stage-rustc' '--crate a --skip-stage1'; do
	rc=0
	# shellcheck disable=SC2086
	stagetrace replay "$DATA/traced-run" $options || rc=$?
	echo "$rc"
done 2>&1
stagetrace replay no-such-run --crate a 2>&1 || echo $?
