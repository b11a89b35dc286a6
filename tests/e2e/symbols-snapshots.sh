#!/usr/bin/env bash
# `symbols` of a recording of heap snapshots alone lists what their processes have loaded, with names or why not, and fetches PDBs.
# kind: waits
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/wpt.sh"
make_etl=$(dirname "$STAGETRACE")/tests/tools/make-pdb-etl
[ -x "$make_etl" ] || skip "tests/tools/make-pdb-etl is not built: make tests"
export STAGETRACE_CACHE=$TESTDIR/cache _NT_SYMBOL_PATH=$TESTDIR/pdbs

mkdir linked pdbs
first=0
for name in linked/found linked/none; do
	"$SRCDIR/tests/e2e/lib/pdb_guid.py" "$SRCDIR/tests/data/pdb/sample.pdb" $((++first)) "$name.pdb"
done
cp linked/found.pdb pdbs
images=("'C:\\b\\found.dll'" "found.pdb" "'$PWD/linked/found.pdb'" "'C:\\b\\none.dll'" "none.pdb" "'$PWD/linked/none.pdb'")
make_wpt_checkout wpr ./build.sh
printf '#!/bin/sh\n"%s" --snapshot "%s" $$ %s || exit 1\nsleep 0.3\n' "$make_etl" "$PWD/given.etl" "${images[*]}" >rust/build.sh
chmod +x rust/build.sh
export STANDIN_TRACE=$PWD/given.etl
"$STAGETRACE" record --no-bundle test.ini --set bundle.symbols=all >out 2>err || fail "$(cat err)"
run=$(the_run runs)

# expect FOUND NONE ARGUMENT...: names and reasons of both, and no shares.
expect() {
	"$STAGETRACE" symbols "${@:3}" --format csv --columns module,names,reason,cpu_ns,size_bytes >rows 2>err || fail "${*:3}: $(cat err)"
	tr -d '\r' <rows | LC_ALL=C sort | diff -u <(printf '%s\n' "found.dll,$1,," module,names,reason,cpu_ns,size_bytes "none.dll,$2,,") - ||
		fail "${*:3}: other rows"
	[ "$(grep -c 'note: the trace has heap snapshots alone' err)" = 1 ] || fail "${*:3}: $(cat err)"
}
expect all, none,no-pdb given.etl
mv pdbs recorded-with
# The run has the one, and knows why not the other; the trace alone does not.
expect all, none,no-pdb "$run"
expect none,no-pdb none,no-pdb given.etl
"$STAGETRACE" symbols "$run" --process 1 --format csv --columns module >rows 2>err || fail "$(cat err)"
[ "$(wc -l <rows)" = 1 ] && has "no process matches --process '1'" err || fail "$(cat rows err)"

if python3 -c 'import ctypes; ctypes.CDLL("libcurl.so.4")' 2>/dev/null || python3 -c 'import ctypes; ctypes.CDLL("libcurl-gnutls.so.4")' 2>/dev/null; then
	unset _NT_SYMBOL_PATH
	id=$("$STAGETRACE" symbols "$run" -q --format csv --columns module,symbol_id | sed -n 's/^none.dll,//p' | tr -d '\r')
	touch log
	ID='' "$SRCDIR/tests/e2e/lib/symbol-server.py" port log "none.pdb/$id/none.pdb=linked/none.pdb" &
	server=$!
	trap 'kill $server 2>/dev/null' EXIT
	wait_for test -s port
	expect all, all, "$run" --fetch "http://127.0.0.1:$(cat port)/good"
	has '^stagetrace: note: fetched none.pdb from ' err || fail "$(cat err)"
	kill $server
	wait $server 2>/dev/null || true
	trap - EXIT
fi
nothing_left
