#!/usr/bin/env bash
# `symbols --fetch` gets the PDBs of a trace from a symbol server, and only then; a cut answer goes on where it ended, and bad ones are
# refused and said.
# kind: waits
. "$SRCDIR/tests/e2e/lib/lib.sh"
make_etl=$(dirname "$STAGETRACE")/tests/tools/make-pdb-etl
[ -x "$make_etl" ] || skip "tests/tools/make-pdb-etl is not built: make tests"
python3 -c 'import ctypes; ctypes.CDLL("libcurl.so.4")' 2>/dev/null || python3 -c 'import ctypes; ctypes.CDLL("libcurl-gnutls.so.4")' 2>/dev/null ||
	skip "libcurl is not installed"

pdb=$SRCDIR/tests/data/pdb/sample.pdb
"$make_etl" trace.etl 1000 'C:\b\rustc driver.dll' 'C:\b\rustc driver.pdb' "$pdb" || fail "no trace"
symbol_id=$("$STAGETRACE" symbols trace.etl -q --format csv --columns symbol_id | tail -n 1 | tr -d '\r')
name="rustc%20driver.pdb/$symbol_id/rustc%20driver.pdb"
cached="symbols/rustc driver.pdb/$symbol_id/rustc driver.pdb"
ID=$("$SRCDIR/tests/e2e/lib/pdb_guid.py" "$pdb")
export ID
unset _NT_SYMBOL_PATH DEBUGINFOD_URLS
export STAGETRACE_CACHE=$TESTDIR/cache
touch log
"$SRCDIR/tests/e2e/lib/symbol-server.py" port log "$name=$pdb" &
server=$!
trap 'kill $server 2>/dev/null' EXIT
wait_for test -s port
host=http://127.0.0.1:$(cat port)

# fetch MODE [ARGUMENT...]: what `symbols` shows then; each mode has a cache of its own.
fetch() {
	local mode=$1
	shift
	SECONDS=0
	STAGETRACE_CACHE=$TESTDIR/cache-$mode "$STAGETRACE" symbols trace.etl --format csv --columns names,reason,from --fetch "$host/$mode" "$@" \
		>rows 2>err || fail "$mode: $(cat err)"
	[ $SECONDS -lt 20 ] || fail "$mode: took $SECONDS s"
}
got() { cmp "$pdb" "$TESTDIR/cache-$1/$cached" && has "^partly,gaps,.*/cache-$1/symbols/rustc driver.pdb" rows || fail "$1: $(cat rows err log)"; }
asked() { grep -c "^/$1/$name ${2:-}" log || true; }
parts() { find "$TESTDIR/cache-$1" -name '*.part' | wc -l; }

# Nothing is asked without the option.
STAGETRACE_CACHE=$TESTDIR/cache-good "$STAGETRACE" symbols trace.etl >rows 2>err || fail "$(cat err)"
has 'no PDB found' rows && [ ! -s log ] && [ ! -e "$TESTDIR/cache-good" ] || fail "asked without the option: $(cat log rows)"

fetch good
got good
has "^stagetrace: note: fetched rustc driver.pdb from $host$" err || fail "$(cat err)"
# What was missing before is not said, as the rows say what still is.
! has 'no PDB was found' err || fail "$(cat err)"
[ "$(asked good)" = 1 ] && [ "$(parts good)" = 0 ] || fail "$(cat log)"
# All later views have it, and it is not asked for again.
fetch good
has 'no file is missing' err && [ "$(asked good)" = 1 ] || fail "$(cat err log)"
STAGETRACE_CACHE=$TESTDIR/cache-good "$STAGETRACE" cpu trace.etl --by function >rows 2>err || fail "$(cat err)"
has 'leaf_public' rows || fail "no names: $(cat rows)"
# A damaged file there is fetched again.
head -c 5000 "$pdb" >"$TESTDIR/cache-good/$cached"
fetch good
got good

