cd "$DATA" || exit
stagetrace memory traced-run --of heap || stagetrace memory etl/SIH.etl --of heap
