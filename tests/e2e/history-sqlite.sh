#!/usr/bin/env bash
# A history in a file: many writers at once, one of them killed; files that are damaged, foreign, newer or half written are left
# as they are, with an error that says what they are.
# kind: waits
. "$SRCDIR/tests/e2e/lib/lib.sh"
command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"

writers=12
for ((i = 0; i < writers; i++)); do
	HOST=machine$i "$SRCDIR/tests/tools/make-runs.sh" "$SRCDIR/tests/data" "runs/$i" 1000 1010 1020
done
write() { "$STAGETRACE" history add "runs/$1"/* >>"out.$1" 2>>"err.$1"; }
pids=()
for ((i = 0; i < writers; i++)); do
	write "$i" &
	pids+=($!)
done
sleep 0.05
kill_job "${pids[5]}"
for ((i = 0; i < writers; i++)); do
	wait "${pids[i]}" || [ "$i" = 5 ] || fail "writer $i: $(cat "err.$i")"
done
write 5 || fail "writer 5 again: $(cat err.5)"
sql() { sqlite3 "${2:-runs/history.sqlite}" "$1"; }
[ "$(sql 'SELECT count(*), count(DISTINCT setup), count(DISTINCT setup || name) FROM run')" = "36|12|36" ] || fail "runs: $(sql 'SELECT count(*) FROM run')"
[ "$(sql 'SELECT count(DISTINCT n) FROM (SELECT count(*) AS n FROM result GROUP BY run)')" = 1 ] || fail "runs differ in their results"
[ "$(sql 'PRAGMA integrity_check')" = ok ] || fail "the file is damaged"

# refused FILE WHAT: `add` and `list` say what the file is, and leave it as it is.
refused() {
	local before action

	before=$(sha256sum <"$1")
	for action in "add $PWD/runs/0/tiny-20260101T120000Z" list; do
		# shellcheck disable=SC2086 # an action and its argument
		! "$STAGETRACE" history $action --db "$1" >out 2>err || fail "$1: $action works"
		has "$2" err || fail "$1: $action says $(cat err)"
	done
	[ "$(sha256sum <"$1")" = "$before" ] || fail "$1 was changed"
}
head -c 100000 /dev/urandom >noise.sqlite
refused noise.sqlite 'not an SQLite data base'
sqlite3 foreign.sqlite 'CREATE TABLE run (x)'
refused foreign.sqlite 'not one of stagetrace'
cp runs/history.sqlite newer.sqlite
sql 'PRAGMA user_version = 99' newer.sqlite
refused newer.sqlite 'newer version of stagetrace (schema 99'
# Half of a file, as a copy that was interrupted.
head -c $(($(stat -c %s runs/history.sqlite) / 2)) runs/history.sqlite >half.sqlite
! "$STAGETRACE" history export --db half.sqlite >out 2>err || fail "half a file is whole"
has 'data base is damaged' err || fail "half: $(cat err)"
mkdir dir.sqlite
! "$STAGETRACE" history add runs/0/* --db dir.sqlite >out 2>err || fail "a directory is a data base"
has 'it is a directory' err || fail "directory: $(cat err)"

# A writer that was killed while it wrote leaves its journal: the next one, and a reader, undoes what it wrote.
cp runs/history.sqlite killed.sqlite
HOST=other "$SRCDIR/tests/tools/make-runs.sh" "$SRCDIR/tests/data" other 1000
python3 - <<'PY' || [ $? = 9 ] || fail "the writer to be killed"
import os, sqlite3
db = sqlite3.connect("killed.sqlite", isolation_level=None)
db.execute("PRAGMA cache_size = 5")
db.execute("BEGIN IMMEDIATE")
for i in range(20000):
    db.execute("INSERT INTO acknowledged VALUES (?, 1, 0, '', ?, '', '', 0)", (i + 100, i))
os._exit(9)
PY
[ -s killed.sqlite-journal ] || fail "nothing was left half written"
cp killed.sqlite read.sqlite
cp killed.sqlite-journal read.sqlite-journal
"$STAGETRACE" history list --db read.sqlite >out 2>err || fail "to read after a kill: $(cat err)"
[ "$(sql 'SELECT count(*) FROM acknowledged' read.sqlite)" = 0 ] || fail "a reader leaves half a transaction"
"$STAGETRACE" history add other/* --db killed.sqlite >out 2>err || fail "after a kill: $(cat err)"
[ "$(sql 'SELECT (SELECT count(*) FROM acknowledged), (SELECT count(*) FROM run)' killed.sqlite)" = "0|37" ] || fail "half a transaction is there"

# A journal may name a file for SQLite to remove when it has undone the transaction: a stranger's any file.
cp runs/history.sqlite named.sqlite
echo precious >precious
python3 - "$PWD/precious" <<'PY' || [ $? = 9 ] || fail "the journal that names a file"
import os, sqlite3, struct, sys
db = sqlite3.connect("named.sqlite", isolation_level=None)
page = db.execute("PRAGMA page_size").fetchone()[0]
db.execute("PRAGMA cache_size = 5")
db.execute("BEGIN IMMEDIATE")
for i in range(20000):
    db.execute("INSERT INTO acknowledged VALUES (?, 1, 0, '', ?, '', '', 0)", (i + 100, i))
name = sys.argv[1].encode()
end = bytes.fromhex("d9d505f920a163d7")
with open("named.sqlite-journal", "ab") as journal:
    journal.write(struct.pack(">I", 0x40000000 // page + 1) + name + struct.pack(">II", len(name), sum(name)) + end)
os._exit(9)
PY
for file in named.sqlite{,-journal}; do
	cp "$file" "read-$file"
done
! "$STAGETRACE" history list --db read-named.sqlite >out 2>err || fail "a reader uses a journal that names a file"
[ -s precious ] || fail "the file that a journal names is gone, by a reader"
has 'data base is damaged' err || fail "a journal that names a file, to a reader: $(cat err)"
! "$STAGETRACE" history add other/* --db named.sqlite >out 2>err || fail "a journal that names a file is used"
[ -s precious ] || fail "the file that a journal names is gone"
has 'data base is damaged' err || fail "a journal that names a file: $(cat err)"

# The CPU time of a function is that of `cpu`, next to the phases that are counted from the same stacks.
"$STAGETRACE" history add "$SRCDIR/tests/data/traced-run" --db functions.sqlite >out 2>err || fail "$(cat err)"
of_parser="WHERE series.kind = 'function' AND series.crate = 'rustc_parse' AND series.function = 'rustc_parse::parser::parse_expr'"
found=$(sql "SELECT cpu_ns FROM result JOIN series ON series.id = result.series $of_parser" functions.sqlite)
"$STAGETRACE" cpu "$SRCDIR/tests/data/traced-run" --by crate,function --format csv --columns crate,function,self_ns 2>err | tr -d "\r" >out
has "^rustc_parse,rustc_parse::parser::parse_expr,$found$" out || fail "a function has $found ns in the history: $(cat out)"

# Of functions the 50 heaviest of each crate whose own peak is above 64 MB are kept: here of four crates, of 230. Nothing is kept by process.
"$(dirname "$STAGETRACE")/tests/tools/make-build" made 5
"$STAGETRACE" history add made --db made.sqlite >out 2>err || fail "$(cat err)"
large="SELECT crate FROM point WHERE kind = 'crate' AND own_peak_bytes > 64 << 20"
functions="SELECT crate, count(*) AS n FROM point WHERE kind = 'function' GROUP BY crate"
[ "$(sql "SELECT count(*) FROM ($large)" made.sqlite)" = 4 ] || fail "crates above 64 MB: $(sql "$large" made.sqlite)"
[ "$(sql "SELECT count(*), min(n), max(n) FROM ($functions) WHERE crate IN ($large)" made.sqlite)" = "4|50|50" ] ||
	fail "functions: $(sql "$functions" made.sqlite)"
[ "$(sql "SELECT count(*) FROM ($functions)" made.sqlite)" = 4 ] || fail "functions of small crates: $(sql "$functions" made.sqlite)"
"$STAGETRACE" memory made --by crate,function --crate crate_0 --format csv --columns function,peak_bytes 2>err |
	tr -d '\r' | sed '1d; s/.*,//' | sort -rn | sed -n 50p >out
least=$(sql "SELECT min(own_peak_bytes) FROM point WHERE kind = 'function' AND crate = 'crate_0'" made.sqlite)
[ "$least" = "$(cat out)" ] || fail "not the heaviest functions: the 50th has $(cat out), the least kept one $least"
[ "$(sql "SELECT group_concat(DISTINCT kind) FROM point" made.sqlite | tr , '\n' | sort | tr '\n' ' ')" = 'build crate function part part-crate part-role phase role ' ] ||
	fail "kinds: $(sql "SELECT DISTINCT kind FROM point" made.sqlite)"

# Pages of a stranger's file may name one row hundreds of times: what it costs is bounded by the size of the file.
cp runs/history.sqlite shared.sqlite
python3 - <<'PY' || fail "the file whose pages name a row often"
import sqlite3, struct
db = sqlite3.connect("shared.sqlite")
db.execute("DELETE FROM result")
db.execute("DELETE FROM run WHERE id <> (SELECT max(id) FROM run)")
db.execute("UPDATE run SET branch = ?", ("x" * (4 << 20),))
db.commit()
db.execute("VACUUM")
size = db.execute("PRAGMA page_size").fetchone()[0]
roots = [row[0] for row in db.execute("SELECT rootpage FROM sqlite_master WHERE tbl_name = 'run'")]
db.close()
data = bytearray(open("shared.sqlite", "rb").read())
for root in roots:
    at = (root - 1) * size
    cells, start = struct.unpack(">HH", data[at + 3:at + 7])
    assert cells == 1
    cells = min((start - 8) // 2, (size - 8) // 6)
    data[at + 8:at + 8 + 2 * cells] = data[at + 8:at + 10] * cells
    data[at + 1:at + 5] = struct.pack(">HH", 0, cells)
    data[at + 7] = 0
open("shared.sqlite", "wb").write(data)
PY
if ! "$STAGETRACE" --version | has sanitizers; then
	for action in list check 'show own-peak'; do
		# shellcheck disable=SC2086 # show has an argument
		! "$STAGETRACE" history $action --db shared.sqlite >out 2>err || fail "history $action: a row without end"
		has 'the limit for its size' err || fail "history $action: $(cat err)"
	done
fi
ln -s elsewhere.sqlite link.sqlite
! "$STAGETRACE" history add other/* --db link.sqlite >out 2>err || fail "a data base is made through a link"
has 'it is a link to nothing' err || fail "link: $(cat err)"
[ ! -e elsewhere.sqlite ] || fail "a data base was made where a link leads"

# Runs of an earlier version have no values of all processes of a crate: a gate of a crate says so, and has them not as its base.
cp runs/history.sqlite old.sqlite
sql "DELETE FROM result WHERE series IN (SELECT id FROM series WHERE kind = 'part-crate')" old.sqlite
export STAGETRACE_HISTORY=$PWD/old.sqlite
# decides CODE GATE: `check` of the gate alone.
decides() {
	local want=$1 code=0

	shift
	"$STAGETRACE" history check --host machine0 --fail-if "$@" >out 2>err || code=$?
	[ "$code" = "$want" ] || fail "$*: exit code $code: $(cat err)"
}
decides 125 'crate:core.cpu > 1s'
has 'an earlier version of stagetrace has added the runs' err || fail "$(cat err)"
decides 0 'part:stage2-std.cpu > 1h'
HOST=machine0 FIRST=10 "$SRCDIR/tests/tools/make-runs.sh" "$SRCDIR/tests/data" later 30000 45000
"$STAGETRACE" history add later/*11T* >out 2>err || fail "$(cat err)"
decides 3 'crate:core.cpu > 29s'
decides 125 'crate:core.cpu > +20%'
has 'an earlier version of stagetrace has added the runs' err || fail "$(cat err)"
decides 125 'crate:nothing.cpu > +20%'
has 'nothing has this name in any of the runs' err || fail "$(cat err)"
"$STAGETRACE" history add later/*12T* >out 2>err || fail "$(cat err)"
decides 3 'crate:core.cpu > +20%'
has 'gate tripped: crate:core.cpu > +20%: 30.0 s -> 45.0 s' err || fail "$(cat err)"
unset STAGETRACE_HISTORY

# Who may only read the file and its directory reads.
if [ "$(id -u)" != 0 ]; then
	chmod 555 runs && chmod 444 runs/history.sqlite
	"$STAGETRACE" history list >out 2>err || fail "a reader: $(cat err)"
	chmod 755 runs
fi
