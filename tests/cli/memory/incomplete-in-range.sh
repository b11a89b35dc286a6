for time in .. ..2s 2s.. 5s.. 8s..; do
	echo "$time"
	stagetrace memory "$DATA/traced-run/trace.perf.data" --by function --time "$time" | sed -n '/incomplete/p'
done
