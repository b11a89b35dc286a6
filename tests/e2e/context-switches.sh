#!/usr/bin/env bash
# Exact CPU time and waits of context switches: of synthetic machines, whose truth is known, and computed from the bytes of
# the files by another reader, to the nanosecond. With missing buffers gaps hold what is missing, and are said.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
check=$SRCDIR/tests/tools/check-switches.py

for seed in 1 2 3; do
	for loss in none flagged silent; do
		python3 "$check" make "$seed" "$loss" "$loss-$seed.etl" || fail "no $loss-$seed.etl"
	done
done
python3 "$check" check "$STAGETRACE" none-?.etl flagged-?.etl silent-?.etl >checked || fail "$(cat checked)"
for loss in flagged silent; do
	"$STAGETRACE" processes "$loss-1.etl" --columns pid,exact_cpu_ns >rows 2>notes || fail "$(cat notes)"
	grep -q "context switches are missing: who ran for" notes || fail "$loss: gaps are not said"
done

# The comparison itself can fail.
python3 - <<'END'
data = bytearray(open("none-1.etl", "rb").read())
at = data.index(b"\x24\x05", 8192)  # opcode and group of a switch
data[at + 2] ^= 1  # its time
open("none-1.etl", "wb").write(data)
END
if python3 "$check" check "$STAGETRACE" none-1.etl >checked; then fail "a difference was not seen"; fi
