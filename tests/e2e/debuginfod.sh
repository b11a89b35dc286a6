#!/usr/bin/env bash
# --debuginfod fetches the debug files of stripped programs from a server, and only then; bad answers are refused and said.
# kind: waits
. "$SRCDIR/tests/e2e/lib/lib.sh"
perf_works
for program in cc objcopy strip readelf python3; do
	command -v "$program" >/dev/null || skip "$program is not installed"
done
python3 -c 'import ctypes; ctypes.CDLL("libdebuginfod.so.1")' 2>/dev/null || skip "libdebuginfod.so.1 is not installed"

cat >spinner.c <<'C'
static volatile unsigned sum;
static inline __attribute__((always_inline)) void is_inlined(unsigned i)
{
	for (unsigned j = 0; j < 1000; j++)
		sum += i ^ j;
}
static __attribute__((noinline)) void spins_here(void)
{
	for (unsigned i = 0; i < 200000; i++)
		is_inlined(i);
}
int main(void)
{
	spins_here();
	return 0;
}
C
cc -O1 -g -Wl,--build-id=sha1 -o spinner spinner.c || fail "spinner.c"
id=$(readelf -n spinner | sed -n 's/.*Build ID: //p')
objcopy --only-keep-debug spinner spinner.debug
cp spinner spinner.all
strip spinner
"$STAGETRACE" record --out "$TESTDIR/runs" --set record.min-free-disk=64MB --set record.buffers=16 --no-bundle -- ./spinner >out 2>err ||
	fail "$(cat err)"
run=$(the_run "$TESTDIR/runs")

touch log
"$SRCDIR/tests/e2e/lib/debug-server.py" spinner.debug "$id" port log &
server=$!
trap 'kill $server 2>/dev/null' EXIT
wait_for test -s port
host=http://127.0.0.1:$(cat port)

# view MODE TRACE [ARGUMENT...]: its functions, with the server in that mode; each mode has a cache of its own.
view() {
	local mode=$1 trace=$2
	shift 2
	DEBUGINFOD_URLS=$host/$mode DEBUGINFOD_CACHE_PATH=$TESTDIR/cache-$mode "$STAGETRACE" cpu "$trace" --by function --process spinner \
		--format csv --columns module,function "$@" >functions 2>err || fail "$mode: $(cat err)"
}

# Nothing is asked without the option, whatever the environment.
view good "$run/trace.perf.data"
has '^spinner,spinner!0x' functions || fail "not stripped: $(cat functions)"
[ ! -s log ] && [ ! -e cache-good ] || fail "asked without the option: $(cat log)"

view good "$run/trace.perf.data" --debuginfod
has '^spinner,spins_here' functions || fail "no name: $(cat functions err log)"
! has '^spinner,is_inlined' functions || fail "an inlined function without --inlines: $(cat functions)"
! has "warning: " err || fail "a warning: $(cat err)"
[ "$(grep -c "^/good/buildid/$id/debuginfo$" log)" = 1 ] || fail "not asked once: $(cat log)"
cmp spinner.debug "cache-good/$id/debuginfo" || fail "not in the cache"
# What is there is not asked for again: of a run, by its names, and of a file that has them.
view good "$run" --debuginfod
has '^spinner,spins_here' functions || fail "no name in the run: $(cat functions err log)"
[ "$(grep -c "^/good/buildid/$id/debuginfo$" log)" = 1 ] || fail "asked again: $(cat log)"
cp spinner.all spinner
view none "$run/trace.perf.data" --debuginfod --inlines
has '^spinner,is_inlined' functions || fail "no inlined function: $(cat functions err)"
! has "^/none/buildid/$id" log || fail "asked for a file that is there: $(cat log)"
# Names alone: lines are fetched for a view that shows them.
strip -g spinner
view named "$run/trace.perf.data" --debuginfod
! has "^/named/buildid/$id" log || fail "asked for names that are there: $(cat log)"
view good "$run/trace.perf.data" --debuginfod --inlines
has '^spinner,is_inlined' functions || fail "no inlined function: $(cat functions err)"
strip spinner

