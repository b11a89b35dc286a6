# Graphs are scaled to the line, and never cut; the one of steps is left out where little is left of a line.
for columns in 60 74 75 80 94; do
	COLUMNS=$columns stagetrace timeline "$DATA/traced-run" --every 2s | tee lines
	[ "$(wc -L <lines)" -le $columns ] || exit 1
done
COLUMNS=60 stagetrace timeline "$DATA/traced-run" --every 5s --columns time_ns,graph,cpu_ns,working,idle_ns,crate_bytes,crate | tail -n 2
for by in crate role part; do
	COLUMNS=60 stagetrace timeline "$DATA/traced-run" --by $by | tee lines
	[ "$(wc -L <lines)" -le 60 ] || exit 1
done
COLUMNS=45 stagetrace timeline "$DATA/traced-run" --by crate | tail -n 4
