# Bars have what is left of a line; none where that is little.
for columns in 60 80 100 200; do
	COLUMNS=$columns stagetrace tree "$DATA/tiny-run" --time 20s..60s --crate 'rustc_*' | tee lines
	[ "$(wc -L <lines)" -le $columns ] || exit 1
done
stagetrace tree "$DATA/tiny-run" --wide --top 2
stagetrace tree "$DATA/tiny-run" --columns pid,bar --top 2
COLUMNS=40 stagetrace tree "$DATA/tiny-run" --columns pid,bar,role --top 2
