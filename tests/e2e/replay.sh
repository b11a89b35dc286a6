#!/usr/bin/env bash
# One compiler call of a recorded build by cargo is run again: its output is byte-equal, with the variables that the crate
# read. What is missing is named, and another user's run is not run.
# kind: waits
. "$SRCDIR/tests/e2e/lib/lib.sh"
perf_works
command -v cargo >/dev/null || skip "cargo is not installed"

mkdir -p app/src app/leaf/src
cd app || exit
cat >Cargo.toml <<'TOML'
[package]
name = "app"
version = "0.1.0"
edition = "2018"
[dependencies]
leaf = { path = "leaf" }
TOML
sed '/dependencies/,$d; s/"app"/"leaf"\ndescription = "  of two\\nlines "/' Cargo.toml >leaf/Cargo.toml
# A variable that a build script sets is kept in the file of dependencies alone.
echo 'fn main() { println!("cargo:rustc-env=FROM_SCRIPT=a value") }' >leaf/build.rs
echo 'fn main() { println!("{}", leaf::leaf()) }' >src/main.rs
cat >leaf/src/lib.rs <<'RS'
pub fn leaf() -> &'static str { concat!(env!("CARGO_PKG_NAME"), env!("FROM_SCRIPT"), include_str!("text")) }
RS
echo 'of a leaf' >leaf/src/text

settings=(--set record.min-free-disk=64MB --set record.buffers=16 --no-bundle)
"$STAGETRACE" record "${settings[@]}" --set stage2.env.OF_THE_BUILD=1 -- cargo build --offline --release >out 2>err || fail "$(cat err)"
mv runs recorded
recorded=$(the_run recorded)

# Byte-equal, twice; the recorded outputs are not touched.
original=$(echo target/release/deps/libleaf-*.rlib)
touch -d 2020-01-01 "$original"
"$STAGETRACE" replay "$recorded" --crate leaf --times 2 --outputs outputs "${settings[@]}" >out 2>err || fail "$(cat err)"
cmp "$original" "outputs/$(basename "$original")" || fail "the output differs: $(ls outputs)"
[ "$(date -r "$original" +%Y)" = 2020 ] || fail "the recorded output was replaced"
[ "$(grep -c '^  replayed  *[0-9.]* [mu]*s' out)" = 2 ] || fail "not two rows: $(cat out)"
grep -q '^  recorded  *[0-9.]* [mu]*s  *[0-9.]* [mu]*s  *[0-9.]* [KM]B  /.*/recorded/' out || fail "no row of the recorded call: $(cat out)"
[ "$(find runs -mindepth 1 -maxdepth 1 -name 'replay-leaf-*' | wc -l)" = 2 ] || fail "not two runs: $(ls runs)"
for run in runs/*; do
	state_is "$run" "done"
	"$STAGETRACE" processes "$run" --role rustc --format csv --columns crate | has '^leaf' || fail "no row of the crate"
	"$STAGETRACE" cpu "$run" --by crate --format csv | has '^leaf,' || fail "no CPU time of the crate"
	! grep -q OF_THE_BUILD "$run/config.ini" || fail "a variable of the build's configuration is set"
	grep -q 'FROM_SCRIPT = a value' "$run/config.ini" || fail "the variable is not kept: $(cat "$run/config.ini")"
done
run=
# They are runs like others: the crate of one is that of the other.
"$STAGETRACE" compare runs/* --by crate --format csv --columns crate,size_base,size_new >out 2>compare.err || fail "replays are not compared: $(cat compare.err)"
has '^leaf,[1-9][0-9]*,[1-9][0-9]*' out || fail "the crate is not in both: $(cat out)"
has 'in the new run: the variables FROM_SCRIPT$' err || fail "the variable is not named: $(cat err)"
has 'variable CARGO_PKG_DESCRIPTION is not set' err || fail "nothing about the description: $(cat err)"

# Only the command is shown.
"$STAGETRACE" replay "$recorded" --crate app --jobs 1 --dry-run "${settings[@]}" >out 2>err || fail "$(cat err)"
grep -q -- '--crate-name app' out || fail "not the command: $(cat out)"
[ "$(find runs -mindepth 1 -maxdepth 1 | wc -l)" = 2 ] || fail "--dry-run has recorded"

# No such crate.
rc=0
"$STAGETRACE" replay "$recorded" --crate no_such_crate >out 2>err || rc=$?
[ $rc = 1 ] && has "no call of rustc of crate 'no_such_crate'" err || fail "exit code $rc: $(cat err)"

# An input is gone; nothing is started.
mv "$original" kept
rc=0
"$STAGETRACE" replay "$recorded" --crate app "${settings[@]}" >out 2>err || rc=$?
[ $rc = 1 ] && has 'there is no .*libleaf.*which the crate uses' err || fail "exit code $rc: $(cat err)"
[ "$(find runs -mindepth 1 -maxdepth 1 | wc -l)" = 2 ] || fail "it was started"
mv kept "$original"

# A compiler that fails: the run is marked, with the compiler's output.
cat >failing <<'SH'
#!/bin/sh
echo "it fails: $*"
cat <<'JSON'
{"$message_type":"artifact","artifact":"leaf.d","emit":"dep-info"}
{"$message_type":"diagnostic","message":"no","rendered":"\u001b[1m\u001b[91merror\u001b[0m: no crate\n --> leaf.rs:1:1\n"}
JSON
exit 3
SH
chmod +x failing
rc=0
"$STAGETRACE" replay "$recorded" --crate leaf --with ./failing "${settings[@]}" >out 2>err || rc=$?
[ $rc = 1 ] && has 'failed with exit code 3' err && has 'it fails: --crate-name leaf' err || fail "exit code $rc: $(cat err)"
# What rustc says in JSON is shown as it would be on a terminal without colours.
has '^error: no crate$' err && has '^ --> leaf.rs:1:1$' err && ! has 'message_type' err || fail "$(cat err)"

# One that acts by its name, as rustup's: the name is kept, and a link to its directory is not.
mkdir proxies
printf '#!/bin/sh\n[ "${0##*/}" = rustc ] || { echo "not a name: $0"; exit 4; }\nexec "%s" "$@"\n' "$(type -P rustc)" >proxies/proxy
chmod +x proxies/proxy
ln -s proxy proxies/rustc
ln -s proxies linked
"$STAGETRACE" replay "$recorded" --crate leaf --with linked/rustc "${settings[@]}" >out 2>err || fail "the compiler's name: $(cat err)"

