# Gates of the run that cannot be read are undecided in what CI systems show, too: a suite without an error would be green.
cp -r "$DATA/traced-run" base
cp -r base new
printf '[compare]\nfail-if = peek > +5%%\n' >new/config.ini
cp new/config.ini base
for format in junit github markdown; do
	stagetrace compare base new --format $format 2>err >out || echo "exit code $?"
	grep -e 'errors=' -e '<error' -e '::warning title=Gate' -e '^- .*Gate undecided' out || echo "$format: silent"
done
