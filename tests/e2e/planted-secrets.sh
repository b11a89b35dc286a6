#!/usr/bin/env bash
# Secrets are planted in a recording: in the environment, in arguments, home directories, the name of the host, what the build
# prints, in what differs from the commit of the checkout, and in what the trace has of a process that is not of the build. A scrubbed bundle has none of them. A plain one
# has those that docs/security.md lists.
. "$SRCDIR/tests/e2e/lib/lib.sh"
perf_works
command -v zstd >/dev/null || skip "zstd is not installed"
command -v git >/dev/null || skip "git is not installed"
perf record -q -a -o probe.data -- true >/dev/null 2>&1 || skip "perf may not record other processes here"
if [ -z "${PLANTED:-}" ]; then
	unshare --uts true 2>/dev/null || skip "unshare is not allowed here"
	exec env PLANTED=1 unshare --uts bash "$SRCDIR/tests/e2e/planted-secrets.sh"
fi
hostname planted-host

# What a plain bundle has: paths, arguments, what was printed, and what the trace says about other processes.
documented="planted-rustflags planted-setting planted-host plantedowner plantedother plantedwindows planted-printed
	planted-foreign planted-mapped planted-id-of-others planted-argument planted-second-line planted-after-token
	planted-dash planted-quoted planted-joined planted-compiled planted-option planted-bracket planted-flags planted-member planted-described
	plantedblank plantedescape plantedlogged planted-diff planteddiff planted-of-url"
count() { python3 "$SRCDIR/tests/tools/count-in-trace.py" "$@"; }

# Processes that are not of the build and map a file with a build id of its own. They run while those of the build do, so
# that the scheduler names them in samples of the build.
mkdir -p planted-mapped home/plantedowner
python3 - "$(command -v sleep)" planted-mapped/planted-foreign <<'PY'
import shutil, sys

note = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"
shutil.copy(*sys.argv[1:])
with open(sys.argv[2], "r+b") as file:
    at = file.read().find(note)
    if at >= 0:
        file.seek(at + len(note))
        file.write(b"planted-id-of-others")
PY
grep -q planted-id-of-others planted-mapped/planted-foreign || skip "programs have no build ids here"
for _ in $(seq 5000); do planted-mapped/planted-foreign 0.003; done &
foreign=$!
trap 'kill $foreign 2>/dev/null || true' EXIT

export HOME=$TESTDIR/home/plantedowner
cd "$HOME" || exit
# What shells, cargo and build scripts print, and paths of other systems.
cat >forms <<'EOF'
     Running `A_KEY='it'\''s planted-quoted' B="/x"planted-joined rustc`
[x 0.1.0] cargo:rustc-env=A_KEY=planted-compiled
docker --build-arg=A_KEY=planted-option [A_KEY=planted-bracket]
CFLAGS_x86_64-unknown-linux-gnu = Some("-O2 planted-flags")
{"A_KEY":"planted-member"}
  A_KEY: some planted-described
"C:\Users\Eve Plantedblank" C:/Users/Eve Plantedblank/x
EOF
printf '\033[32mplantedowner@x %%2Fplantedowner \\u002fhome\\u002fplantedescape\n' >>forms

# perf records the whole system: its trace becomes that of the run.
make_checkout none '
	echo "A_TOKEN=planted-printed, /home/plantedlogged/x"
	cp "$(command -v sleep)" plantedlogged-run
	./plantedlogged-run 1 &
	cat "$HOME/forms"
	uname -a
	python3 -c "import time; time.sleep(0.3)" /home/plantedother/x \
		"C:\\Users\\plantedwindows\\x" "$(printf "/home/plantedowner/\351")" A_KEY=planted-argument \
		"$(printf "A_KEY=x\nplanted-second-line")" --token planted-after-token --token -planted-dash
	perf record -q -a --buildid-mmap -k CLOCK_MONOTONIC \
		-e cpu-clock,sched:sched_process_exec,sched:sched_switch,sched:sched_wakeup -o "$HOME/trace.perf.data" \
		-- sh -c "for _ in 1 2 3 4 5 6; do sleep 0.05; /bin/true; done"
'
git -C rust init -q
git -C rust add .
git -C rust -c user.name=x -c user.email=x@example.com commit -qm x
cat >>rust/x.py <<'EOF'
# A_TOKEN=planted-diff /home/planteddiff/x https://me:planted-of-url@example.com
EOF
A_SECRET=planted-environment RUSTFLAGS=planted-rustflags "$STAGETRACE" record --no-bundle \
	--set "stage2.env.A_SETTING=$(printf 'x%.0s' {1..400})planted-setting" test.ini >out 2>err || fail "$(cat err)"
run=$(the_run runs)
[ -s trace.perf.data ] || fail "perf recorded nothing: $(cat "$run/logs/stage2.log")"
mv trace.perf.data "$run"
has 'A_TOKEN=planted-diff' "$run/source.diff" || fail "source.diff: $(cat "$run/source.diff")"
"$STAGETRACE" bundle "$run" -o plain.zip >out 2>err || fail "$(cat err)"
"$STAGETRACE" bundle "$run" -o scrubbed.zip --scrub >out 2>err || fail "$(cat err)"
has 'removed or replaced' out || fail "nothing is listed: $(cat out)"

# shellcheck disable=SC2086
count scrubbed.zip planted-environment $documented | awk '$1' >left
[ ! -s left ] || fail "left in the scrubbed bundle: $(cat left)"
[ "$(count plain.zip planted-environment)" = "0 planted-environment" ] || fail "the environment is in the bundle"
# shellcheck disable=SC2086
count plain.zip $documented | awk '!$1' >missing
[ ! -s missing ] || fail "not in the plain bundle, so that nothing is tested: $(cat missing)"

# All numbers are the same. Paths, and what is known of processes that are not of the build, differ.
for bundle in plain scrubbed; do
	"$STAGETRACE" processes $bundle.zip --format csv --columns pid,ppid,start_ns,end_ns,role >$bundle.processes
	"$STAGETRACE" cpu $bundle.zip --by process --format csv --columns pid,samples,self_ns,total_ns >$bundle.cpu
done
cmp plain.processes scrubbed.processes
diff plain.cpu scrubbed.cpu >difference || fail "the numbers differ: $(head difference)"
