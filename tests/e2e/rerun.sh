#!/usr/bin/env bash
# A run has what decides its build, and `rerun` makes the same recording again: it says each difference first, and refuses those
# that change the build. Neither writes git's index.
# kind: waits
. "$SRCDIR/tests/e2e/lib/lib.sh"

command -v git >/dev/null || skip "git is not installed"
make_checkout none true
# The commits of the test are nobody's.
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@example.com GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@example.com
for name in rust sub; do
	mkdir -p "$name"
	git -C "$name" init -q
	echo first >"$name/file"
done
git -C sub add .
git -C sub commit -qm sub
git -C rust -c protocol.file.allow=always submodule --quiet add "$PWD/sub" src/sub
echo lock >rust/Cargo.lock
echo 'x = 1' >rust/bootstrap.toml
echo bootstrap.toml >rust/.gitignore
mkdir -p rust/build/host/stage0 rust/build/host/ci-llvm
echo build >>rust/.gitignore
echo '2025-01-09' >rust/build/host/stage0/.rustc-stamp
echo 'abcdef' >rust/build/host/ci-llvm/.llvm-stamp
git -C rust add .
git -C rust commit -qm first
first=$(git -C rust rev-parse HEAD)
git -C rust commit -q --allow-empty -m second
echo changed >>rust/file
# A refreshed index would be written.
touch -d '1 hour ago' rust/x.py
index=$(stat -c '%i %y' rust/.git/index)

RUSTFLAGS=-Copt-level=1 SECRET_TOKEN=planted "$STAGETRACE" record --no-bundle test.ini >out 2>err || fail "$(cat err)"
run=$(the_run runs)
mv "$run" the-run
run=$PWD/the-run
[ "$(stat -c '%i %y' rust/.git/index)" = "$index" ] || fail "git's index was written"
python3 - "$run" "$(git -C sub rev-parse HEAD)" "$(printf 'lock\n' | sha256sum | cut -c1-64)" <<'PY'
import hashlib, json, sys
run, sub, lock = sys.argv[1:]
manifest = json.load(open(run + "/manifest.json"))
build = manifest["build"]
diff = open(run + "/source.diff", "rb").read()
assert build["checkout"] == {"diff_bytes": len(diff), "diff_sha256": hashlib.sha256(diff).hexdigest()}, build["checkout"]
assert b"+changed" in diff, diff
assert build["submodules"] == {"src/sub": sub}, build["submodules"]
assert build["environment"]["RUSTFLAGS"] == "-Copt-level=1", build["environment"]
assert build["stage0"] == {"host": "2025-01-09"} and build["ci_llvm"] == {"host": "abcdef"}, build
assert build["files"]["Cargo.lock"] == lock and "bootstrap.toml" in build["files"], build["files"]
assert build["build"]["jobs"] >= 1 and build["tools"]["python3"].startswith("Python 3"), build
assert "planted" not in json.dumps(manifest), "a variable that is not listed is kept"
assert "source.diff" in [file["path"] for file in manifest["files"]]
PY

# rerun CODE ARGUMENTS...
rerun() {
	local want=$1 code=0

	shift
	"$STAGETRACE" rerun "$run" --no-bundle --out again "$@" >out 2>err || code=$?
	[ "$code" = "$want" ] || fail "rerun $* has exit code $code, not $want: $(cat err)"
}
export RUSTFLAGS=-Copt-level=1

rerun 0
has 'nothing that changes the build differs' err || fail "$(cat err)"
state_is "$(the_run again)" "done"
rm -r again

# What decides the build.
echo more >>rust/file
RUSTFLAGS='' rerun 1
has "^stagetrace: differs: checkout, diff_sha256: '" err || fail "$(cat err)"
has "^stagetrace: differs: variable RUSTFLAGS: '-Copt-level=1' -> none" err || fail "$(cat err)"
has 'nothing was started: 3 differences, listed above, change the build' err || fail "$(cat err)"
has 'for .git apply' err || fail "nothing about the kept difference: $(cat err)"
[ ! -e again ] || fail "it was started"
rerun 0 --anyway
rm -r again
git -C rust checkout -q file
(cd rust && git apply "$run/source.diff")
rerun 0
rm -r again
echo 2025-02-20 >rust/build/host/stage0/.rustc-stamp
echo lock2 >rust/Cargo.lock
rerun 1
has "differs: stage 0 compiler of host: '2025-01-09' -> '2025-02-20'" err && has 'differs: file Cargo.lock: ' err || fail "$(cat err)"
echo lock >rust/Cargo.lock
echo 2025-01-09 >rust/build/host/stage0/.rustc-stamp

