for options in '--min-share 101' '--min-share x' '--symfs nowhere' '--format html'; do
	# shellcheck disable=SC2086 # several words
	stagetrace report "$DATA/traced-run" $options && exit 1
done 2>&1
stagetrace report nowhere 2>&1 && exit 1
stagetrace report "$DATA/traced-run" page.html 2>&1 && exit 1
# Nothing is left behind, and no input replaced.
cp "$DATA/touched.perf.data" report.html
! stagetrace report report.html --force 2>&1
echo ./*
