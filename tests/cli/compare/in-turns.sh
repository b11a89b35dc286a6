# Six runs a side, of which the new ones took a tenth longer. One side after the other, next to other programs: nobody can tell
# whether that was the machine. In turns, or with nothing else to do, it is a change.
"$DATA/../tools/make-runs.sh" "$DATA" first 30015 29855 30322 30048 29947 30263
FIRST=6 "$DATA/../tools/make-runs.sh" "$DATA" later 33140 32871 33052 33225 32914 33081
compare() {
	stagetrace compare "$@" --metric cpu --format csv --columns crate,cpu_verdict,wall_verdict 2>err
	grep -v 'without a trace' err || true
}
compare first/* -- later/*
sed -i 's/^  "warnings": /  "foreign": { "cpu_ns": 90000000000 },\n&/' later/*/manifest.json
compare first/* -- later/*
for number in 1 3 5; do
	one=$(printf '%s\n' first/* | sed -n ${number}p) other=$(printf '%s\n' later/* | sed -n ${number}p)
	stamp=$(grep -o '"start_utc": "[^"]*"' "$one/manifest.json") last=$(grep -o '"start_utc": "[^"]*"' "$other/manifest.json")
	sed -i "s/$stamp/$last/" "$one/manifest.json"
	sed -i "s/$last/$stamp/" "$other/manifest.json"
done
compare first/* -- later/*
