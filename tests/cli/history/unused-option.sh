# An option that an action has no use for is refused: pruning must not take it for a limit.
"$DATA/../tools/make-runs.sh" "$DATA" nights 30015 29855 30322
HOST=other FIRST=20 "$DATA/../tools/make-runs.sh" "$DATA" others 30015
stagetrace history add -q nights/* others/* >added
for option in --last=1 --since=2026-01-02 --crate=core --metric=cpu; do
	stagetrace history prune --before 2026-02-01 "$option" || echo "$?"
done
stagetrace history export --crate core || echo "$?"
stagetrace history add nights/* --host other || echo "$?"
stagetrace history check --metric at-peak || echo "$?"
stagetrace history prune --host other --before 2026-02-01
stagetrace history list --columns run,host
stagetrace history export --last 1 | cut -d, -f4 | sort -u
