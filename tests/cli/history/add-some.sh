# Runs that cannot be read keep no others out; of one alone nothing is made, nor is a data base made for pruning it.
status=0
stagetrace history add missing || status=$?
stagetrace history prune --keep '1 day' || status=$status,$?
echo "$status"
[ ! -e runs ]
"$DATA/../tools/make-runs.sh" "$DATA" nights 30015 29855 30322
sed -i 's/"state": "done"/"state": "recording"/' nights/tiny-20260102T*/manifest.json
stagetrace history add nights/* missing || echo "$?"
stagetrace history list --columns run
