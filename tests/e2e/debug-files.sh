#!/usr/bin/env bash
# [bundle] symbols on Linux: debug files are in the run by build id, and views use them when the program is gone.
. "$SRCDIR/tests/e2e/lib/lib.sh"
export STAGETRACE_CACHE=$TESTDIR/cache
perf_works
for program in cc objcopy strip readelf python3; do
	command -v "$program" >/dev/null || skip "$program is not installed"
done

# Its stack copies, of many page faults, do not compress.
cat >spinner.c <<'C'
#include <stdlib.h>
static volatile unsigned sum;
static __attribute__((noinline)) void spins_here(void)
{
	volatile unsigned noise[15000];
	unsigned x = 1;

	for (unsigned i = 0; i < 15000; i++)
		noise[i] = x = x * 1664525 + 1013904223;
	for (unsigned i = 0; i < 200; i++) {
		volatile char *big = malloc(1 << 20);

		for (unsigned at = 0; at < 1 << 20; at += 4096)
			big[at] = 1;
	}
	for (unsigned i = 0; i < 100000000; i++)
		sum += i + noise[i % 15000];
}
int main(void)
{
	spins_here();
	return 0;
}
C
cc -O1 -g -Wl,--build-id=sha1 -o spinner spinner.c || fail "spinner.c"
id=$(readelf -n spinner | sed -n 's/.*Build ID: //p')
file=symbols/.build-id/${id:0:2}/${id:2}.debug
record() {
	rm -rf runs
	"$STAGETRACE" record --out "$TESTDIR/runs" --set record.min-free-disk=64MB --set record.buffers=16 "$@" -- ./spinner >out 2>err ||
		fail "$(cat err)"
	run=$(the_run "$TESTDIR/runs")
}
# Names are enough for views here, so a run has no more by default.
record --no-bundle
[ ! -e "$run/symbols/.build-id" ] || fail "debug files that nobody asked for: $(find "$run")"
"$STAGETRACE" bundle "$run" --symbols build -o late.zip >out 2>err || fail "$(cat err)"
[ "$(unzip -Z1 late.zip | grep -c '[.]debug$')" = 1 ] && unzip -p late.zip "*/$file" | cmp - spinner || fail "not in the bundle: $(cat err)"
# Stack copies, which are gone in the end, take no room.
record --set bundle.symbols=build --set bundle.max-size=1MB
cmp spinner "$run/$file" || fail "no debug file: $(cat err)"
[ "$(find "$run" -name '*.debug' | wc -l)" = 1 ] || fail "files of others: $(find "$run" -name '*.debug')"
has 'stagetrace: 1 debug file is kept in the run, ' err || fail "$(cat err)"
unzip -l "$run.zip" | has "/$file$" || fail "not in the bundle"

# Without the names that were kept, and without the program.
mv spinner gone
rm "$run/symbols/functions.txt" "$run/symbols/lines.txt"
functions() { "$STAGETRACE" cpu "$run" --by function --process spinner --format csv --columns module,function >functions 2>err || fail "$(cat err)"; }
functions
has '^spinner,spins_here' functions || fail "no name: $(cat functions err)"
"$STAGETRACE" symbols "$run" --process spinner --format csv --columns module,from | has '^spinner,run' || fail "not from the run"
# Another one with that name, one that is cut, and one without code, whose offsets are not those of the program, are not used.
cp "$run/$file" whole
refused() {
	functions
	! has '^spinner,spins_here' functions || fail "$1: used"
}
cc -O1 -g -Wl,--build-id=sha1 -DOTHER -o other spinner.c -Wl,--build-id=0x"$(tr '0-9a-f' '1-9a-f0' <<<"$id")" && cp other "$run/$file"
refused "another build id"
# It does not spoil the right one of this machine.
mv gone spinner
"$STAGETRACE" symbols "$run" --process spinner --format csv --columns path,names,reason,from >modules 2>err || fail "$(cat err)"
has "/spinner,all,,$PWD/spinner" modules || fail "the program is not used, or blamed: $(cat modules err)"
"$STAGETRACE" cpu "$run" --by function --inlines --process spinner --format csv --columns function,source >functions 2>err || fail "$(cat err)"
has '^spins_here,.*spinner.c:[0-9]' functions || fail "no lines: $(cat functions err)"
mv spinner gone
objcopy --only-keep-debug whole "$run/$file"
refused "no code"
head -c 3000 whole >"$run/$file"
refused "cut"
# No link is followed out of a run.
ln -sf "$PWD/whole" "$run/$file"
refused "a link"

# A stripped program that is here: its debug file from a debuginfod server, in the cache of all views.
mv gone spinner
strip spinner
objcopy --only-keep-debug whole debug
cp "$run/trace.perf.data" perf.data
touch log
"$SRCDIR/tests/e2e/lib/symbol-server.py" port log "buildid/$id/debuginfo=debug" &
server=$!
trap 'kill $server 2>/dev/null' EXIT
wait_for test -s port
"$STAGETRACE" symbols perf.data --process spinner --format csv --columns module,from --fetch "http://127.0.0.1:$(cat port)/good" >modules 2>err ||
	fail "$(cat err)"
has "^spinner,$STAGETRACE_CACHE/symbols/.build-id/${id:0:2}/${id:2}.debug" modules && has 'fetched debug file of spinner from' err || fail "$(cat modules err log)"
"$STAGETRACE" cpu perf.data --by function --process spinner --format csv --columns module,function >functions 2>err || fail "$(cat err)"
has '^spinner,spins_here' functions || fail "no name from the cache: $(cat functions err)"
rm "$run/$file"
functions
has '^spinner,spins_here' functions || fail "no name from the cache for a run: $(cat functions err)"
nothing_left