# Flame graphs and folded text too, from the cache.
DEBUGINFOD_URLS=$host/good DEBUGINFOD_CACHE_PATH=$TESTDIR/cache-good "$STAGETRACE" export "$run/trace.perf.data" --debuginfod --process spinner \
	--format folded >stacks 2>err || fail "export: $(cat err)"
has "spins_here" stacks || fail "no name in folded text: $(cat stacks)"

# A terminal shows how far that is, in a line that goes away.
DEBUGINFOD_URLS=$host/steady DEBUGINFOD_CACHE_PATH=$TESTDIR/cache-steady "$SRCDIR/tests/tools/on-terminal.py" "$STAGETRACE" cpu \
	"$run/trace.perf.data" --debuginfod --by function --process spinner >raw || fail "on a terminal: $(cat raw)"
tr '\r' '\n' <raw >shown
has 'spins_here' shown && has "^.\[Kfetching debug files: [1-9][0-9]* %" shown || fail "nothing is shown: $(cat -v shown)"
! has "fetching.*\(stagetrace: \|spinner\)" shown || fail "text follows in the line: $(cat -v shown)"

# refused MODE WARNING [SECONDS]: such an answer is not used, and the view is as without it; one line says so.
refused() {
	SECONDS=0
	DEBUGINFOD_TIMEOUT=${3:-60} view "$1" "$run/trace.perf.data" --debuginfod
	[ $SECONDS -lt 20 ] || fail "$1: took $SECONDS s"
	has '^spinner,spinner!0x' functions && ! has 'spins_here' functions || fail "$1: the file was used: $(cat functions)"
	[ "$(grep -c "$2" err)" = 1 ] || fail "$1: $(cat err)"
}
from="warning: no debug file of '$PWD/spinner' from $host"
refused other "$from: its build id is another; remove '$PWD/cache-other/$id/debuginfo' to ask for it again$"
refused cut "$from: it is truncated; remove "
refused text "$from: it is not an ELF file; remove "
refused broken "$from: it was not sent to its end$"
refused none "note: $host has no debug files of [0-9]* modules* (.*spinner"
refused silent "from $host: no answer for 1 s (DEBUGINFOD_TIMEOUT); nothing more is asked$" 1
refused slow "$from: less than 100 KB a second for 1 s (DEBUGINFOD_TIMEOUT); nothing more is asked$" 1
# A file of 64 MB, in 64 KB: ulimit stands for the limit of 4 GB.
(
	ulimit -f 8192
	refused bomb "$from: it cannot be written into libdebuginfod's cache, or is larger than 4096 MB$"
)
[ -z "$(find cache-bomb -size +0 -name 'debuginfo*')" ] || fail "the bomb is left: $(find cache-bomb)"
# Nobody there, and a password that is not shown.
host=http://me:secret@127.0.0.1:1
refused gone "from http://127.0.0.1:1: .*; nothing more is asked$"
! has secret err || fail "the password is shown: $(cat err)"

# usage CODE WHAT: without that it cannot be done, and the message says what is missing.
usage() {
	local rc=0
	"$STAGETRACE" cpu "$run" --debuginfod >out 2>err || rc=$?
	[ $rc = "$1" ] && has -e "$2" err || fail "exit code $rc: $(cat err)"
}
unset DEBUGINFOD_URLS
usage 2 "--debuginfod: DEBUGINFOD_URLS has to name the servers"
mkdir libraries
echo >libraries/libdebuginfod.so.1
DEBUGINFOD_URLS=$host LD_LIBRARY_PATH=$PWD/libraries usage 1 "--debuginfod: there is no libdebuginfod.so.1 (Debian: the package libdebuginfod1)"
nothing_left
