# The words for metrics are those of gates: the peak of the whole build is its own peak, a crate has none.
stagetrace history show own-peek || true
stagetrace history show peek || true
stagetrace history show memory || true
"$DATA/../tools/make-runs.sh" "$DATA" nights 30015
stagetrace history add -q nights/* >added
stagetrace history show -q peak
stagetrace history show peak --crate core
