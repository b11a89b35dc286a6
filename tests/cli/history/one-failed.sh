# One run that failed, one other host: said in the singular.
"$DATA/../tools/make-runs.sh" "$DATA" nights 30015 29855 30322 30100 30200 30300 30150
HOST=other FIRST=20 "$DATA/../tools/make-runs.sh" "$DATA" others 30015
sed -i 's/"state": "done"/"state": "failed"/' nights/tiny-20260103T*/manifest.json
stagetrace history add -q nights/* others/* >added
stagetrace history check --last 7 --host example
stagetrace history check --config tiny
