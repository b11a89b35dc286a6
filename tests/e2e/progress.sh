#!/usr/bin/env bash
# On a terminal, long steps after a recording show how far they are, and Ctrl-C ends them.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
perf_works
. "$SRCDIR/tests/e2e/lib/bootstrap.sh"
run= # by shared_bootstrap

# on_terminal ARGUMENT...: run tests/tools/on-terminal.py; `shown` gets what the terminal shows, each step as a line.
on_terminal() {
	local rc=0
	"$SRCDIR/tests/tools/on-terminal.py" "$@" >raw || rc=$?
	tr '\r' '\n' <raw >shown
	return $rc
}

# shows STEP...: of each step the terminal has shown a figure, of the first one more than nothing; all other text has lines
# of its own.
shows() {
	local step
	for step; do
		has "^.\[K$step: [0-9]* %" shown || fail "'$step' is not shown: $(cat -v shown)"
	done
	has "^.\[K$1: [1-9]" shown || fail "'$1' stays where it is: $(cat -v shown)"
	! has "%.*stagetrace: " shown || fail "a message follows a step in its line: $(cat -v shown)"
}

# As before the last step of a recording, and as one whose trace could not be distilled.
shared_bootstrap dwarf
cp -a "$run" copies
python3 - <<'PY'
import hashlib, json, os

os.rename("copies/trace.stack-copies.perf.data", "copies/trace.perf.data")
with open("copies/manifest.json") as file:
    manifest = json.load(file)
with open("copies/trace.perf.data", "rb") as file:
    trace = file.read()
manifest["files"] = [file for file in manifest["files"] if "stack-copies" not in file["path"]]
for file in manifest["files"]:
    if file["path"] == "trace.perf.data":
        file.update(size=len(trace), sha256=hashlib.sha256(trace).hexdigest())
with open("copies/manifest.json", "w") as file:
    json.dump(manifest, file, indent=2)
PY
cp -a copies test.partial
rm -r test.partial/symbols
sed -i 's/^  "state": "done",$/  "state": "collecting",/' test.partial/manifest.json
state_is test.partial collecting

rc=0
on_terminal --interrupt-at "reading the trace: " "$STAGETRACE" recover test.partial || rc=$?
[ $rc != 0 ] || fail "recover was not interrupted: $(cat shown)"
state_is test.partial collecting
on_terminal "$STAGETRACE" recover test.partial || fail "recover: $(cat shown)"
shows "reading the trace" "finding the names of functions" "writing the trace"
has "the trace is distilled" shown || fail "the trace is not distilled: $(cat shown)"
state_is test "done"

rc=0
on_terminal --interrupt-at "reading the trace: " "$STAGETRACE" bundle copies --scrub || rc=$?
[ $rc = 1 ] || fail "exit code $rc of an interrupted bundle: $(cat shown)"
has "interrupted by the user" shown || fail "the reason is not shown: $(cat shown)"
[ -z "$(find . -name '*.zip*')" ] || fail "an interrupted bundle is left: $(ls)"
on_terminal "$STAGETRACE" bundle copies --scrub || fail "bundle: $(cat shown)"
shows "reading the trace" "finding private names" "writing the trace" "packing the bundle"
[ -s copies.public.zip ] || fail "no bundle"

# Elsewhere nothing of that is written.
"$STAGETRACE" bundle copies >out 2>err || fail "bundle: $(cat err)"
! has -e "reading the trace" -e "\[K" out err || fail "steps in a file: $(cat out err)"
