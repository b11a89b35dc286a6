# What a format of processes cannot do.
for words in "--root crate" "--min-share 1" "--metric impacting"; do
	# shellcheck disable=SC2086 # several words
	stagetrace export "$DATA/traced-run" --format pprof $words 2>&1 || echo "exit code $?"
done
echo 'a;b 1' | stagetrace export - --format pprof 2>&1 || echo "exit code $?"