# By redirections; a cut answer goes on, at once or in the next command, and not with another part.
fetch away
got away
fetch cut
got cut
[ "$(asked cut 'bytes=')" = 2 ] && [ "$(asked cut)" = 3 ] || fail "it does not go on: $(cat log)"
fetch norange
got norange
fetch once
has "cannot fetch rustc driver.pdb: $host: it was not sent to its end$" err && [ "$(parts once)" = 1 ] || fail "$(cat err)"
part=$(find "$TESTDIR/cache-once" -name '*.part')
size=$(stat -c %s "$part")
mkdir -p "$TESTDIR/cache-good2/${cached%/*}"
rm "$TESTDIR/cache-good/$cached"
cp "$part" "$TESTDIR/cache-good/${cached%/*}"
fetch good
got good
[ "$(asked good "bytes=$size-")" = 1 ] || fail "it does not go on where it was: $(cat log)"
# A part that is of another file does not stay: all of it is fetched once more.
rm "$TESTDIR/cache-good/$cached"
head -c 30000 /dev/zero >"$TESTDIR/cache-good/${cached%/*}/${part##*/}"
fetch good
got good
rm "$TESTDIR/cache-good/$cached"
head -c 3000000 /dev/zero >"$TESTDIR/cache-good/${cached%/*}/${part##*/}"
fetch good
got good

# refused MODE WARNING [TIMEOUT]: there is no file then, and one line says why.
refused() {
	fetch "$1" --fetch-timeout "${3:-30}"
	has '^none,no-pdb,' rows && [ ! -e "$TESTDIR/cache-$1/$cached" ] || fail "$1: it is used: $(cat rows)"
	[ "$(grep -c -- "$2" err)" = 1 ] || fail "$1: $(cat err)"
}
from="stagetrace: warning: cannot fetch rustc driver.pdb: $host: "
refused other "^${from}its GUID and age are others: "
refused short "^${from}it is truncated$"
refused text "^${from}it is not a PDB$"
refused net "^${from}it is a PDB of .NET, which is not read$"
refused net-short "^${from}a PDB of .NET, which is not read$"
refused old "^${from}it is a PDB of before 2002 (MSF 2.00), which is not read$"
refused old-short "^${from}a PDB of before 2002 (MSF 2.00), which is not read$"
refused none "^stagetrace: note: the servers have no file of 1 module$"
# All requests have one connection. A header may begin with what continues one that is not there.
refused kept "^stagetrace: note: the servers have no file of 1 module$"
grep '^/kept/' log | awk '{ print $NF }' | sort | uniq -c >connections
[ "$(wc -l <connections)" = 1 ] && [ "$(awk '{ print $1 }' connections)" -gt 1 ] || fail "it connects anew: $(cat connections)"
refused folded "^stagetrace: note: the servers have no file of 1 module$"
refused huge "^${from}it is larger than 4096 MB: "
refused endless "^${from}it is longer than its first page says$"
refused grown "^${from}it is longer than its first page says$"
refused shifted "^${from}it answers with another part than was asked for$"
refused around "^${from}.*; nothing more is asked$"
refused local "^${from}.*; nothing more is asked$"
refused denied "^${from}it answers with status 403$"
refused silent "^${from}no answer, or less than 10 KB in 1 s; nothing more is asked$" 1
refused slow "^${from}no answer, or less than 10 KB in 1 s; nothing more is asked$" 1
for mode in other short text net net-short old old-short huge endless grown denied; do
	[ ! -e "$TESTDIR/cache-$mode" ] || [ "$(parts "$mode")" = 0 ] || fail "$mode leaves a part"
done

# Where others can write, links that they made are not followed, and a FIFO is not waited for.
# planted WHAT REST: nothing is fetched into its cache; REST is the end of the warning.
planted() {
	local warning="^stagetrace: warning: cannot fetch rustc driver.pdb: .*cannot [a-z ]* '$TESTDIR/cache-$1/symbols/rustc driver.pdb.*': it is $2$"
	STAGETRACE_CACHE=$TESTDIR/cache-$1 timeout 20 "$STAGETRACE" symbols trace.etl --format csv --columns names --fetch "$host/good" >rows 2>err ||
		fail "$1: $(cat err)"
	has '^none' rows && has "$warning" err || fail "$1: $(cat rows err)"
	[ "$(cat mine)" = 'not theirs' ] && [ ! -e new ] && [ -z "$(ls mine-too)" ] || fail "$1: written through it"
}
# begin_planted WHAT: makes its directory, and sets `planted_part` to what is written first.
begin_planted() {
	mkdir -p "$TESTDIR/cache-$1/${cached%/*}"
	planted_part=$TESTDIR/cache-$1/${cached%/*}/${part##*/}
}
echo 'not theirs' >mine
mkdir mine-too
begin_planted link
ln -s "$PWD/mine" "$planted_part"
planted link 'a link, or below one'
begin_planted new-link
ln -s "$PWD/new" "$planted_part"
planted new-link 'a link, or below one'
begin_planted fifo
mkfifo "$planted_part"
planted fifo 'not a regular file'
begin_planted named-fifo
mkfifo "$TESTDIR/cache-named-fifo/$cached"
planted named-fifo 'not a regular file'
mkdir -p "$TESTDIR/cache-dir/symbols"
ln -s "$PWD/mine-too" "$TESTDIR/cache-dir/symbols/rustc driver.pdb"
planted dir 'a link, or below one'

