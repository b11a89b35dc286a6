#!/usr/bin/env bash
# Blanks, other letters and paths of more than 260 characters, from the configuration to the views of a bundle.
. "$SRCDIR/tests/wine/lib/wine.sh"

source='rüst & 源 (b)'
unit='a långer name ✓'
output=out
while [ ${#output} -lt 300 ]; do output=$output/$unit; done

mkdir -p "$source" 'cönfig ü'
: >"$source/x.py"
cp "$WINDOWS/tests/unit/windows/test_build_tree.exe" "$source/prögram b.exe"
cat >'cönfig ü/tést a.ini' <<-INI
	[run]
	name = test
	source = ../$source
	[stage1]
	command = "./prögram b.exe" --child stay 1
	[stage2]
	command = "./prögram b.exe" --child stay 300 "ärgument €" "end\\\\"
	env.COLOUR = dëep blue
	[record]
	recorder = none
	min-free-disk = 64MB
INI

"$STAGETRACE" record --out "$output" 'cönfig ü/tést a.ini' >out.txt 2>err </dev/null || fail "$(cat err)"
run=$(find "$output" -mindepth 1 -maxdepth 1 -type d)
[ -s "$run/manifest.json" ] || fail "no run in $output: $(ls "$output")"
state_is "$run" "done"
[ ${#run} -gt 300 ] || fail "the path is short: $run"

# What was recorded, from the run and from its bundle.
cat >expected.json <<-'JSON'
	["--child", "stay", "300", "ärgument €", "end\\"]
JSON
check_view() {
	"$STAGETRACE" processes "$1" --format json >view.json 2>err </dev/null || fail "$1: $(cat err)"
	python3 - "$source" <<-'PY' || fail "$1: $(cat view.json)"
		import json, sys
		rows = [row for row in json.load(open("view.json")) if "ärgument €" in row["argv"]]
		assert len(rows) == 1, rows
		row = rows[0]
		assert row["argv"][1:] == json.load(open("expected.json")), row["argv"]
		assert row["image"] == "prögram b.exe", row["image"]
		assert row["cwd"].endswith("\\" + sys.argv[1]), row["cwd"]
		assert row["exit_code"] == 0
	PY
	cp view.json "$2"
}
check_view "$run" of-run.json
bundle=$(find "$output" -mindepth 1 -maxdepth 1 -name '*.zip')
[ -n "$bundle" ] || fail "no bundle in $output"
check_view "$bundle" of-bundle.json
cmp of-run.json of-bundle.json
"$STAGETRACE" bundle "$run" -o "$output/näu b.zip" >out.txt 2>err </dev/null || fail "$(cat err)"
check_view "$output/näu b.zip" of-bundle.json
cmp of-run.json of-bundle.json
[ -z "$(find "$output" -name '*.partial*')" ] || fail "something is left: $(ls "$output")"
