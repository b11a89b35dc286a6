#!/usr/bin/env bash
# [bundle] symbols: the PDBs of the build's own modules are in the run and in its bundle, by GUID and age, and views use them
# when the build directory is gone.
. "$SRCDIR/tests/e2e/lib/lib.sh"
export STAGETRACE_CACHE=$TESTDIR/cache
. "$SRCDIR/tests/e2e/lib/wpt.sh"
make_etl=$(dirname "$STAGETRACE")/tests/tools/make-pdb-etl
[ -x "$make_etl" ] || skip "tests/tools/make-pdb-etl is not built: make tests"

make_wpt_checkout wpr ./build.sh
bin=$PWD/rust/build/host/stage1/bin
mkdir -p "$bin" elsewhere
# Three PDBs: of the compiler, of one of its libraries, and of Windows.
first=0
for name in "$bin/rustc_driver-1" "$bin/std-1" elsewhere/ntdll; do
	"$SRCDIR/tests/e2e/lib/pdb_guid.py" "$SRCDIR/tests/data/pdb/sample.pdb" $((++first)) "$name.pdb"
done
# The build's only process is the compiler of the trace. As Windows writes the paths of images; here no file is searched at them.
cat >rust/build.sh <<SH
#!/bin/sh
"$make_etl" \$SNAPSHOT "$PWD/given.etl" \$\$ '${bin//\//\\}\\rustc_driver-1.dll' 'C:\\build\\rustc_driver-1.pdb' "$bin/rustc_driver-1.pdb" \\
	'${bin//\//\\}\\std-1.dll' std-1.pdb "$bin/std-1.pdb" 'C:\\Windows\\System32\\ntdll.dll' ntdll.pdb "$PWD/elsewhere/ntdll.pdb" || exit 1
sleep 0.3
SH
chmod +x rust/build.sh
export STANDIN_TRACE=$PWD/given.etl _NT_SYMBOL_PATH="$bin;$PWD/elsewhere"

# files RUN: the PDBs in it.
files() { (cd "$1" && find symbols -name '*.pdb' -type f | LC_ALL=C sort); }
# record WHAT [ARGUMENT...]: a run of its own.
record() {
	rm -rf "$1"
	"$STAGETRACE" record test.ini --out "$1" "${@:2}" >out 2>err || fail "$1: $(cat err)"
	run=$(the_run "$1")
}

record build
files "$run" >got
[ "$(sed 's,/[0-9A-F]\{33\}/,/ID/,' got)" = "$(printf '%s\n' symbols/pdb/rustc_driver-1.pdb/ID/rustc_driver-1.pdb symbols/pdb/std-1.pdb/ID/std-1.pdb)" ] ||
	fail "other PDBs in the run: $(cat got)"
cmp "$bin/rustc_driver-1.pdb" "$run"/symbols/pdb/rustc_driver-1.pdb/*/rustc_driver-1.pdb
has '^stagetrace: 2 PDBs are kept in the run, ' err || fail "$(cat err)"
# What would help perf is no advice here.
has ' stacks of CPU samples are incomplete' err && ! has '[-]stacks=' err || fail "$(cat err)"
while read -r file; do
	grep -qF "\"$file\"" "$run/manifest.json" || fail "$file is not in the manifest"
	unzip -l "$run.zip" | has "/$file\$" || fail "$file is not in the bundle"
done <got
"$STAGETRACE" bundle "$run" --symbols used -o names.zip >out
! unzip -l names.zip | has '[.]pdb$' || fail "PDBs in a bundle of names"
unzip -l names.zip | has '/symbols/functions.txt$' || fail "no names in a bundle of names"
# They have names of directories, and are no text: a scrubbed bundle has none.
"$STAGETRACE" bundle "$run" --scrub --without-trace -o public.zip >out
! unzip -l public.zip | has '[.]pdb$' || fail "PDBs in a scrubbed bundle"

# By the share of frames, as long as there is room: what is left out is said.
size=$(stat -c %s "$bin/std-1.pdb")
used=$(find "$run" -type f ! -name '*.pdb' -printf '%s\n' | awk '{ all += $1 } END { print all }')
record small --no-bundle --set bundle.max-size=$(((used + size * 3 / 2) / 1024))KB
[ "$(files "$run" | sed 's,.*/,,')" = rustc_driver-1.pdb ] || fail "not the larger share alone: $(files "$run")"
has 'warning: 1 PDB is left out (std-1.pdb, .*): the run would be larger than .bundle. max-size = ' err || fail "$(cat err)"
record all --no-bundle --set bundle.symbols=all
[ "$(files "$run" | sed 's,.*/,,')" = "$(printf '%s\n' ntdll.pdb rustc_driver-1.pdb std-1.pdb)" ] || fail "not all: $(files "$run")"
record used --no-bundle --set bundle.symbols=used
[ -z "$(files "$run")" ] || fail "PDBs among names: $(files "$run")"

