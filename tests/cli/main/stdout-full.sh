# Results that cannot be written are a failure, not half a table.
[ -w /dev/full ] || exit 1
stagetrace processes "$DATA/tiny-run" >/dev/full
