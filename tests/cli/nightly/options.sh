# Mistakes are found before anything is recorded.
mkdir rust
touch rust/x.py
printf '[run]\nsource = rust\n[stage1]\ncommand = true\n[stage2]\ncommand = true\n[record]\nrecorder = none\n' >test.ini
for options in '' test.ini 'test.ini --ab rust' 'test.ini --ab rust no-such-commit' 'test.ini --ab rust rust --rounds 1001' \
	'test.ini --ab rust rust --rounds 0' 'test.ini --ab rust rust -- --frob' 'no-such.ini --ab rust rust'; do
	rc=0
	# shellcheck disable=SC2086
	stagetrace nightly $options || rc=$?
	echo "$rc"
done 2>&1 | sed "s|$PWD|HERE|g"
[ ! -e runs ]