# A difference of more than 4 MB is not kept, and said to be so. It is compared still.
git -C rust checkout -q file
head -c 6000000 /dev/urandom | base64 >>rust/file
"$STAGETRACE" record --no-bundle --out again test.ini >out 2>err || fail "$(cat err)"
has "^stagetrace: warning: what differs from the commit in '.*' is not kept: it has 7.[0-9] MB" err || fail "$(cat err)"
large=$(the_run again)
[ ! -e "$large/source.diff" ] && [ "$(manifest "$large" .build.checkout.diff_kept)" = no ] || fail "$(manifest "$large" .build)"
"$STAGETRACE" rerun "$large" --no-bundle --dry-run >out 2>err || fail "$(cat err)"
has 'nothing that changes the build differs' err || fail "$(cat err)"
rm -r again

# Another change of a submodule, of as many files.
git -C rust checkout -q file
echo one >>rust/src/sub/file
"$STAGETRACE" record --no-bundle --out again test.ini >out 2>err || fail "$(cat err)"
other=$(the_run again)
"$STAGETRACE" rerun "$other" --no-bundle --dry-run >out 2>err || fail "$(cat err)"
has 'nothing that changes the build differs' err || fail "$(cat err)"
git -C rust/src/sub checkout -q file
echo two >>rust/src/sub/file
"$STAGETRACE" rerun "$other" --no-bundle --dry-run >out 2>err || fail "$(cat err)"
has "^stagetrace: differs: submodule src/sub: '.*, 1 file differs: " err || fail "$(cat err)"
git -C rust/src/sub checkout -q file
rm -r again

# What a variable names is the same name with another version.
git -C rust checkout -q file
printf '#!/bin/sh\necho "cc-of-test $(cat "%s/cc-version")"\n' "$PWD" >cc-of-test
chmod +x cc-of-test
echo 1 >cc-version
export CC="$PWD/cc-of-test -m64" CC_x86_64_unknown_linux_gnu=one
"$STAGETRACE" record --no-bundle --out again test.ini >out 2>err || fail "$(cat err)"
other=$(the_run again)
# A path may lead to what others can change: not for root.
if [ "$(id -u)" = 0 ]; then
	! has '"CC":' <<<"$(manifest "$other" .build.tools)" || fail "root ran it: $(manifest "$other" .build.tools)"
else
	[ "$(manifest "$other" .build.tools.CC)" = 'cc-of-test 1' ] || fail "$(manifest "$other" .build.tools)"
	echo 2 >cc-version
	"$STAGETRACE" rerun "$other" --no-bundle --dry-run >out 2>err || fail "$(cat err)"
	has "^stagetrace: differs: version of CC: 'cc-of-test 1' -> 'cc-of-test 2'" err || fail "$(cat err)"
fi
if [ "$(uname -m)" = x86_64 ]; then
	CC_x86_64_unknown_linux_gnu=two "$STAGETRACE" rerun "$other" --no-bundle --dry-run >out 2>err || fail "$(cat err)"
	has "^stagetrace: differs: variable CC_x86_64_unknown_linux_gnu: 'one' -> 'two'" err || fail "$(cat err)"
fi
unset CC CC_x86_64_unknown_linux_gnu
rm -r again
if command -v cc >cc-path; then
	CC='cc -pipe' "$STAGETRACE" record --no-bundle --out again test.ini >out 2>err || fail "$(cat err)"
	other=$(the_run again)
	[ "$(manifest "$other" .build.tools.CC)" = "$(manifest "$other" .build.tools.cc)" ] || fail "$(manifest "$other" .build.tools)"
	rm -r again
fi

# A fresh clone has the submodules that it asks for. A toml that is gone is said.
git clone -q rust fresh
git -C fresh checkout -q "$(git -C rust rev-parse HEAD)"
"$STAGETRACE" rerun "$run" --no-bundle --source fresh --dry-run >out 2>err || fail "$(cat err)"
! has 'differs: submodule' err || fail "$(cat err)"
has "^stagetrace: differs: file bootstrap.toml: '.*' -> none" err || fail "$(cat err)"

