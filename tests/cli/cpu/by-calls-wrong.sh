for options in '--by crate --inverted' '--by calls,crate' '--by calls --sort self_ns' '--by calls --min-share 101' '--by calls --min-share x' \
	'--by calls --min-share nan' '--by function --focus f'; do
	# shellcheck disable=SC2086 # several words
	stagetrace cpu "$DATA/traced-run" $options && exit 1
done 2>&1
true
