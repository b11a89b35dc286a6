# Two machines of one host name that begin in the same second: the second recording is not taken for the first one.
cp -r "$DATA/tiny-run" one
cp -r one two
sed -i 's/T12:00:00.000Z/T12:00:00.700Z/' two/manifest.json
cp -r "$DATA/traced-run" three
stagetrace history add one two three || echo "exit code $?"
stagetrace history add one
stagetrace history list --columns run
