# Under a gate results that cannot be written are no answer, but a gate that trips is one. git would take 1 for bad.
[ -w /dev/full ] || exit 1
stagetrace compare "$DATA/traced-run" "$DATA/traced-run" --fail-if 'peak > 1GB' >/dev/full || echo "exit code $?"
stagetrace compare "$DATA/traced-run" "$DATA/traced-run" --fail-if 'peak > 1MB' >/dev/full 2>err || echo "exit code $?"
stagetrace compare "$DATA/traced-run" "$DATA/traced-run" >/dev/full 2>err || echo "exit code $?"
"$DATA/../tools/make-runs.sh" "$DATA" nights 30015 29855 30322 30048 29947 30263
stagetrace history add -q nights/* >added
stagetrace history check --fail-if 'cpu < 1s' --format csv >/dev/full || echo "exit code $?"
