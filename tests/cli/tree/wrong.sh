for options in '--depth 0' '--depth few' '--min-duration long' '--min-duration -1s'; do
	# shellcheck disable=SC2086 # two words
	stagetrace tree "$DATA/tiny-run" $options && exit 1
done 2>&1
true
