# Columns of numbers are left out where lines would be too long, and a line says which; those that are asked for stay.
for width in 60 100 200; do
	for key in process crate function stack region; do
		COLUMNS=$width stagetrace memory "$DATA/traced-run" --by "$key" --top 3 | sed '1,/^$/d'
	done
	COLUMNS=$width stagetrace memory "$DATA/traced-run" --by calls --min-share 40 | sed '1,/^$/d'
	COLUMNS=$width stagetrace processes "$DATA/traced-run"
done
COLUMNS=60 stagetrace memory "$DATA/traced-run" --by crate --sort count --top 1 | tail -n 4
COLUMNS=60 stagetrace memory "$DATA/traced-run" --by process --top 1 --columns pid,image,crate,size_bytes,freed_bytes,count,peak_bytes,peak_time_ns | tail -n 3
