#!/usr/bin/env bash
# Of the settings that a run names, recover restores those that a recording changes, with values as they have: a run may come
# from anyone. The settings are files of this test's own, in a mount namespace of its own.
. "$SRCDIR/tests/e2e/lib/lib.sh"

kernel=/proc/sys/kernel
if [ -z "${HAS_OWN_SETTINGS:-}" ]; then
	unshare -m true 2>/dev/null || skip "no mount namespace of its own"
	HAS_OWN_SETTINGS=yes exec unshare -m bash "$SRCDIR/tests/e2e/$(basename "$0")"
fi
for name in perf_event_max_stack core_pattern; do
	echo 192 >"$name"
	mount --bind "$name" "$kernel/$name" || skip "nothing can be mounted over $kernel/$name"
done
echo secret >victim

# interrupted PATH VALUE [PLACE]: a run that was killed after it had changed a setting
interrupted() {
	rm -rf runs
	mkdir -p runs/test.partial
	python3 - runs/test.partial "$@" <<-'PY'
		import json, os, sys
		path = sys.argv[1]
		made = os.stat(path)
		manifest = {"format_version": 1, "state": "starting", "name": "test", "cookie": "test.none",
		            "recorder": {"name": "perf"}, "undo": [{"path": sys.argv[2], "value": sys.argv[3]}]}
		if len(sys.argv) > 4:
		    manifest["place"] = {"here": "%x:%x" % (made.st_dev, made.st_ino)}.get(sys.argv[4], sys.argv[4])
		json.dump(manifest, open(path + "/manifest.json", "w"))
	PY
	"$STAGETRACE" recover runs/test.partial >out 2>err || fail "$(cat err)"
	[ "$(manifest runs/test .undo)" = "[]" ] || fail "left in the manifest: $(manifest runs/test .undo)"
}

refused() {
	interrupted "$@" here
	grep -q "is not restored to" err || fail "$*: $(cat err)"
	! grep -q "by hand" err || fail "$*: a command to paste: $(cat err)"
	[ "$(cat $kernel/perf_event_max_stack $kernel/core_pattern victim | tr '\n' ' ')" = "192 192 secret " ] ||
		fail "$*: it was written"
}

refused "$PWD/victim" owned
refused $kernel/core_pattern "|$PWD/evil"
refused $kernel/core_pattern 127
refused $kernel/perf_event_max_stack '127; reboot'
refused $kernel/perf_event_max_stack 0
refused $kernel/../kernel/perf_event_max_stack 127

# Without a place, as in runs of earlier versions and in a stranger's: the command is printed.
interrupted $kernel/perf_event_max_stack 127
grep -qx 192 perf_event_max_stack || fail "a run without a place restored a setting"
grep -q "by hand: echo 127 >$kernel/perf_event_max_stack" err || fail "$(cat err)"

interrupted $kernel/perf_event_max_stack 126 here
grep -qx 126 perf_event_max_stack || fail "not restored: $(cat err)"

# A copy: the command is printed.
interrupted $kernel/perf_event_max_stack 125 1:2
grep -qx 126 perf_event_max_stack || fail "a copy restored a setting"
grep -q "by hand: echo 125 >$kernel/perf_event_max_stack" err || fail "$(cat err)"

# That of a recording on another system, which left its run here.
flags='HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Image File Execution Options\rustc.exe\TracingFlags'
for place in '' 1:2; do
	# shellcheck disable=SC2086
	interrupted "$flags" none $place
	grep -qF "by hand: reg delete \"${flags%\\*}\" /v TracingFlags /f" err || fail "$(cat err)"
	! grep -q "is not restored to" err || fail "$(cat err)"
done
