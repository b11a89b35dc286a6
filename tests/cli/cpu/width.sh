# Names are cut to COLUMNS, and no two rows look equal.
for width in 60 100 200; do
	for by in function stack calls; do
		COLUMNS=$width stagetrace cpu "$DATA/traced-run" --by $by -q | sed '1,/^$/d'
	done
done
