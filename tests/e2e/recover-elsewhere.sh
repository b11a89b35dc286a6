#!/usr/bin/env bash
# Where the recorded programs are missing, `recover` cannot unwind stack copies: it keeps them, and says so. `bundle` says it too.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
perf_works
command -v gcc >/dev/null || skip "gcc is not installed"

cat >deep.c <<'C'
static volatile long sum;
__attribute__((noinline)) static void spin(void) { for (long i = 0; i < 200000000; i++) sum += i; }
__attribute__((noinline)) static void middle(void) { spin(); sum++; }
__attribute__((noinline)) static void outer(void) { middle(); sum++; }
int main(void) { outer(); return 0; }
C
gcc -O1 -fomit-frame-pointer -o deep deep.c
make_checkout perf "$PWD/deep"
"$STAGETRACE" record --no-bundle --set record.keep-stack-copies=yes --set record.cpu-stacks=dwarf test.ini >out 2>err || fail "$(cat err)"
run=$(the_run runs)
! grep -q 'stack copies end early' err || fail "a complete recording: $(cat err)"

# interrupted DIRECTORY: the run as it was before its end
interrupted() {
	cp -a "$run" "$1.partial"
	mv "$1.partial/trace.stack-copies.perf.data" "$1.partial/trace.perf.data"
	rm -r "$1.partial/symbols"
	sed -i 's/^keep-stack-copies.*/keep-stack-copies = no/' "$1.partial/config.ini"
	sed -i 's/^  "state": "done"/  "state": "collecting"/' "$1.partial/manifest.json"
}

# has_callers RUN-OR-TRACE: the stacks of spin() are whole
has_callers() { "$STAGETRACE" export --metric cpu "$1" 2>export.err | has 'main;outer;middle;spin '; }

interrupted here
"$STAGETRACE" recover here.partial >out 2>err || fail "$(cat err)"
[ ! -e here/trace.stack-copies.perf.data ] || fail "the copies are kept: $(cat err)"
has_callers here || fail "no callers: $(cat export.err)"

interrupted elsewhere
mv deep deep.away
"$STAGETRACE" recover elsewhere.partial >out 2>err || fail "$(cat err)"
[ "$(grep -c "stack copies end early.*'$PWD/deep'" err)" = 1 ] || fail "not one warning: $(cat err)"
manifest elsewhere .stack_warnings | has 'trace.stack-copies.perf.data' || fail "$(manifest elsewhere .stack_warnings)"
! manifest elsewhere .warnings | has 'stack copies' || fail "$(manifest elsewhere .warnings)"
for view in processes tree 'cpu --by process' system; do
	# shellcheck disable=SC2086 # a command and its options
	"$STAGETRACE" $view elsewhere >out 2>err || fail "$view: $(cat err)"
	! grep 'stack copies\|CPU samples' err >&2 || fail "$view shows no stacks, but warns about them"
done
[ "$(grep -c 'stack copies end early' out)" = 1 ] || fail "system does not list the warning: $(cat out)"
for view in 'cpu --by function' 'cpu --by stack --format json' export; do
	# shellcheck disable=SC2086 # a command and its options
	"$STAGETRACE" $view elsewhere >out 2>err || fail "$view: $(cat err)"
	for warning in 'stack copies end early' 'CPU samples are incomplete'; do
		[ "$(grep -c "$warning" err)" = 1 ] || fail "$view: not one warning that $warning: $(cat err)"
	done
done
[ "$(stat -c %a elsewhere/trace.stack-copies.perf.data)" = 600 ] || fail "$(ls -l elsewhere)"
cmp elsewhere/trace.stack-copies.perf.data "$run/trace.stack-copies.perf.data" || fail "the kept trace is not the original"
! has_callers elsewhere || fail "callers are found without the program"

# A run that was not distilled is distilled in its bundle: what is lost there is said once, and in the bundle.
python3 - elsewhere <<'PY'
import json, os, sys
os.rename(sys.argv[1] + "/trace.stack-copies.perf.data", sys.argv[1] + "/trace.perf.data")
with open(sys.argv[1] + "/manifest.json") as file:
    manifest = json.load(file)
manifest.update({"files": [], "stack_warnings": []})
with open(sys.argv[1] + "/manifest.json", "w") as file:
    json.dump(manifest, file)
PY
rm -r elsewhere/symbols
for scrub in '' --scrub; do
	# shellcheck disable=SC2086 # one option or none
	"$STAGETRACE" bundle $scrub elsewhere -o lossy.zip --force >out 2>err || fail "bundle $scrub: $(cat err)"
	[ "$(grep -c "warning: .* stack copies end early.*'$PWD/deep': pack the run where" err)" = 1 ] || fail "bundle $scrub: not one warning: $(cat err)"
	unzip -p lossy.zip '*/manifest.json' | has 'stack copies end early' || fail "the manifest of the bundle does not say it"
	"$STAGETRACE" export lossy.zip >out 2>err || fail "$(cat err)"
	[ "$(grep -c 'stack copies end early' err)" = 1 ] || fail "a view of the bundle: $(cat err)"
done
[ "$(manifest elsewhere .stack_warnings)" = null ] || [ "$(manifest elsewhere .stack_warnings)" = '[]' ] || fail "the run was changed"
mv deep.away deep
has_callers elsewhere/trace.perf.data || fail "the kept trace has no callers: $(cat export.err)"
"$STAGETRACE" bundle elsewhere -o whole.zip >out 2>err || fail "$(cat err)"
! grep 'warning' err >&2 || fail "nothing is lost where the program is"
has_callers whole.zip || fail "the bundle has no callers: $(cat export.err)"
