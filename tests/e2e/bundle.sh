#!/usr/bin/env bash
# A bundle opens with unzip, has every file with the hash in its manifest, and gives the same views as the run.
# A scrubbed bundle has none of the private names, and can still be read.
. "$SRCDIR/tests/e2e/lib/lib.sh"

recorder=none
if perf record -q -o probe.data -e syscalls:sys_enter_mmap -- true >/dev/null 2>&1; then recorder=perf; fi
make_checkout "$recorder" 'gcc -v || true; sleep 0.1'
"$STAGETRACE" record --no-bundle test.ini >out 2>err || fail "$(cat err)"
run=$(the_run runs)
[ ! -e "$run.zip" ] || fail "--no-bundle made a bundle"
"$STAGETRACE" bundle "$run" -o out.zip >out 2>err || fail "$(cat err)"
python3 - out.zip <<'PY'
import hashlib, json, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
top = {name.split("/")[0] for name in z.namelist()}
assert len(top) == 1, top
top = top.pop()
manifest = json.loads(z.read(top + "/manifest.json"))
assert manifest["state"] == "done"
listed = {f["path"]: f for f in manifest["files"]}
packed = {name[len(top) + 1:] for name in z.namelist() if not name.endswith("/")} - {"manifest.json"}
assert set(listed) == packed, set(listed) ^ packed
for path, f in listed.items():
    data = z.read(top + "/" + path)
    assert len(data) == f["size"] and hashlib.sha256(data).hexdigest() == f["sha256"], path
PY
if command -v unzip >/dev/null; then unzip -tq out.zip >/dev/null || fail "unzip finds errors"; fi
for view in processes tree; do
	for format in text csv json; do
		"$STAGETRACE" $view "$run" --format $format >dir.$format
		"$STAGETRACE" $view out.zip --format $format >zip.$format
		cmp dir.$format zip.$format || fail "$view --format $format differs"
	done
done

# A file that was changed after the recording does not pass unnoticed.
cp -r "$run" changed
echo more >>changed/logs/stage2.log
rc=0
"$STAGETRACE" bundle changed -o changed.zip >out 2>err || rc=$?
[ $rc = 1 ] && grep -q "logs/stage2.log" err || fail "exit code $rc: $(cat err)"
[ ! -e changed.zip ] || fail "the changed run was bundled"

"$STAGETRACE" bundle "$run" -o scrubbed.zip --scrub >out 2>err || fail "$(cat err)"
"$STAGETRACE" processes scrubbed.zip --format json >scrubbed.json || fail "a scrubbed bundle does not read"
python3 - scrubbed.zip <<'PY'
import socket, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
host = socket.gethostname().encode()
if len(host) >= 4:
    left = [name for name in z.namelist() if host in z.read(name)]
    assert not left, left
PY