# Less memory for each process.
(ulimit -v 100000000 && "$STAGETRACE" rerun "$run" --no-bundle --dry-run) >out 2>err || fail "$(cat err)"
has '^stagetrace: warning: differs: address space of a process in bytes (ulimit -v): none -> ' err || fail "$(cat err)"

# A directory that the toml names is where the compiler is looked for, and its jobs are those of the build.
git -C rust checkout -q file
printf '[build]\nbuild-dir = "build/elsewhere" # of this machine\njobs = 3\n' >rust/bootstrap.toml
mkdir -p rust/build/elsewhere
cp -a rust/build/host rust/build/elsewhere
echo 2026-03-04 >rust/build/elsewhere/host/stage0/.rustc-stamp
"$STAGETRACE" record --no-bundle --out again test.ini >out 2>err || fail "$(cat err)"
other=$(the_run again)
[ "$(manifest "$other" .build.stage0.host)" = 2026-03-04 ] && [ "$(manifest "$other" .build.build.jobs)" = 3 ] ||
	fail "$(manifest "$other" .build)"
echo 2026-04-05 >rust/build/elsewhere/host/stage0/.rustc-stamp
sed -i 's/jobs = 3/jobs = 4/' rust/bootstrap.toml
code=0
"$STAGETRACE" rerun "$other" --no-bundle --out never >out 2>err || code=$?
[ $code = 1 ] && has "^stagetrace: differs: stage 0 compiler of host: '2026-03-04' -> '2026-04-05'" err || fail "$(cat err)"
has "^stagetrace: differs: jobs: '3' -> '4'" err || fail "$(cat err)"
echo 'x = 1' >rust/bootstrap.toml
rm -r rust/build/elsewhere again

# Another commit, as it is asked for.
git -C rust checkout -q file
rerun 2 --commit nothing
has "has no commit 'nothing'" err || fail "$(cat err)"
rerun 0 --commit "${first:0:10}"
has 'note: differs: commit of the checkout: ' err || fail "$(cat err)"
[ "$(manifest "$(the_run again)" .source.git_commit)" = "$first" ] || fail "not that commit"
rm -r again

# What stage 1 makes is compared afterwards, too.
echo 'echo 2025-03-03 >build/host/stage0/.rustc-stamp' >rust/stage1.sh
rerun 0 --anyway
has "warning: differs from the earlier run: stage 0 compiler of host: '2025-01-09' -> '2025-03-03'" err || fail "$(cat err)"
rm -r again

# A run from elsewhere: shown only, until it is trusted. A bundle is one.
"$STAGETRACE" bundle "$run" -o run.zip >out 2>err || fail "$(cat err)"
run=$PWD/run.zip
rerun 1
has 'then add --trust' err || fail "$(cat err)"
rerun 0 --dry-run
has 'python3 x.py build --stage 2' out || fail "$(cat out)"
[ ! -e again ] || fail "--dry-run has recorded"
rerun 0 --trust --anyway
state_is "$(the_run again)" "done"

# Runs and bundles inside of the checkout are no part of what is built, wherever the next one goes; other files are.
"$STAGETRACE" record --out rust/runs test.ini >out 2>err || fail "$(cat err)"
inside=$(the_run rust/runs)
[ -e "$inside.zip" ] || fail "no bundle: $(ls rust/runs)"
run=$inside
rerun 0
has 'nothing that changes the build differs' err || fail "$(cat err)"
rm -r again
"$STAGETRACE" rerun "$run" --out rust/runs >out 2>err || fail "$(cat err)"
has 'nothing that changes the build differs' err || fail "$(cat err)"
touch rust/runs/other
rerun 1
has "differs: checkout, untracked_files: none -> '1'" err || fail "$(cat err)"
rm -r rust/runs

# In a scrubbed bundle variables have no values, and the difference no private names.
run=$PWD/the-run
"$STAGETRACE" bundle "$run" --scrub -o scrubbed.zip >out 2>err || fail "$(cat err)"
python3 - <<'PY'
import json, zipfile
bundle = zipfile.ZipFile("scrubbed.zip")
name = [name for name in bundle.namelist() if name.endswith("manifest.json")][0]
build = json.loads(bundle.read(name))["build"]
assert build["environment"]["RUSTFLAGS"] == "", build["environment"]
assert any(name.endswith("/source.diff") for name in bundle.namelist())
PY
run=
nothing_left
