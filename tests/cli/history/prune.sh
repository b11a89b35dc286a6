"$DATA/../tools/make-runs.sh" "$DATA" nights 30015 29855 30322
stagetrace history add -q nights/* >added
stagetrace history prune --before 2026-01-02
stagetrace history prune --before 2026-01-02
stagetrace history list --columns run
stagetrace history export --format jsonl --since 2026-01-03 | sed -n 1,2p
