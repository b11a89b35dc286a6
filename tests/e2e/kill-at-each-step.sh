#!/usr/bin/env bash
# kill -9 at each write of the manifest: each is one rename, and stagetrace is killed at the first, the second, ...
# until a recording succeeds. After each kill the guard has ended the build and restored the settings, and recover
# closes the run.
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/kill_at.sh"

# The setting is a file of this test's own, where there can be one: other recordings raise and lower the system's at their
# own times.
setting=/proc/sys/kernel/perf_event_max_stack
if [ -z "${HAS_OWN_SETTING:-}" ] && unshare -m mount --bind "$SRCDIR/tests/e2e/lib/lib.sh" $setting 2>/dev/null; then
	HAS_OWN_SETTING=yes exec unshare -m bash "$SRCDIR/tests/e2e/kill-at-each-step.sh"
fi
if [ -n "${HAS_OWN_SETTING:-}" ]; then
	echo 127 >own-setting
	mount --bind own-setting $setting
fi

recorder=none
if perf record -q -o probe.data -e syscalls:sys_enter_mmap -- true >/dev/null 2>&1; then recorder=perf; fi
max_stack=$(cat $setting)
make_checkout "$recorder" 'sleep 0.3; sleep 3000 & sleep 0.3'

steps=0 with_processes=0
for k in $(seq 1 40); do
	rm -rf runs
	rc=0
	kill_at "$k" record test.ini >out 2>err || rc=$?
	if [ $rc != 137 ]; then
		[ $rc = 0 ] || fail "the whole recording ended with $rc: $(cat err)"
		break
	fi
	steps=$((steps + 1))
	nothing_left 15
	[ -z "${HAS_OWN_SETTING:-}" ] || wait_for grep -qx "$max_stack" $setting
	for dir in runs/*.partial; do
		[ -d "$dir" ] || continue
		if [ ! -e "$dir/manifest.json" ]; then
			# Before it: configuration, open.sh, profile and stack tags of WPA.
			[ "$k" -le 5 ] || fail "step $k left no manifest in $dir"
			continue
		fi
		"$STAGETRACE" recover "$dir" >out 2>err || fail "recover after step $k: $(cat err)"
		[ ! -e "$dir" ] || fail "recover after step $k left $dir"
	done
	# Killed while packing: the run is whole, and recover clears away the beginning of a bundle.
	for zip in runs/*.zip.partial; do
		[ -e "$zip" ] || continue
		"$STAGETRACE" recover "${zip%.zip.partial}" >out 2>err || fail "recover after step $k: $(cat err)"
		[ ! -e "$zip" ] || fail "recover after step $k left $zip"
	done
	for run in runs/*; do
		[ -e "$run/manifest.json" ] || continue
		case $(manifest "$run" .state) in
		done | failed) ;;
		*) fail "step $k: state $(manifest "$run" .state)" ;;
		esac
		# Killed before the build was let go there is none.
		if [ -s "$run/processes.jsonl" ]; then
			processes_are_whole "$run"
			with_processes=$((with_processes + 1))
		fi
		[ ! -e "$run/processes.journal" ] || fail "step $k left the journal"
	done
done
[ $steps -ge 8 ] || fail "only $steps steps were hit"
[ $with_processes -ge 4 ] || fail "only $with_processes runs have processes"
echo "killed at $steps steps"
