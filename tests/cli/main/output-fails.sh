# Where the file cannot be written whole, what was there stays, and nothing else is left.
echo mine >x
code=0
(
	trap '' XFSZ
	ulimit -f 1
	stagetrace memory "$DATA/traced-run" --by stack --format csv -o x --force
) 2>said || code=$?
echo "$code, $(cat said)"
cat x
ls
# Into a device it goes without --force.
stagetrace memory "$DATA/traced-run" --by role -o /dev/null
stagetrace memory "$DATA/traced-run" --by role --top 1 --format csv --columns role -o /dev/stdout | cat
