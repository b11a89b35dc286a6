# Names are cut to COLUMNS, and no two rows look equal.
for width in 60 100 200; do
	for by in function stack calls; do
		COLUMNS=$width stagetrace cpu "$DATA/traced-run" --by $by -q | sed '1,/^$/d'
	done
done
# So are those of other keys, and what the head says is broken between words.
for width in 60 100 200; do
	COLUMNS=$width stagetrace cpu "$DATA/traced-run" --by phase,query --top 3 -q
	for by in process thread module; do
		COLUMNS=$width stagetrace cpu "$DATA/traced-run" --by $by --top 3 -q | sed '1,/^$/d'
	done
done
