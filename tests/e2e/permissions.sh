#!/usr/bin/env bash
# What a recording writes is for its owner alone, unless [bundle] mode says otherwise, and with sudo it belongs to the user
# whose output directory it is in.
. "$SRCDIR/tests/e2e/lib/lib.sh"

umask 022
make_checkout none 'echo built; : >by-the-build'

# Nobody but the owner may use anything of it: private DIRECTORY
private() {
	local open
	open=$(find "$1" -perm /077)
	[ -z "$open" ] || fail "others may use: $open"
}

"$STAGETRACE" record test.ini >out 2>err || fail "$(cat err)"
private runs
[ -e "$(the_run runs).zip" ] || fail "no bundle"
[ "$(stat -c %a rust/by-the-build)" = 644 ] || fail "the build's own files are not as they would be"
(umask 0 && "$STAGETRACE" bundle "$(the_run runs)" -o again.zip >out)
private again.zip

# While it is recorded, too.
echo "until [ -e '$PWD/end' ]; do sleep 0.05; done" >rust/wait.sh
recorder=none
if perf record -q -o probe.data -e cpu-clock -- true >/dev/null 2>&1; then recorder=perf; fi
"$STAGETRACE" record --no-bundle --out while --set record.recorder=$recorder --set stage2.command='sh wait.sh' test.ini >out 2>err &
recording=$!
is_recording() { grep -qx '  "state": "recording",' while/*.partial/manifest.json; }
wait_for is_recording
private while
touch end
wait $recording || fail "$(cat err)"
private while

"$STAGETRACE" record --out open/runs --set bundle.mode=0644 test.ini >out 2>err || fail "$(cat err)"
run=$(the_run open/runs)
[ "$(stat -c %a open "$run" "$run/logs" "$run/manifest.json" "$run/open.sh" "$run.zip" | tr '\n' ' ')" = "755 755 755 644 755 644 " ] ||
	fail "$(ls -lR open)"
"$STAGETRACE" bundle "$run" -o open.zip >out
[ "$(stat -c %a open.zip)" = 644 ] || fail "not as the run's configuration says: $(ls -l open.zip)"
# The configuration of a run that was not recorded here says nothing about files of this user.
cp -r "$run" copy
"$STAGETRACE" bundle copy -o copy.zip >out
private copy.zip
mv copy copy.partial
sed -i 's/^  "state": "done"/  "state": "collecting"/' copy.partial/manifest.json
"$STAGETRACE" recover copy.partial >out 2>err || fail "$(cat err)"
private copy

# Stack copies are secret, whatever the mode.
if [ "$recorder" = perf ]; then
	"$STAGETRACE" record --no-bundle --out copies --set bundle.mode=0644 --set record.recorder=perf --set record.keep-stack-copies=yes \
		--set record.cpu-stacks=dwarf test.ini >out 2>err || fail "$(cat err)"
	run=$(the_run copies)
	[ "$(stat -c %a "$run/trace.perf.data" "$run/trace.stack-copies.perf.data" | tr '\n' ' ')" = "644 600 " ] || fail "$(ls -l "$run")"
	"$STAGETRACE" bundle --with-stack-copies "$run" -o copies.zip >out
	private copies.zip
	# One whose trace was not distilled, as it was recorded by a version that did not.
	mv "$run" "$run.partial"
	printf x >"$run.partial/trace.perf.data"
	sed -i 's/^  "state": "done"/  "state": "collecting"/' "$run.partial/manifest.json"
	"$STAGETRACE" recover "$run.partial" >out 2>err || fail "$(cat err)"
	[ "$(stat -c %a "$run/manifest.json" "$run/trace.perf.data" "$run/trace.stack-copies.perf.data" | tr '\n' ' ')" = "644 600 600 " ] ||
		fail "$(ls -l "$run")"
fi

[ "$(id -u)" = 0 ] || exit 0
# As sudo says who runs it.
export SUDO_UID=12345 SUDO_GID=12346
mkdir theirs
chown 12345:12346 theirs
"$STAGETRACE" record --out theirs/runs test.ini >out 2>err || fail "$(cat err)"
"$STAGETRACE" history add "$(the_run theirs/runs)" --db theirs/new/history.sqlite >out 2>err || fail "$(cat err)"
left=$(find theirs ! -user 12345 -o ! -group 12346)
[ -z "$left" ] || fail "not given to its owner: $left"
private theirs/runs
# A directory of root's own stays root's.
"$STAGETRACE" record --out mine test.ini >out 2>err || fail "$(cat err)"
[ -z "$(find mine -user 12345)" ] || fail "given away: $(find mine -user 12345)"

# Where owners cannot be changed, it is recorded all the same: in a user namespace that has no such user.
if unshare -Ur true 2>/dev/null; then
	mkdir unowned
	chown 12345:12346 unowned
	chmod 777 unowned
	SUDO_UID=65534 SUDO_GID=65534 unshare -Ur "$STAGETRACE" record --no-bundle --out unowned/runs test.ini >out 2>err || fail "$(cat err)"
	manifest "$(the_run unowned/runs)" .warnings | has "cannot set the owner and permissions of '.*/unowned/runs'" || fail "$(cat err)"
fi

# One that was killed is completed for its owner.
"$STAGETRACE" record --no-bundle --out theirs/killed --set stage2.command='sleep 300' test.ini >out 2>err &
recording=$!
is_killed_recording() { grep -qx '  "state": "recording",' theirs/killed/*.partial/manifest.json; }
wait_for is_killed_recording
kill -9 $recording
wait $recording 2>/dev/null || true
"$STAGETRACE" recover theirs/killed/*.partial >out 2>err || fail "$(cat err)"
left=$(find theirs ! -user 12345)
[ -z "$left" ] || fail "not given to its owner: $left"
nothing_left
