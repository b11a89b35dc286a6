stagetrace convert "$DATA/gaps.perf.data" -o -
