# Text fits COLUMNS; --quiet leaves out notes; --sort takes a heading.
for width in 60 200 none; do
	COLUMNS=$width stagetrace memory "$DATA/traced-run" --by function --top 3 --sort 'size' | tail -n 5
done
stagetrace memory "$DATA/traced-run" --crate nothing -q --format csv --columns pid
