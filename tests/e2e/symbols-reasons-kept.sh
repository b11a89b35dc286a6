#!/usr/bin/env bash
# `symbols` of a run says why modules have no names as the recording has found it, when nothing of the build is here any more.
# kind: waits
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/wpt.sh"
make_etl=$(dirname "$STAGETRACE")/tests/tools/make-pdb-etl
[ -x "$make_etl" ] || skip "tests/tools/make-pdb-etl is not built: make tests"
export STAGETRACE_CACHE=$TESTDIR/cache _NT_SYMBOL_PATH=$TESTDIR/pdbs

# The images have PDBs, each with a GUID of its own; of the second there is none when the names are looked up, of the third another one.
mkdir linked pdbs
first=0
for name in linked/found linked/none linked/other pdbs/other; do
	"$SRCDIR/tests/e2e/lib/pdb_guid.py" "$SRCDIR/tests/data/pdb/sample.pdb" $((++first)) "$name.pdb"
done
cp linked/found.pdb pdbs
make_wpt_checkout wpr ./build.sh
images=()
for name in found none other; do
	images+=("'C:\\b\\$name.dll'" "'C:\\nowhere\\$name.pdb'" "'$PWD/linked/$name.pdb'")
done
printf '#!/bin/sh\n"%s" "%s" $$ %s || exit 1\nsleep 0.3\n' "$make_etl" "$PWD/given.etl" "${images[*]}" >rust/build.sh
chmod +x rust/build.sh
export STANDIN_TRACE=$PWD/given.etl
"$STAGETRACE" record test.ini --out runs >out 2>err || fail "$(cat err)"
run=$(the_run runs)
mv pdbs recorded-with

# expect TRACE NONE OTHER: the reasons of these two modules.
expect() {
	"$STAGETRACE" symbols "$1" -q --format csv --columns module,names,reason >rows 2>err || fail "$1: $(cat err)"
	tr -d '\r' <rows | LC_ALL=C sort | diff -u <(printf '%s\n' found.dll,partly,gaps module,names,reason "none.dll,$2" "other.dll,$3") - ||
		fail "$1: other reasons"
}
for trace in "$run" "$run.zip"; do
	expect "$trace" none,no-pdb none,other-pdb
	"$STAGETRACE" symbols "$trace" -q --format csv --columns module,why | tr -d '\r' >why
	has '^other.dll,.*pdbs/other.pdb is ' why && has '^none.dll,its PDB [0-9A-F]* was not found$' why || fail "$(cat why)"
done

# What was recorded as missing and is here now: in a bundle that has it, and in a symbol store.
_NT_SYMBOL_PATH=$PWD/linked "$STAGETRACE" bundle "$run" --symbols all -o late.zip >out 2>err || fail "$(cat err)"
expect late.zip partly,gaps partly,gaps

# Without a trace it is unknown which modules are of the build: a public bundle has none then.
"$STAGETRACE" bundle "$run" --scrub --without-trace -o public.zip >out 2>err || fail "$(cat err)"
unzip -p public.zip '*/manifest.json' >public
! has unnamed_modules public && ! has 'other[.]dll' public || fail "$(cat public)"

# Runs without it, and with what nobody can read, are as runs of earlier versions.
for value in null '"text"' '[7, {"path": []}, {"path": "C:\\b\\none.dll", "reason": "odd"}]'; do
	rm -rf earlier
	cp -r "$run" earlier
	VALUE=$value python3 - earlier/manifest.json <<'PY'
import json, os, sys
manifest = json.load(open(sys.argv[1]))
assert len(manifest["unnamed_modules"]) == 2
manifest["unnamed_modules"] = json.loads(os.environ["VALUE"])
json.dump(manifest, open(sys.argv[1], "w"))
PY
	expect earlier none,not-kept none,not-kept
done
nothing_left
