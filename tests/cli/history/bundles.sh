# Bundles by the name of a run, or by host and name; a URL is not asked.
"$DATA/../tools/make-runs.sh" "$DATA" nights 30015 29855 30322
stagetrace history add -q nights/* >added
mkdir -p store/example
touch store/tiny-20260101T120000Z.zip store/example/tiny-20260102T120000Z.zip
stagetrace history show wall --bundle store
stagetrace history show wall --bundle https://bundles.example/rustc --last 1
