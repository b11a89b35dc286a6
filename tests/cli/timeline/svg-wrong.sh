for options in '--format svg --by crate' '--format svg --top 3' '--format svg --every 100us' '--by function' '--by crate --columns working' \
	'--format svg --time 1h..' '--by crate --every 20us --top 5'; do
	# shellcheck disable=SC2086 # several words
	stagetrace timeline "$DATA/traced-run" $options && exit 1
done 2>&1
true