# A compressed PDB is asked for where there is no other, and unpacked; or it is what the server has under the usual name.
if python3 -c 'import ctypes; ctypes.CDLL("libmspack.so.0")' 2>/dev/null; then
	for mode in mszip stored lzx mszip-then-cut cabinet; do
		fetch $mode
		got $mode
		[ "$(find "$TESTDIR/cache-$mode" -type f ! -name '.*')" = "$TESTDIR/cache-$mode/$cached" ] || fail "$mode leaves: $(find "$TESTDIR/cache-$mode")"
	done
	[ "$(grep -c '^/mszip/' log)" = 2 ] && [ "$(grep -c '^/mszip-then-cut/.*_ bytes=' log)" = 2 ] || fail "$(cat log)"
	refused cab-of-others "^${from}its GUID and age are others: "
	refused cab-of-text "^${from}it is not a PDB$"
	refused cab-of-cab "^${from}not a PDB$"
	refused cab-of-net "^${from}it is a PDB of .NET, which is not read$"
	refused cab-of-two "^${from}it is a cabinet of 2 files$"
	refused cab-of-none "^${from}it is a cabinet of 0 files$"
	refused cab-of-set "^${from}it is a part of a set of cabinets$"
	refused cab-spoiled "^${from}it is a damaged cabinet: a sum of it is wrong$"
	refused cab-damaged "^${from}it is a damaged cabinet$"
	refused cab-of-more "^${from}it is truncated$"
	refused cab-of-less "^${from}it is a damaged cabinet$"
	refused cab-of-much "^${from}it "
	refused cab-short "^${from}it is a damaged cabinet$"
	refused mszip-then-endless "^${from}it is longer than its first bytes say$"
	refused cab-text "^${from}it is not a cabinet$"
	[ -z "$(find "$TESTDIR"/cache-cab-* "$TESTDIR/cache-mszip-then-endless" -name '*.part')" ] || fail "a part is left: $(find "$TESTDIR"/cache-cab-* -type f)"
	mkdir without
	rm -r "$TESTDIR/cache-stored"
	echo >without/libmspack.so.0
	LD_LIBRARY_PATH=$PWD/without refused stored "^${from}it has the PDB in compressed form alone: there is no libmspack, which unpacks cabinets (Debian: "
fi

# Nobody there, and a password that is not shown.
host=http://me:secret@127.0.0.1:1
refused gone "cannot fetch rustc driver.pdb: http://127.0.0.1:1: .*; nothing more is asked$"
! has secret err || fail "the password is shown: $(cat err)"
host=http://127.0.0.1:$(cat port)

# interrupted MODE [OPTION...]: an interrupt while the server is silent ends the command, without a table.
interrupted() {
	local mode=$1 rc=0
	shift
	STAGETRACE_CACHE=$TESTDIR/cache-$mode "$STAGETRACE" symbols trace.etl --fetch "$host/$mode" --fetch-timeout 3600 "$@" >rows 2>err &
	local pid=$!
	wait_for eval "grep -q '^/$mode/' log"
	kill -TERM $pid
	wait $pid || rc=$?
	[ $rc = 1 ] && [ ! -s rows ] && has '^stagetrace: --fetch: interrupted by the user$' err || fail "exit code $rc: $(cat rows err)"
}
interrupted silent-1
interrupted silent-2 -q

