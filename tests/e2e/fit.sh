#!/usr/bin/env bash
# `memory --jobs` of a build of seven crates by cargo, recorded with -j1, -j2 and -j4: jobs and waits are found, the peak that was
# measured is in the interval for the recording's own -j, and more jobs never hold less.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
perf_works
# A distribution's first: the heap of rustup's compiler is not committed memory.
[ ! -x /usr/bin/cargo ] || PATH=/usr/bin:$PATH
command -v cargo >/dev/null || skip "cargo is not installed"
# With more, what a compile holds is as many codegen units as the processors that other programs leave: docs/fit.md.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_CODEGEN_UNITS=1

# A library: make_crate NAME FUNCTIONS NEEDS...
make_crate() {
	local name=$1 functions=$2 need i
	shift 2
	mkdir -p "$name/src"
	printf '[package]\nname = "%s"\nversion = "0.1.0"\nedition = "2018"\n[dependencies]\n' "$name" >"$name/Cargo.toml"
	for need in "$@"; do
		printf '%s = { path = "../%s" }\n' "$need" "$need" >>"$name/Cargo.toml"
		echo "pub fn of_$need(n: u64) -> String { $need::f1(n) }"
	done >"$name/src/lib.rs"
	for i in $(seq "$functions"); do
		echo "pub fn f$i(n: u64) -> String { let mut v: Vec<u64> = (0..n).map(|x| x * $i).collect(); v.sort_by(|a, b| b.cmp(a));"
		echo "v.iter().filter(|x| *x % 3 == 0).map(|x| format!(\"{}-{}\", x, $i)).collect::<Vec<_>>().join(\",\") }"
	done >>"$name/src/lib.rs"
}
make_crate base 8
for crate in a:8 b:12 c:16 d:20 e:24; do make_crate "${crate%:*}" "${crate#*:}" base; done
make_crate top 8 a b c d e
printf '[workspace]\nmembers = ["top"]\n' >Cargo.toml

all=(1 2 4)
for jobs in "${all[@]}"; do
	"$STAGETRACE" record --out "runs-$jobs" --no-bundle --set record.recorder=perf --set record.memory-stacks=none --set record.touched=no \
		--set record.buffers=64 --set record.min-free-disk=256MB -- cargo build --offline --target-dir "target-$jobs" -j "$jobs" \
		>"$jobs.out" 2>"$jobs.err" || fail "$(cat "$jobs.err" "$jobs.out")"
	run=$(the_run "runs-$jobs")
	state_is "$run" "done"
	for other in "${all[@]}"; do
		"$STAGETRACE" memory "$run" --jobs "$other" --format json --head -o "$jobs-$other.json" 2>"$jobs-$other.err" ||
			fail "$(cat "$jobs-$other.err")"
	done
done
python3 "$SRCDIR/tests/tools/check-fit.py" "$PWD" "${all[@]}" || fail "the intervals are wrong"
nothing_left
