#!/usr/bin/env bash
# `nightly` records two commits in turns, goes on after an interruption, and compares them.
# kind: waits
. "$SRCDIR/tests/e2e/lib/lib.sh"

command -v git >/dev/null || skip "git is not installed"
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@example.com GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@example.com
make_checkout none 'echo built >>../../../built; [ ! -e ../../../fail ] || exit 1'
git -C rust init -q
git -C rust add .
git -C rust commit -qm first
git -C rust commit -q --allow-empty -m second

# nightly CODE ARGUMENTS...
nightly() {
	local want=$1 code=0

	shift
	"$STAGETRACE" nightly test.ini --no-bundle --ab HEAD~1 HEAD "$@" >out 2>err || code=$?
	[ "$code" = "$want" ] || fail "nightly $* has exit code $code, not $want: $(cat err)"
}

# Mistakes, before anything is built.
nightly 2 --rounds 1001
nightly 2 --ab HEAD nothing
has "is no directory, no program, and no commit of" err || fail "$(cat err)"
nightly 2 -- --frob
nightly 2 -- --fail-if 'peek > +5%'
has "did you mean 'peak'?" err || fail "$(cat err)"
nightly 2 -- --by stack,phase
nightly 2 -- markdown
has "'markdown' is no option of compare" err || fail "$(cat err)"
touch changes.md
nightly 1 -- -q -o changes.md
has "'changes.md' exists" err || fail "$(cat err)"
nightly 0 --dry-run --rounds 2
[ "$(grep -c '^# round [12]: \(A, B\|B, A\)$' out)" = 2 ] || fail "$(cat out)"
[ ! -e runs ] || fail "--dry-run has begun the series"

# Too few pairs for a verdict: said before they are recorded.
nightly 0 --rounds 1 --out few
has 'one pair does not show how much values vary: verdicts need three pairs' err || fail "$(cat err)"

# A build that fails ends it; the same command goes on. Then it has nothing to do but compare.
touch fail
nightly 1 --rounds 3 --seed 5
has 'the same command goes on with it' err || fail "$(cat err)"
rm fail built
nightly 0 --rounds 3
[ "$(wc -l <built)" = 6 ] || fail "not six builds: $(cat built)"
has '3 pairs can show no change of what varies: chance alone does as much in 10.0% of all comparisons' err || fail "$(cat err)"
nightly 0 --rounds 3 -- --format json
[ "$(wc -l <built)" = 6 ] || fail "it built again"
python3 -c 'import json; assert json.load(open("out")), "no rows"'
nightly 2 --seed 6
has 'this series began with 5' err || fail "$(cat err)"

# More rounds of the same series. Each side has its commit, and pairs are in turn.
nightly 0 --rounds 6 -- --fail-if 'wall > 1h'
[ "$(wc -l <built)" = 12 ] || fail "not twelve builds"
! has 'can show no change' err || fail "$(cat err)"
nightly 3 -- --fail-if 'wall > 1us'
series=$(the_run runs)
python3 - "$series" "$(git -C rust rev-parse HEAD~1)" "$(git -C rust rev-parse HEAD)" <<'PY'
import glob, json, sys
series, *commits = sys.argv[1:]
runs = []
for side, commit in zip("ab", commits):
    found = [json.load(open(path)) for path in glob.glob(f"{series}/{side}/*/manifest.json")]
    found = [run for run in found if run["state"] == "done"]
    assert len(found) == 6, (side, len(found))
    assert {run["source"]["git_commit"] for run in found} == {commit}, side
    runs += [(run["clock"]["base_ns"], side) for run in found]
order = "".join(side for _, side in sorted(runs))
pairs = [order[i : i + 2] for i in range(0, 12, 2)]
assert all(sorted(pair) == ["a", "b"] for pair in pairs), pairs
assert pairs.count("ab") == 3, pairs
PY

# Two compilers, and two checkouts.
mkdir first second
printf '#!/bin/sh\n' | tee first/rustc >second/rustc
chmod +x first/rustc second/rustc
sed -i '/stage1/,/--stage 2/d; s/^source.*/source = ./' test.ini
printf '[stage2]\ncommand = sh -c "echo $PWD $RUSTC >>%s/seen"\n' "$PWD" >>test.ini
for sides in 'first/rustc second/rustc' 'first second'; do
	: >seen
	# shellcheck disable=SC2086
	"$STAGETRACE" nightly test.ini --no-bundle --rounds 2 --ab $sides >out 2>err || fail "$(cat err)"
	for side in $sides; do
		[ "$(grep -c "/$side\$" seen)" = 2 ] || fail "not twice $side: $(cat seen)"
	done
done

# A compiler that acts by its name, as rustup's, has that name.
mkdir proxies
ln -s ../first/rustc proxies/rustc
ln -s ../second/rustc proxies/proxied
: >seen
"$STAGETRACE" nightly test.ini --no-bundle --rounds 1 --ab proxies/rustc proxies/proxied >out 2>err || fail "$(cat err)"
for name in rustc proxied; do
	grep -q "/proxies/$name\$" seen || fail "not by its name: $(cat seen)"
done

# A checkout that was changed between its runs: said, by its commit and by its files.
git -C second init -q
touch second/x
git -C second add .
git -C second commit -qm first
again() { "$STAGETRACE" nightly test.ini --no-bundle --rounds "$1" --out again --ab first second >out 2>err || fail "$(cat err)"; }
again 2
again 3
! has 'is not what its last run was made of' err || fail "$(cat err)"
git -C second commit -q --allow-empty -m second
again 3
has "B, '$PWD/second', is not what its last run was made of (commit of the checkout: '" err || fail "$(cat err)"
again 4
echo more >>second/x
again 4
has "is not what its last run was made of (checkout, diff_" err || fail "$(cat err)"

# Runs, and working trees, inside of the checkout are none of its files.
"$STAGETRACE" nightly test.ini --no-bundle --rounds 2 --out second/runs --ab first second >out 2>err || fail "$(cat err)"
"$STAGETRACE" nightly test.ini --no-bundle --rounds 1 --out second/runs --set run.source=second --ab HEAD~1 HEAD >out 2>err || fail "$(cat err)"
[ "$(find second/runs -name tree-a | wc -l)" = 1 ] || fail "no working tree: $(ls second/runs/*)"
"$STAGETRACE" nightly test.ini --no-bundle --rounds 3 --out second/runs --ab first second >out 2>err || fail "$(cat err)"
! grep -l untracked_files second/runs/*/*/*/manifest.json || fail "runs count as files of the checkout"

# With sudo a series is of the user who called it, if the output directory is.
if [ "$(id -u)" = 0 ]; then
	mkdir theirs
	chown 12345:12346 theirs
	SUDO_UID=12345 SUDO_GID=12346 "$STAGETRACE" nightly test.ini --no-bundle --rounds 1 --out theirs/runs --ab first second >out 2>err ||
		fail "$(cat err)"
	left=$(find theirs ! -user 12345 -o ! -group 12346)
	[ -z "$left" ] || fail "not given to its owner: $left"
fi
nothing_left