# Servers as a symbol path names them, with a directory for the files; the next views find it by the same variable.
"$STAGETRACE" symbols trace.etl --format csv --columns names --fetch "srv*$PWD/store*$host/good" >rows 2>err || fail "$(cat err)"
cmp "$pdb" "store/rustc driver.pdb/$symbol_id/rustc driver.pdb" && has '^partly' rows || fail "$(cat rows err)"
export _NT_SYMBOL_PATH="cache*$PWD/store2;srv*$host/none;srv*$host/good"
"$STAGETRACE" symbols trace.etl --format csv --columns names --fetch >rows 2>err || fail "$(cat err)"
cmp "$pdb" "store2/rustc driver.pdb/$symbol_id/rustc driver.pdb" && has '^partly' rows || fail "$(cat rows err)"
# A store with no server behind it may be another's: it is read, and the files go into the first cache, or the own one.
mkdir team
for cache in "cache*$PWD/store5" "srv*$PWD/store5*$host/none" ''; do
	export _NT_SYMBOL_PATH="srv*$PWD/team;$cache;srv*$host/good*$PWD/team"
	STAGETRACE_CACHE=$TESTDIR/cache-own "$STAGETRACE" symbols trace.etl --format csv --columns names --fetch >rows 2>err || fail "$(cat err)"
	[ -z "$(ls team)" ] || fail "the store is written to: $(find team)"
	place=$TESTDIR/cache-own/$cached
	[ -z "$cache" ] || place=store5/${cached#*/}
	cmp "$pdb" "$place" && has '^partly' rows || fail "$cache: $(cat rows err)"
	rm -rf store5
done
unset _NT_SYMBOL_PATH
# A bad server does not hide the next one.
for mode in other text huge cab-text denied silent; do
	rm -rf store3
	"$STAGETRACE" symbols trace.etl --format csv --columns names --fetch-timeout 1 --fetch "srv*$PWD/store3*$host/$mode*$host/good" >rows 2>err ||
		fail "$mode: $(cat err)"
	cmp "$pdb" "store3/rustc driver.pdb/$symbol_id/rustc driver.pdb" && has '^partly' rows || fail "$mode, good: $(cat rows err)"
done
# The error is that of the server that has something, and the one that does not answer is not the end.
"$STAGETRACE" symbols trace.etl --fetch "srv*$PWD/store4*http://127.0.0.1:1*$host/none*$host/text*$host/none" >rows 2>err || fail "$(cat err)"
has "^${from}it is not a PDB$" err || fail "$(cat err)"
"$STAGETRACE" symbols trace.etl --fetch "srv*$PWD/store4*http://127.0.0.1:1*$host/none" >rows 2>err || fail "$(cat err)"
has "cannot fetch rustc driver.pdb: http://127.0.0.1:1: " err && ! has 'nothing more' err || fail "$(cat err)"

# An answer without a length does not fill the disk.
if [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=24m none small 2>/dev/null; then
	trap 'kill $server 2>/dev/null; umount "$TESTDIR/small"' EXIT
	"$STAGETRACE" symbols trace.etl --fetch "srv*$PWD/small*$host/unsaid" >rows 2>err || fail "$(cat err)"
	has "^${from}it does not say how long it is, '$PWD/small' has [0-9]* MB left; nothing more is asked$" err || fail "$(cat err)"
	[ -z "$(find small -name '*.part')" ] || fail "it stays: $(find small -type f)"
	# What was fetched before the disk was full stays.
	"$STAGETRACE" symbols trace.etl --fetch "srv*$PWD/small*$host/once" >rows 2>err || fail "$(cat err)"
	part=$(find small -name '*.part') size=$(stat -c %s "$part")
	head -c 24M /dev/zero >small/filled 2>/dev/null && fail "there is room"
	"$STAGETRACE" symbols trace.etl --fetch "srv*$PWD/small*$host/good" >rows 2>err || fail "$(cat err)"
	has "^${from}it takes 0 MB, '$PWD/small' has 0 MB" err && [ "$(stat -c %s "$part")" = "$size" ] || fail "$(ls -l "$part") $(cat err)"
fi

# usage CODE WHAT SERVER
usage() {
	local rc=0
	STAGETRACE_CACHE=$TESTDIR/unused "$STAGETRACE" symbols trace.etl --fetch="$3" >out 2>err || rc=$?
	[ $rc = "$1" ] && has -e "$2" err || fail "exit code $rc: $(cat err)"
	[ ! -e "$TESTDIR/unused" ] || fail "a cache for nothing"
}
usage 2 "--fetch: takes the URL of a server, or srv\*DIR\*URL, not 'C:.Symbols'" 'C:\Symbols'
usage 1 "is no server of HTTP" 'srv*\\server\share'
usage 2 "'store\*' is not known" 'store*http://x'
mkdir libraries
for library in libcurl.so.4 libcurl-gnutls.so.4 libcurl-nss.so.4; do echo >libraries/$library; done
LD_LIBRARY_PATH=$PWD/libraries usage 1 "--fetch: there is no libcurl (Debian: the package libcurl4" "$host/good"
nothing_left
