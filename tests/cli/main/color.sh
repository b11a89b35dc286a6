# Not on a terminal: only if it is asked for, also in files; there a message is one line, whatever COLUMNS says.
shown() {
	sed 's/\x1b/ESC/g'
}

export COLUMNS=60
for when in auto never always; do
	echo "-- $when"
	stagetrace memory "$DATA/traced-run" --by role --crate nothing --color $when 2>&1 | shown
done
stagetrace tree "$DATA/traced-run" --role link --columns pid --color always -o tree.txt
shown <tree.txt
stagetrace tree "$DATA/traced-run" --role link --columns pid --color always --format csv | shown
