#!/usr/bin/env bash
# Which process a run names, recover believes its own runs alone: it waits for no other, and ends none. Root tries it where
# there are no other processes than those of the test.
if [ "$(id -u)" = 0 ] && [ -z "${HAS_OWN_PROCESSES:-}" ] && unshare -p -f --mount-proc true 2>/dev/null; then
	HAS_OWN_PROCESSES=yes exec unshare -p -f --mount-proc --kill-child bash "$SRCDIR/tests/e2e/recover-hostile.sh"
fi
. "$SRCDIR/tests/e2e/lib/lib.sh"

# named PROCESS [STOP-TIMEOUT]
named() {
	rm -rf runs
	mkdir -p runs/test.partial
	printf '[run]\nsource = %s\n[stage2]\ncommand = x\n[record]\nstop-timeout = %s\n' "$PWD" "${2:-0}" >runs/test.partial/config.ini
	cat >runs/test.partial/manifest.json <<-JSON
		{"format_version": 1, "state": "recording", "name": "test", "cookie": "", "recorder": {"name": "perf"},
		 "commands": [{"what": "recorder", "argv": ["perf"], "process": "$1"}]}
	JSON
	timeout 600 "$STAGETRACE" recover runs/test.partial >out 2>err || fail "$1: exit code $?: $(cat err)"
	state_is runs/test failed
}

id_of() { python3 -c 'import sys; print(sys.argv[1] + "@" + open("/proc/%s/stat" % sys.argv[1]).read().rsplit(")", 1)[1].split()[19])' "$1"; }

# It carries a mark that is empty, as the cookie is.
STAGETRACE_RUN='' sleep 3000 &
other=$!
named "$(id_of 1)"
named "$(id_of $other)"
kill $other || fail "recover ended a process that is not of the run"

# A run of another user: it is completed, what is written belongs to that user, and processes are left alone.
[ "$(id -u)" = 0 ] || exit 0
rm -rf runs
mkdir -p runs/test.partial
echo '{"format_version": 1, "state": "recording", "name": "test", "cookie": "test.mark", "recorder": {"name": "none"}}' \
	>runs/test.partial/manifest.json
chown -R 12345:12346 runs
STAGETRACE_RUN=test.mark sleep 3000 &
other=$!
"$STAGETRACE" recover runs/test.partial >out 2>err || fail "$(cat err)"
grep -q "belongs to another user" err || fail "not a word: $(cat err)"
kill $other || fail "recover ended a process for a run of another user"
[ -z "$(find runs ! -user 12345)" ] || fail "not that user's: $(find runs ! -user 12345)"
state_is runs/test failed
