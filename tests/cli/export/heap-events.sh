# Formats of processes take the memory of --of without a --metric; the highest point of its counter is the peak of `memory`.
for format in chrome firefox perfetto pprof; do
	stagetrace export "$DATA/heap.etl" --of heap --format $format -o heap.$format 2>notes
	[ -s heap.$format ] && echo "$format written"
done
stagetrace memory "$DATA/heap.etl" --of heap --by process --head --format json >memory.json
python3 - <<'PY'
import json
head = json.load(open("memory.json"))["head"]
counters = [e for e in json.load(open("heap.chrome"))["traceEvents"] if e["ph"] == "C" and e["pid"] == 0]
top = max(counters, key=lambda e: e["args"]["bytes"])
print(top["args"]["bytes"] == head["peak_bytes"], top["ts"] * 1000 == head["peak_time_ns"])
PY
stagetrace export "$DATA/heap.etl" --format chrome --metric cpu || echo "exit code $?"
stagetrace export "$DATA/heap.etl" --format pprof --of heap --metric cpu || echo "exit code $?"
