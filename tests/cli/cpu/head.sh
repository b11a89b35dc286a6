# The same facts in all formats; incomplete stacks are counts there.
stagetrace cpu "$DATA/traced-run" --by function --role rustc --top 1
for format in json csv; do
	stagetrace cpu "$DATA/traced-run" --by function --role rustc --top 1 --format $format --head | sed "s/stagetrace [0-9][0-9.]*/stagetrace VERSION/"
done
# Without --head nothing changes.
stagetrace cpu "$DATA/traced-run" --by role --top 1 --format json