# A bundle can have them all the same, as long as they are here: the run stays as it was.
tree() { (cd "$1" && find . -type f -exec sha256sum {} + | LC_ALL=C sort); }
# pack FILE [ARGUMENT...]: what the bundle has.
pack() {
	"$STAGETRACE" bundle "$run" -o "$1" "${@:2}" >out 2>err || fail "$1: $(cat err)"
	unzip -Z1 "$1" | sed -n 's,^[^/]*/\(symbols/pdb/.*\),\1,p' | LC_ALL=C sort >packed
}
tree "$run" >before
pack late.zip --symbols build
cmp got packed || fail "other PDBs than a run gets: $(cat packed err)"
has '^stagetrace: note: 2 PDBs are packed that the run has not, ' err || fail "$(cat err)"
unzip -p late.zip '*/rustc_driver-1.pdb' | cmp - "$bin/rustc_driver-1.pdb"
# listed FILE...: what it prints of them.
listed() {
	has '^files of this machine in it:$' out || fail "$(cat out)"
	printf '%s\n' "$@" | LC_ALL=C sort | diff - <(sed '1,/^files of this machine/d; s/^ *[0-9.]* [KM]\?B  //' out | LC_ALL=C sort) || fail "$(cat out)"
}
listed "$bin/rustc_driver-1.pdb" "$bin/std-1.pdb"
# Not of a run that may be a stranger's, in which the trace names whatever its author likes.
cp -r "$(the_run used)" copied
for symbols in build all; do
	rc=0
	"$STAGETRACE" bundle copied --symbols $symbols -o copied.zip >out 2>err || rc=$?
	[ $rc = 1 ] && [ ! -e copied.zip ] && has -e "--symbols: '$PWD/copied' is no run that you recorded in this place, " err || fail "exit code $rc: $(cat err)"
done
"$STAGETRACE" bundle copied --trust --symbols build -o copied.zip >out 2>err || fail "$(cat err)"
listed "$bin/rustc_driver-1.pdb" "$bin/std-1.pdb"
# A recording of another machine that is finished here.
cp -r "$run" finished.partial
rm -r finished.partial/symbols
sed -i 's/"state": "done"/"state": "collecting"/' finished.partial/manifest.json
"$STAGETRACE" recover finished.partial >out 2>err || fail "$(cat err)"
[ -z "$(files finished)" ] || fail "files of this machine in a run of another one: $(files finished)"
unzip -p late.zip '*/manifest.json' | has "$(grep -m1 rustc_driver-1 got)" || fail "not in the manifest of the bundle"
pack all.zip --symbols all
[ "$(sed 's,.*/,,' packed)" = "$(printf '%s\n' ntdll.pdb rustc_driver-1.pdb std-1.pdb)" ] || fail "not all: $(cat packed err)"
pack none.zip
[ ! -s packed ] && [ "$(wc -l <out)" = 1 ] || fail "PDBs that nobody asked for: $(cat packed out)"
pack public.zip --force --scrub --without-trace --symbols all
[ ! -s packed ] && has 'warning: PDBs and debug files are not packed, as they cannot be scrubbed' err || fail "$(cat packed err)"
tree "$run" | cmp before - || fail "the run was changed"
# Of a heap snapshot, whose stacks WPA alone can read, those that its process has loaded.
SNAPSHOT=--snapshot record snapshot --no-bundle
files "$run" | cmp got - || fail "other PDBs for a heap snapshot: $(files "$run") $(cat err)"
SNAPSHOT=--snapshot record snapshot-used --no-bundle --set bundle.symbols=used
pack snapshot.zip --symbols build
cmp got packed || fail "other PDBs for a heap snapshot than a run gets: $(cat packed err)"
# With what it has and within its limit.
run=$(the_run small)
pack small.zip --symbols build
[ "$(sed 's,.*/,,' packed)" = rustc_driver-1.pdb ] || fail "not the limit of the run: $(cat packed)"
has 'warning: 1 PDB is left out (std-1.pdb, .*): the run would be larger than .bundle. max-size = ' err || fail "$(cat err)"

# The build directory is gone, and so are the names that were kept: the PDBs give them, in a directory and in a bundle.
run=$(the_run build)
unset _NT_SYMBOL_PATH
rm -rf rust elsewhere
cp "$run.zip" without-names.zip
python3 - "$run" without-names.zip late.zip <<'PY'
import os, sys, zipfile
run, *paths = sys.argv[1:]
os.remove(run + "/symbols/functions.txt")
os.remove(run + "/symbols/lines.txt")
for path in paths:
    old = zipfile.ZipFile(path)
    with zipfile.ZipFile("new.zip", "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if not name.endswith((".txt", ".jsonl")) or "symbols" not in name:
                new.writestr(name, old.read(name))
    os.rename("new.zip", path)
PY
for trace in "$run" without-names.zip late.zip; do
	"$STAGETRACE" cpu "$trace" --by function --format csv --columns module,function >functions 2>err || fail "$(cat err)"
	has '^rustc_driver-1.dll,leaf_public' functions && has '^std-1.dll,leaf_public' functions || fail "$trace: $(cat functions err)"
	has '^ntdll.dll,ntdll.dll!0x' functions || fail "$trace: $(cat functions)"
	"$STAGETRACE" symbols "$trace" --format csv --columns module,names,reason,from >modules 2>err || fail "$(cat err)"
	has '^rustc_driver-1.dll,partly,gaps,run' modules && has '^ntdll.dll,none,no-pdb,' modules || fail "$trace: $(cat modules)"
done
# Of another module that has the name: not used.
mv "$run"/symbols/pdb/std-1.pdb/*/std-1.pdb "$run"/symbols/pdb/rustc_driver-1.pdb/*/rustc_driver-1.pdb
"$STAGETRACE" cpu "$run" --by function --format csv --columns module,function >functions 2>err || fail "$(cat err)"
! has '^rustc_driver-1.dll,leaf_public' functions || fail "a PDB with another GUID is used"
nothing_left
