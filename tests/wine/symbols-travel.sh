#!/usr/bin/env bash
# A bundle that is opened on another machine: recorded by wpr with the PDBs of its build, whose directory is gone then; WPA is started
# with the PDBs of the bundle, by open.cmd and by `open`, and views have names. And PDBs from a symbol server, by WinHTTP.
. "$SRCDIR/tests/wine/lib/wine.sh"
make_etl=$(dirname "$NATIVE")/tests/tools/make-pdb-etl
[ -x "$make_etl" ] || skip "tests/tools/make-pdb-etl is not built: make tests"
# windows_path PATH: as programs of Windows have it
windows_path() { printf 'Z:%s' "${1//\//\\}"; }
export STAGETRACE_CACHE=$TESTDIR/cache

make_checkout wpr './pause.exe 1'
cat >>test.ini <<-INI
	[bundle]
	wpa-profile = $SRCDIR/profiles/rustc.wpaProfile
INI
bin=$PWD/rust/build/x86_64-pc-windows-msvc/stage1/bin
pdb=rustc_driver-d77cdc2b7c93a93b.pdb
cp "$SRCDIR/tests/data/pdb/sample.pdb" "$bin/$pdb"
# Of Windows, with another GUID.
"$SRCDIR/tests/e2e/lib/pdb_guid.py" "$bin/$pdb" 3 ntdll.pdb
"$make_etl" given.etl 1000 "$(windows_path "$bin/${pdb%.pdb}.dll")" "$pdb" "$bin/$pdb" 'C:\Windows\System32\ntdll.dll' ntdll.pdb ntdll.pdb ||
	fail "no trace"
STANDIN_TRACE=$(windows_path "$PWD/given.etl") "$STAGETRACE" record test.ini >out 2>err || fail "$(cat err)"
run=$(the_run runs)
has '1 PDB is kept in the run, ' err || fail "$(cat err)"
cmp "$bin/$pdb" "$run/symbols/pdb/$pdb"/*/"$pdb" || fail "not the PDB: $(find "$run/symbols")"

# A run without it gets it when it is packed.
STANDIN_TRACE=$(windows_path "$PWD/given.etl") "$STAGETRACE" record test.ini --no-bundle --set run.output=bare --set bundle.symbols=used >out 2>err ||
	fail "$(cat err)"
bare=$(the_run bare)
[ ! -e "$bare/symbols/pdb" ] || fail "a PDB that nobody asked for"
"$STAGETRACE" bundle "$bare" --symbols build -o late.zip >out 2>err || fail "$(cat err)"
has 'note: 1 PDB is packed that the run has not, ' err && unzip -p late.zip "*/$pdb" | cmp - "$bin/$pdb" || fail "not in the bundle: $(cat err)"
[ ! -e "$bare/symbols/pdb" ] || fail "the run was changed"

