cd "$DATA" || exit
stagetrace compare traced-run/trace.perf.data grown.perf.data --by process -q --columns role,ordinal,own_peak_delta,cpu_base,wall_new
