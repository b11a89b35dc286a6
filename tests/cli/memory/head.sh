for options in '--by crate --crate rustc_middle --at own-peak' '--by calls --min-share 50' '--by role --time 2s..3s'; do
	for format in text csv; do
		# shellcheck disable=SC2086 # words
		stagetrace memory "$DATA/traced-run" $options --top 1 --head --format $format | sed "s/stagetrace [0-9][0-9.]*/stagetrace VERSION/"
	done
done
