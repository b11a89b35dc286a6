# The size of a record in the middle.
cp "$DATA/traced-run/trace.perf.data" bad.data
printf '\4\0' | dd of=bad.data bs=1 seek=12238 conv=notrunc status=none
stagetrace system bad.data | tail -6
