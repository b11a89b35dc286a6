#!/usr/bin/env bash
# `git bisect run stagetrace record bisect.ini --fail-if ...` finds the commit since which a crate of the small bootstrap holds more
# memory, in a history of 13 commits of which two do not build and one is skipped by hand.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
perf_works
command -v git >/dev/null || skip "git is not installed"
. "$SRCDIR/tests/e2e/lib/bootstrap.sh"

export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@example.com GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@example.com
# With the stage 1 that all tests share: what is compiled is what the commits change.
mkdir rust
(cd "$SRCDIR/tests/bootstrap" && tar c --exclude=./build .) | tar x -C rust
cp -a "$BOOTSTRAP/build-finished" rust/build
cp -a "$BOOTSTRAP/Cargo.lock" rust
cd rust || exit
git init -q
printf 'build/\nCargo.lock\n' >.gitignore
crate=compiler/rustc_driver_impl

# A macro of the compiler's own that holds memory while the crate is compiled, whatever the allocator of rustc is.
mkdir -p compiler/rustc_keeps/src
cat >compiler/rustc_keeps/Cargo.toml <<'TOML'
[package]
name = "rustc_keeps"
version = "0.0.0"
edition = "2021"
[lib]
proc-macro = true
TOML
# keep_megabytes N
keep_megabytes() {
	cat >compiler/rustc_keeps/src/lib.rs <<-RS
		extern "C" {
		    fn mmap(at: *mut u8, size: usize, protection: i32, flags: i32, file: i32, offset: i64) -> *mut u8;
		}

		#[proc_macro]
		pub fn keep(_: proc_macro::TokenStream) -> proc_macro::TokenStream {
		    unsafe { mmap(std::ptr::null_mut(), $1 << 20, 3, 0x22, -1, 0) };
		    proc_macro::TokenStream::new()
		}
	RS
}
keep_megabytes 1
sed -i 's,^members = .*,&\n    "compiler/rustc_keeps"\,,' Cargo.toml
sed -i 's,^memchr =.*,&\nrustc_keeps = { path = "../rustc_keeps" },' $crate/Cargo.toml
echo 'rustc_keeps::keep!();' >>$crate/src/lib.rs
cp $crate/src/lib.rs ../good.rs

# The 9th commit makes it hold 400 MB; the 7th and the 11th do not build; the 10th is not to be looked at.
for number in $(seq 13); do
	cp ../good.rs $crate/src/lib.rs
	echo "// Change $number." >>$crate/src/lib.rs
	case $number in
	7 | 11) echo 'compile_error!("not finished");' >>$crate/src/lib.rs ;;
	9) keep_megabytes 400 ;;
	esac
	git add .
	git commit -qm "commit $number"
	git tag "c$number"
done

host=$(rustc -vV | sed -n 's/host: //p')
settings=(--set "run.source=$PWD" --set bootstrap.demo.size=small --set record.min-free-disk=1GB --set record.buffers=64
	--set "stage2.before=rm -rf build/$host/stage2" --out ../runs --no-bundle)
gate='crate:rustc_driver_impl.own-peak > 390MB'

# Its own mistake, before anything is built.
rc=0
"$STAGETRACE" record "$SRCDIR/configs/bisect.ini" "${settings[@]}" --fail-if 'crate:rustc_driver_impl.own-peek > 1GB' >../out 2>../err || rc=$?
[ $rc = 2 ] && [ ! -e ../runs ] || fail "exit code $rc: $(cat ../err)"

git bisect start c13 c1 >../out
git bisect skip c10 >>../out
rc=0
git bisect run "$STAGETRACE" record "$SRCDIR/configs/bisect.ini" "${settings[@]}" --fail-if "$gate" >../bisect.out 2>../bisect.err || rc=$?
[ $rc = 0 ] || fail "git bisect has exit code $rc: $(tail -n 40 ../bisect.out ../bisect.err)"
git bisect log >../log
has "^# first bad commit: \[$(git rev-parse c9)\]" ../log || fail "another commit: $(cat ../log)"
# One that does not build was looked at, and skipped; the gate says where the memory is.
has "^git bisect skip $(git rev-parse c7)" ../log || fail "the 7th commit was not skipped: $(cat ../log)"
has 'gate tripped: crate:rustc_driver_impl.own-peak > 390MB: ' ../bisect.err || fail "$(cat ../bisect.err)"
has 'functions with most: .*rustc_keeps' ../bisect.err || fail "the function is not named: $(grep functions ../bisect.err)"
cd .. || exit
nothing_left
