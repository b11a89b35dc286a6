# Checks of heap snapshots, the same on Linux and on Windows. Sourced after wpt.sh.
# shellcheck shell=bash

# Two were taken of the compiler of rustc_middle, not of its shim: at once, and so many seconds after its start. Print its pid:
# two_of_rustc_middle RUN SECONDS
two_of_rustc_middle() {
	grep -Eq '^  snapshots   2: 2 of rustc_middle \(process [0-9]+\)$' out || fail "$(cat out)"
	# The stand-in has 3500 bytes in each.
	grep -Eq '^              rustc_middle: [0-9.]+ m?s 3\.42 KB, [0-9.]+ m?s 3\.42 KB$' out || fail "no times and sizes: $(cat out)"
	[ -s "$1/trace.etl" ] || fail "no trace"
	python3 - "$@" <<-'PY' || fail "other snapshots: $(manifest "$1" .snapshots)"
		import json, sys
		rows = [json.loads(line) for line in open(sys.argv[1] + "/processes.jsonl")]
		manifest = json.load(open(sys.argv[1] + "/manifest.json"))
		(row,) = [row for row in rows if row["role"] == "rustc" and row["crate"] == "rustc_middle"]
		first, second = manifest["snapshots"]
		assert {s["pid"] for s in (first, second)} == {row["pid"]} and first["crate"] == "rustc_middle", (row, first, second)
		assert first["bytes"] == second["bytes"] == 3500, (first, second)
		assert row["start_ns"] <= first["time_ns"] < second["time_ns"] <= row["end_ns"], (row, first, second)
		assert second["time_ns"] - row["start_ns"] >= int(sys.argv[2]) * 1e9, (row, second)
		print(row["pid"])
	PY
	processes_are_whole "$1"
}
