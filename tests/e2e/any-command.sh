#!/usr/bin/env bash
# A command after -- is recorded without a configuration: a build by cargo, with a row for each crate.
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
sed 's/"app"/"leaf"/; /dependencies/,$d' Cargo.toml >leaf/Cargo.toml
echo 'fn main() { println!("{}", leaf::leaf()) }' >src/main.rs
echo 'pub fn leaf() -> &'"'static"' str { "a leaf" }' >leaf/src/lib.rs

settings=(--set record.min-free-disk=64MB --set record.buffers=16)
"$STAGETRACE" record "${settings[@]}" --set "stage2.env.A_NAME=a value" -- cargo build --offline >out 2>err || fail "$(cat err)"
grep -q '^  command     .* wall' out || fail "its time is not there: $(cat out)"
run=$(find "$PWD/runs" -mindepth 1 -maxdepth 1 -type d)
[[ $run == */runs/cargo-* ]] && [ -s "$run.zip" ] || fail "the run has another name: $(ls runs)"
state_is "$run" "done"
"$STAGETRACE" system "$run" | has '^boot  *boot_utc' || fail "the machine is not there"
# What changes how much memory and time a build takes, where this machine has it.
"$STAGETRACE" system "$run" --format csv -q >facts
while read -r key file; do
	[ ! -r "$file" ] || has -F "host,$key,$(tr -d '\n' <"$file")" facts || fail "no $key: $(grep ^host facts)"
done <<'FACTS'
transparent_hugepage /sys/kernel/mm/transparent_hugepage/enabled
swappiness /proc/sys/vm/swappiness
overcommit_memory /proc/sys/vm/overcommit_memory
cpu_governor /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor
FACTS
"$STAGETRACE" processes "$run" --role rustc --format csv --columns crate,crate_type >crates
has '^app,bin' crates && has '^leaf,lib' crates || fail "not the crates: $(cat crates)"
"$STAGETRACE" cpu "$run" --by crate --format csv | has '^leaf,' || fail "no CPU time of a crate"
processes_are_whole "$run"
# What WPA needs is there, and in the bundle, for `convert`: the profile without heaps, its stack tags.
sed '/<View .*Title="rustc Heap Analysis"/,/<\/View>/d' "$SRCDIR/profiles/rustc.wpaProfile" | cmp - "$run/rustc.wpaProfile" || fail "another profile"
cmp "$SRCDIR/profiles/rustc.stacktags" "$run/rustc.stacktags" || fail "other stack tags"
unzip -l "$run.zip" >packed
has '/rustc.wpaProfile$' packed && has '/rustc.stacktags$' packed || fail "not in the bundle: $(cat packed)"

# The run has a configuration that repeats it.
rm -rf target
"$STAGETRACE" record "$run/config.ini" --out "$TESTDIR/again" >out 2>err || fail "$(cat err)"
[ -x target/debug/app ] || fail "nothing was built: $(cat out)"
grep -q 'A_NAME = a value' "$(the_run "$TESTDIR/again")/config.ini" || fail "the variable is not kept"

# Another configuration's settings, not its bootstrap.
printf '[run]\nname = mine\nsource = /nowhere\n[stage1]\ncommand = no-such-program\n[stage2]\ncommand = ./x.py\n' >other.ini
printf '[record]\nrecorder = none\nmin-free-disk = 64MB\n' >>other.ini
rc=0
"$STAGETRACE" record other.ini --out "$TESTDIR/other" -- sh -c 'echo "$1"; exit 3' sh 'two words' >out 2>err || rc=$?
[ $rc = 1 ] && has "the command failed with exit code 3; its output is in" err || fail "exit code $rc: $(cat err)"
other=$(the_run "$TESTDIR/other")
[[ $other == */mine-* ]] || fail "the run has another name: $other"
[ "$(cat "$other/logs/stage2.log")" = 'two words' ] || fail "the arguments are others: $(cat "$other/logs/stage2.log")"
nothing_left