# Others could change it.
chmod g+w "$recorded/processes.jsonl"
rc=0
"$STAGETRACE" replay "$recorded" --crate leaf "${settings[@]}" >out 2>err || rc=$?
[ $rc = 1 ] && has 'then add --trust' err || fail "a run that others can change was run: exit code $rc: $(cat err)"
chmod g-w "$recorded/processes.jsonl"

# A copy, as a stranger's run would be. Nothing that it names is looked at until it is trusted.
cp -a "$recorded" copied
rc=0
"$STAGETRACE" replay copied --crate leaf "${settings[@]}" >out 2>err || rc=$?
[ $rc = 1 ] && has 'then add --trust' err || fail "a copy was run: exit code $rc: $(cat err)"
"$STAGETRACE" replay copied --crate leaf --dry-run >out 2>err || fail "$(cat err)"
has -- '--crate-name leaf' out && ! has 'FROM_SCRIPT' out || fail "not the command alone: $(cat out)"

# What the command does not show is not a stranger's to choose.
printf '[bundle]\nmode = 0664\nwpa-profile = %s/app.secret\n[record]\ntemp = %s\n' "$PWD" "$PWD" >>copied/config.ini
echo secret >app.secret
rm -rf strangers
"$STAGETRACE" replay copied --crate leaf --trust --out strangers "${settings[@]}" >out 2>err || fail "$(cat err)"
has 'the run are not used' err || fail "not said: $(cat err)"
[ -z "$(find strangers -perm /077)" ] || fail "others may read: $(ls -lR strangers)"
! grep -rq '^secret$' strangers || fail "a file of this machine is in the run"
"$STAGETRACE" replay copied --crate leaf --trust --set record.recorder=none "${settings[@]}" >out 2>err || fail "$(cat err)"
nothing_left
