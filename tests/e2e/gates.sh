#!/usr/bin/env bash
# `record --fail-if`: 0, 3 and 125 as `git bisect run` takes them, and 2 before anything was built.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"

printf '[run]\noutput = runs\n[record]\nrecorder = none\nmin-free-disk = 0\n' >gates.ini

# expect CODE GATE COMMAND...
expect() {
	local want=$1 gate=$2 code=0

	shift 2
	"$STAGETRACE" record gates.ini --no-bundle --fail-if "$gate" -- "$@" >out 2>err || code=$?
	[ "$code" = "$want" ] || fail "'$gate' of '$*' has exit code $code, not $want: $(cat err)"
}

expect 0 'wall > 1h' sh -c 'touch built'
grep -q '^stagetrace: note: gate passed: wall > 1h: ' err || fail "$(cat err)"
[ -e built ] || fail "nothing was built"
expect 3 'wall > 1us' true
grep -q '^stagetrace: gate tripped: wall > 1us: ' err || fail "$(cat err)"
# Without a trace memory is not known; a build that fails, or a command that is not there, answers nothing.
expect 125 'peak > 1GB' true
expect 125 'wall > 1h' false
expect 125 'wall > 1us' false
expect 125 'crate:nothing.wall > 1h' true
rm built
expect 2 'peek > 1GB' touch built
expect 2 'peak > +5%' touch built
[ ! -e built ] || fail "it was built, though the gate is wrong"
# Rights: of root none is missing, but no directory is made there.
code=0
"$STAGETRACE" record gates.ini --out /proc/none --fail-if 'wall > 1h' -- touch built >out 2>err || code=$?
[ "$code" = 125 ] && grep -q '^stagetrace: no gate could be decided' err || fail "no right to write: exit code $code: $(cat err)"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	others=$(mktemp -d /tmp/stagetrace-test.XXXXXX)
	trap 'rm -rf "$others"' EXIT
	chmod 755 "$others"
	cp "$STAGETRACE" "$others/stagetrace"
	sed 's/= none/= perf/' gates.ini >"$others/gates.ini"
	mkdir "$others/runs"
	# as_nobody CODE ARGUMENTS...
	as_nobody() {
		local want=$1 code=0

		shift
		(cd "$others" && setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all ./stagetrace "$@") >out 2>err || code=$?
		[ "$code" = "$want" ] || fail "nobody: $* has exit code $code, not $want: $(cat err)"
	}
	as_nobody 125 record gates.ini --no-bundle --fail-if 'peak > 1GB' -- true
	grep -q 'this user may not write' err || fail "$(cat err)"
	chown nobody "$others/runs"
	chmod 700 "$others/runs"
	# Whether perf is refused, or only memory: nothing was over the limit, but that says nothing.
	as_nobody 125 record gates.ini --no-bundle --fail-if 'peak > 1GB' -- true
	cp -r "$SRCDIR/tests/data/traced-run" "$others/run"
	chmod 700 "$others/run"
	as_nobody 125 compare run run --fail-if 'peak > 1GB'
	mkdir -m 700 "$others/history"
	as_nobody 1 history list --db history/nights.sqlite
	has "'history/nights.sqlite': cannot look for it: Permission denied" err || fail "$(cat err)"
fi
[ ! -e built ] || fail "it was built"
nothing_left
