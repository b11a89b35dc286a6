# On wider lines graphs grow; on no line is more than fits.
for columns in 60 100 200; do
	for by in build crate role phase; do
		COLUMNS=$columns stagetrace timeline "$DATA/traced-run" --by $by --top 4 | tee lines
		[ "$(wc -L <lines)" -le $columns ] || exit 1
	done
done