# The other machine has the bundle alone.
mkdir 'eine andere & Maschine'
unzip -q "$run.zip" -d 'eine andere & Maschine'
rm -rf rust runs
other=$PWD/eine\ andere\ \&\ Maschine/${run##*/}
# check_call [ARGUMENT]: how WPA was started, with the last argument
check_call() {
	python3 - "$STANDIN_LOG" "$(windows_path "$other")" "$other" "$pdb" "$@" <<'PY'
import glob, json, sys
log, windows, unix, pdb, *last = sys.argv[1:]
call = [json.loads(line) for line in open(log)][-1]
assert call["tool"] == "wpa" and call["code"] == "0x00000000", call
assert call["argv"] == ["-i", windows + "\\trace.etl", "-profile", windows + "\\rustc.wpaProfile", *last], call
path = call["env"]["_NT_SYMBOL_PATH"].split(";")
assert path[:2] == ["srv*" + windows + "\\symbols\\pdb", windows + "\\symbols"], path
assert call["env"]["_NT_SYMCACHE_PATH"] == windows + "\\symbols\\symcache*C:\\SymCache", call
# Where symbol servers and stores have it: NAME/GUIDAGE/NAME below the first directory.
store = path[0][len("srv*"):].replace(windows, unix).replace("\\", "/")
assert len(glob.glob(glob.escape(store) + f"/{pdb}/*/{pdb}")) == 1, store
PY
}
rm -f "$STANDIN_LOG"
(unset TMPDIR; WPT_PATH=$(windows_path "$STANDINS") exec wine "$(windows_path "$other/open.cmd")") >out 2>err || fail "open.cmd: $(cat out err)"
wait_for test -s "$STANDIN_LOG"
check_call -symbols
rm "$STANDIN_LOG"
STAGETRACE_WPA=$(windows_path "$STANDINS/wpa.exe") "$STAGETRACE" open "$other" >out 2>err || fail "open: $(cat err)"
wait_for test -s "$STANDIN_LOG"
check_call -symbols
# One that refuses -symbols, as its file's version says.
rm "$STANDIN_LOG"
STANDIN_WPA_VERSION=10.0.10586.0 STAGETRACE_WPA=$(windows_path "$WINDOWS/tests/tools/wpt/wpa-old.exe") "$STAGETRACE" open "$other" >out 2>err ||
	fail "open: $(cat err)"
wait_for test -s "$STANDIN_LOG"
check_call

# Both systems have names of the compiler there, from the store of the run; of ntdll.dll there is no PDB.
for program in "$STAGETRACE" "$NATIVE"; do
	store=$other/symbols/pdb
	[ "$program" = "$NATIVE" ] || store=$(windows_path "$store")
	_NT_SYMBOL_PATH="srv*$store" "$program" cpu "$other/trace.etl" --by function --format csv --columns module,function >functions 2>err ||
		fail "$(cat err)"
	has "^${pdb%.pdb}.dll,leaf_public" functions && has '^ntdll.dll,ntdll.dll!0x' functions || fail "$program: $(cat functions err)"
done

# What is missing from a server.
symbol_id=$("$NATIVE" symbols given.etl -q --format csv --columns module,symbol_id | tr -d '\r' | sed -n "s/^${pdb%.pdb}.dll,//p")
touch log
name=$pdb/$symbol_id/$pdb sample=$SRCDIR/tests/data/pdb/sample.pdb
ID=$("$SRCDIR/tests/e2e/lib/pdb_guid.py" "$sample") \
	"$SRCDIR/tests/e2e/lib/symbol-server.py" port log "$name=$sample" &
server=$!
trap 'kill $server 2>/dev/null' EXIT
wait_for test -s port
host=http://127.0.0.1:$(cat port)
fetch() {
	local mode=$1
	shift
	STAGETRACE_CACHE=$TESTDIR/cache-$mode "$STAGETRACE" symbols given.etl --format csv --columns module,names --fetch "$host/$mode" "$@" >rows 2>err ||
		fail "$mode: $(cat err)"
}
for mode in good away cut norange mszip stored lzx mszip-then-cut cabinet; do
	fetch $mode
	cmp "$sample" "$TESTDIR/cache-$mode/symbols/$name" && has "^${pdb%.pdb}.dll,partly" rows || fail "$mode: $(cat rows err log)"
done
[ "$(grep -c "^/cut/$name bytes=" log)" = 2 ] || fail "it does not go on: $(cat log)"
refused() {
	fetch "$1" "${@:3}"
	[ ! -e "$TESTDIR/cache-$1/symbols/$name" ] || fail "$1: it is used"
	has "cannot fetch $pdb: $host: $2" err || fail "$1: $(cat err)"
}
refused other 'its GUID and age are others: '
refused endless 'it is longer than its first page says'
# Cabinets, by cabinet.dll.
refused cab-of-others 'its GUID and age are others: '
refused cab-of-text 'it is not a PDB'
refused cab-of-two 'it is a cabinet of 2 files'
refused cab-damaged 'it is a damaged cabinet'
refused cab-of-less 'it is a damaged cabinet'
refused cab-short 'it is a damaged cabinet'
# Wine asks the same server for the path of a file: URL.
fetch local
[ ! -e "$TESTDIR/cache-local/symbols/$name" ] || fail "a file of this machine, by a redirection"
refused silent 'no answer, or less than 10 KB in 1 s; nothing more is asked' --fetch-timeout 1
nothing_left
