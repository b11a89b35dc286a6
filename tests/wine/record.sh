#!/usr/bin/env bash
# A whole recording by wpr on Windows: the run is complete, each process has its tags, and Linux can read it.
. "$SRCDIR/tests/wine/lib/wine.sh"

mkdir 'ein Ordner, ä漢 & mehr'
cd 'ein Ordner, ä漢 & mehr' || fail "no such directory"
make_checkout wpr './x.exe build --stage 2 -i library' './x.exe build --stage 1 -i library'
cat >>test.ini <<-INI
	cpu-interval = 500us
	wpr-profile = $SRCDIR/profiles/rustc.wprp
	[bundle]
	wpa-profile = $SRCDIR/profiles/rustc.wpaProfile
INI
"$STAGETRACE" check test.ini >out 2>err || fail "check: $(cat out err)"
grep -q 'wpr can record CPU samples and memory events' out || fail "$(cat out)"
"$STAGETRACE" check test.ini --skip-stage1 >out 2>err || true
# Wine shows a command line only a while after the start: on a busy machine too late for one that has ended. Then once more.
for _ in 1 2 3; do
	rm -rf "$STANDIN_LOG" runs
	"$STAGETRACE" record test.ini >out 2>err || fail "$(cat out err)"
	grep -q '"command_lines": 0' runs/*/manifest.json && break
done
bundle=$(echo runs/*.zip)
[ -s "$bundle" ] || fail "no bundle: $(ls runs)"
run=${bundle%.zip}
state_is "$run" "done"
wpt_is_clean
nothing_left

# All that belongs to a run, and the manifest knows it.
cat >files.wanted <<'FILES'
config.ini
logs/recorder-status.txt
logs/recorder.log
logs/stage1.log
logs/stage2.log
manifest.json
open.cmd
open.sh
processes.jsonl
rustc.stacktags
rustc.wpaProfile
rustc.wprp
symbols/functions.txt
symbols/lines.txt
symbols/stacks.txt
trace.etl
FILES
(cd "$run" && find . -type f | sed 's|^\./||' | LC_ALL=C sort) | diff -u files.wanted - || fail "other files"
python3 - "$run" <<'PY'
import hashlib, json, os, sys
run = sys.argv[1]
manifest = json.load(open(run + "/manifest.json"))
assert {f["path"] for f in manifest["files"]} | {"manifest.json"} == {
    os.path.relpath(os.path.join(d, f), run) for d, _, names in os.walk(run) for f in names}, manifest["files"]
for file in manifest["files"]:
    data = open(run + "/" + file["path"], "rb").read()
    assert file["size"] == len(data) and file["sha256"] == hashlib.sha256(data).hexdigest(), file
assert manifest["recorder"] == {"name": "wpr", "version": "10.0.26100"}, manifest["recorder"]
lost = [row for row in map(json.loads, open(run + "/processes.jsonl")) if row["argv_lost"]]
assert manifest["tracker"]["method"] == "job object" and set(manifest["lost"].values()) == {0}, [manifest["lost"], lost]
assert [c["what"] for c in manifest["commands"]][:2] == ["stage1", "stage2"], manifest["commands"]
assert all(c["exit_code"] == 0 and c["end_ns"] >= c["start_ns"] for c in manifest["commands"]), manifest["commands"]
# mspdbsrv.exe is reported twice: it is outside the job, and outlives the build.
assert sum("outside the build's job" in w for w in manifest["warnings"]) == 1, manifest["warnings"]
assert any("mspdbsrv.exe" in w for w in manifest["warnings"]), manifest["warnings"]
assert manifest["clock"]["name"] == "QPC" and 0 < manifest["stage2"]["start_ns"] < manifest["stage2"]["end_ns"]
PY
calls | grep -o -e '^-start .*rustc.wprp![^ ]*' -e '^-marker [^-]*' -e '^-stop' -e '^-setprofint .*' >got
cat >wanted <<CALLS
-setprofint 5000
$(grep -o '^-start .*' got)
-marker stage 2 starts 
-marker stage 2 has ended 
-stop
-setprofint 10000
CALLS
diff -u wanted got || fail "other calls: $(calls)"
grep -q 'rustc.wprp!RustcBootstrap' got || fail "$(calls)"
python3 "$SRCDIR/tests/tools/wpt/read-etl.py" "$run/trace.etl" >etl
grep -q 'stage 2 starts' etl && grep -q 'stage 2 has ended' etl || fail "the trace has no marks: $(cat etl)"

# Each process with its tags, in the order of their starts.
columns=image,role,crate,crate_type,built_by,part,target,exit_code
cat >rows.wanted <<'ROWS'
image,role,crate,crate_type,built_by,part,target,exit_code
x.exe,x.py,,,,,,0
cargo.exe,cargo,,,0,bootstrap,,0
rustc.exe,probe,,,0,bootstrap,,0
bootstrap.exe,bootstrap,,,,,,0
cargo.exe,cargo,,,1,stage2-rustc,,0
rustc.exe,probe,,,1,stage2-rustc,,0
rustc.exe,probe,,,1,stage2-rustc,,0
rustc.exe,rustc-shim,libc,bin,1,stage2-rustc,host,0
rustc.exe,rustc,libc,bin,1,stage2-rustc,host,0
link.exe,link,libc,,1,stage2-rustc,host,0
build-script-build.exe,build-script,libc,,1,stage2-rustc,host,0
rustc.exe,probe,libc,,1,stage2-rustc,,0
rustc.exe,probe,libc,,1,stage2-rustc,,0
rustc.exe,rustc-shim,rustc_macros,proc-macro,1,stage2-rustc,host,0
rustc.exe,rustc,rustc_macros,proc-macro,1,stage2-rustc,host,0
link.exe,link,rustc_macros,,1,stage2-rustc,host,0
rustc.exe,rustc-shim,rustc_llvm,bin,1,stage2-rustc,host,0
rustc.exe,rustc,rustc_llvm,bin,1,stage2-rustc,host,0
link.exe,link,rustc_llvm,,1,stage2-rustc,host,0
build-script-build.exe,build-script,rustc_llvm,,1,stage2-rustc,host,0
rustc.exe,probe,rustc_llvm,,1,stage2-rustc,,0
rustc.exe,probe,rustc_llvm,,1,stage2-rustc,,0
cl.exe,cc,rustc_llvm,,1,stage2-rustc,host,0
mspdbsrv.exe,other,rustc_llvm,,1,stage2-rustc,host,3221225786
lib.exe,ar,rustc_llvm,,1,stage2-rustc,host,0
rustc.exe,rustc-shim,rustc_middle,lib,1,stage2-rustc,x86_64-pc-windows-msvc,0
rustc.exe,rustc,rustc_middle,lib,1,stage2-rustc,x86_64-pc-windows-msvc,0
rustc.exe,rustc-shim,rustc_driver,dylib,1,stage2-rustc,x86_64-pc-windows-msvc,0
rustc.exe,rustc,rustc_driver,dylib,1,stage2-rustc,x86_64-pc-windows-msvc,0
link.exe,link,rustc_driver,,1,stage2-rustc,x86_64-pc-windows-msvc,0
rustc.exe,rustc-shim,rustc_main,bin,1,stage2-rustc,x86_64-pc-windows-msvc,0
rustc.exe,rustc,rustc_main,bin,1,stage2-rustc,x86_64-pc-windows-msvc,0
rust-lld.exe,link,rustc_main,,1,stage2-rustc,x86_64-pc-windows-msvc,0
ROWS
unset STAGETRACE_WPR STAGETRACE_XPERF
view() { "$1" "${@:2}" 2>err || fail "$*: $(cat err)"; }
# A console of the system's own comes and goes with programs that have none.
rows() { view "$NATIVE" processes "$1" --format csv --columns $columns | tr -d '\r' | grep -v '^conhost.exe,'; }
rows "$run" | diff -u rows.wanted - || fail "other rows"

# What the tracker alone can know: arguments out of files that are gone, memory and time.
python3 - "$run/processes.jsonl" <<'PY'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
def one(role, crate):
    (row,) = [r for r in rows if r["role"] == role and r["crate"] == crate]
    return row
for role in ("rustc-shim", "rustc"):
    row = one(role, "rustc_middle")
    (file,) = row["responses"]
    assert "cargo-argfile.ä" in file["path"], file
    assert "--crate-name\nrustc_middle\n" in file["text"], file
    assert any(a == "@" + file["path"] for a in row["argv"]), row["argv"]
for crate in ("libc", "rustc_driver"):
    row = one("link", crate)
    assert '"/OUT:Z:' in row["responses"][0]["text"] and "ein Ordner, ä漢 & mehr" in row["responses"][0]["text"], row
    assert len(row["argv"]) == 2, row["argv"]
for row in rows:
    assert row["end_ns"] > row["start_ns"] and row["exec_seen"] and not row["argv_lost"], row
    if row["role"] not in ("rustc", "link", "cc", "ar"):
        continue
    wanted = 64 if row["crate"] == "rustc_middle" and row["role"] == "rustc" else 16 if row["role"] == "rustc" else 8
    for key in ("peak_commit_bytes", "peak_rss_bytes"):
        assert wanted << 20 <= row[key] < wanted + 16 << 20, (key, row)
    least = 180 if wanted == 64 else 50
    assert least <= row["cpu_ns"] / 1e6 < 1000, row
assert one("rustc", "rustc_driver")["cwd"].endswith("ä漢 & mehr\\rust"), one("rustc", "rustc_driver")["cwd"]
PY
python3 "$SRCDIR/tests/tools/check-run.py" "$run" >out || fail "the run differs from the build's own log: $(cat out)"
grep -q 'rustc 6 (0 of std); timing lines 6' out || fail "$(cat out)"

# The same tables on both systems, from the directory and from the bundle, made by either.
view "$NATIVE" bundle "$run" -o again.zip >out
for what in processes tree system; do
	view "$STAGETRACE" $what "$run" >"$what.windows"
	[ "$(wc -l <"$what.windows")" -gt 30 ] || fail "$what says little: $(cat "$what.windows")"
	for from in "$run" "$bundle" again.zip; do
		view "$NATIVE" $what "$from" | diff -u "$what.windows" - || fail "$what of $from differs from Windows' own"
	done
done

for mark in 'stage 2 starts' 'stage 2 has ended'; do
	grep -q "^marks  *$mark  *[0-9]" system.windows || fail "no mark: $(cat system.windows)"
done

# Interrupted on Windows, finished on Linux.
mkdir copies
cp -r "$run" copies/run.partial
sed -i 's/"state": "done"/"state": "collecting"/' copies/run.partial/manifest.json
view "$NATIVE" recover copies/run.partial >out
state_is copies/run "done"
rows copies/run | diff -u rows.wanted - || fail "other rows after a recovery"

# A stage 2 that fails leaves what there is, and says where to look.
STAGETRACE_WPR=$STANDINS/wpr "$STAGETRACE" record test.ini --out failed --no-bundle --skip-stage1 --set stage2.env.TREE_FAIL=rustc_macros >out 2>err &&
	fail "stage 2 did not fail"
said 'error: could not compile `rustc_macros`'
said 'stage 2 failed with exit code 1; its output is in'
run=$(the_run failed)
state_is "$run" failed
[ -s "$run/trace.etl" ] || fail "the trace is not kept"
rows "$run" | has -x 'rustc.exe,rustc,rustc_macros,proc-macro,1,stage2-rustc,host,101' || fail "no exit code"

# Why it failed, the same on both systems; then with the code of a process that got no memory.
"$STAGETRACE" why -q --format csv "$run" | tr -d '\r' >why.windows
has '^cause,memory,no$' why.windows || fail "memory: $(cat why.windows)"
has '^evidence,1,rustc.exe of crate rustc_macros (pid [0-9]*) ended with exit code 101$' why.windows || fail "who: $(cat why.windows)"
has '^evidence,2,"logs/stage2.log, line [0-9]*: error\[E0308\]: mismatched types"' why.windows || fail "what: $(cat why.windows)"
has '^limits,commit_limit_bytes,[0-9]' why.windows || fail "no limits: $(cat why.windows)"
view "$NATIVE" why -q --format csv "$run" | tr -d '\r' | diff -u why.windows - || fail "why differs from Windows' own"
sed -i '/"crate": *"rustc_macros"/s/"exit_code": *101/"exit_code": 3221225495/' "$run/processes.jsonl"
"$STAGETRACE" why -q "$run" | tr -d '\r' >why.windows
has '^cause  *memory  *yes' why.windows && has 'code 0xC0000017 (STATUS_NO_MEMORY)' why.windows || fail "no memory: $(cat why.windows)"
