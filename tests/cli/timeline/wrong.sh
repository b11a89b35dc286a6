for options in '--every 0' '--every 1us' '--every soon' '--sort nothing' '--time 5..4'; do
	# shellcheck disable=SC2086 # two words
	stagetrace timeline "$DATA/traced-run" $options && exit 1
done 2>&1
true
