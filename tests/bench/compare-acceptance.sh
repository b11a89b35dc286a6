#!/usr/bin/env bash
# How often `compare` raises a false alarm, and how often it finds a real change: in whole comparisons of real recordings.
#
#     make && tests/bench/compare-acceptance.sh record [ROUNDS]     # the recordings: half an hour
#     tests/bench/compare-acceptance.sh judge [RANDOM]              # the table
#
# `record` makes stage 2 of the small bootstrap in rounds of 9 in random order: 5 as it is, 2 each of which the compile of one crate holds
# 5 % and 10 % of its own peak more, in a function that holds 8 MB in the others too; by default 8 rounds: 40, 16 and 16 recordings. It
# goes on after an interruption. Crates are one codegen unit each, as in releases of rustc: with more of them LLVM's threads race, and the
# own peaks of compiles vary by 4 %.
# `judge` draws sides of six from them RANDOM times (2,000), and takes all blocks of twelve in the order of time.
#
# $RUSTC and $CARGO are the compiler: a distribution's, as the heap of rustup's is not committed memory (jemalloc). $WORK is
# another place for the recordings, $BY a command that runs each of them, as `nice`, $STAGETRACE another program, $UNITS another
# number of codegen units, $GROWN another number of those that hold more in a round.
set -euo pipefail
cd "$(dirname "$0")/../.."
stagetrace=${STAGETRACE:-$PWD/build/stagetrace} here=$PWD
work=${WORK:-$PWD/build/bench/compare-acceptance}
PATH=$PATH:$HOME/.cargo/bin
crate=rustc_driver_impl kept=$((8 << 20)) units=${UNITS:-1} grown=${GROWN:-2}
rustc=${RUSTC:-$(command -v rustc)} cargo=${CARGO:-$(command -v cargo)}
host=$("$rustc" -vV | sed -n 's/host: //p')
mkdir -p "$work"

# A checkout of the small bootstrap with stage 1, in which a macro that the crate $crate uses holds so many bytes until the
# compiler ends: prepare NAME BYTES. Paths have equal lengths.
prepare() {
	local rust=$work/$1/rust
	[ ! -e "$work/$1/ready" ] || return 0
	mkdir -p "$rust/compiler/rustc_keeps/src"
	(cd "$here/tests/bootstrap" && tar c --exclude=./build .) | tar x -C "$rust"
	cat >"$rust/compiler/rustc_keeps/Cargo.toml" <<-'TOML'
		[package]
		name = "rustc_keeps"
		version = "0.0.0"
		edition = "2021"
		[lib]
		proc-macro = true
	TOML
	cat >"$rust/compiler/rustc_keeps/src/lib.rs" <<-RS
		const KEPT: usize = $2;

		#[inline(never)]
		fn remember() {
		    let mut bytes = vec![1u8; KEPT];
		    unsafe { std::ptr::write_volatile(bytes.as_mut_ptr(), 2) };
		    std::mem::forget(bytes);
		}

		#[proc_macro]
		pub fn keep(_: proc_macro::TokenStream) -> proc_macro::TokenStream {
		    remember();
		    proc_macro::TokenStream::new()
		}
	RS
	sed -i 's,^memchr =.*,&\nrustc_keeps = { path = "../rustc_keeps" },' "$rust/compiler/$crate/Cargo.toml"
	sed -i 's,^members = .*,&\n    "compiler/rustc_keeps"\,,' "$rust/Cargo.toml"
	echo 'rustc_keeps::keep!();' >>"$rust/compiler/$crate/src/lib.rs"
	cat >"$work/$1.ini" <<-INI
		[run]
		name = $1
		source = $1/rust
		output = runs
		[bootstrap]
		rust.debuginfo-level = 1
		rust.frame-pointers = true
		rust.codegen-units = $units
		demo.size = small
		build.rustc = $rustc
		build.cargo = $cargo
		[stage1]
		command = python3 x.py build --stage 1 -i library
		[stage2]
		before = rm -rf build/$host/stage1-rustc build/$host/stage2
		command = python3 x.py build --stage 2 -i library
		[record]
		recorder = perf
		cpu = no
		touched = no
		buffers = 64
		min-free-disk = 1GB
	INI
	(cd "$rust" && ${BY:-} python3 x.py build --stage 1 -i library --set rust.debuginfo-level=1 --set rust.frame-pointers=true \
		--set "rust.codegen-units=$units" --set demo.size=small --set "build.rustc=$rustc" --set "build.cargo=$cargo") \
		>"$work/$1/stage1.log" 2>&1
	touch "$work/$1/ready"
}

# One recording of NAME; an interrupted one is removed.
take() {
	rm -rf "$work"/runs/*.partial
	${BY:-} "$stagetrace" record "$work/$1.ini" --skip-stage1 --no-bundle >"$work/record.out" 2>"$work/record.err" || {
		cat "$work/record.err" >&2
		return 1
	}
}

count() { find "$work/runs" -mindepth 1 -maxdepth 1 -name "$1-2*" ! -name '*.partial' 2>/dev/null | wc -l; }

record() {
	local rounds=$1 round name peak each all=(v00 v00 v00 v00 v00)
	prepare v00 $kept
	[ "$(count v00)" != 0 ] || take v00
	peak=$("$stagetrace" memory "$(find "$work"/runs -maxdepth 1 -name 'v00-2*' | sort | head -n 1)" --by crate --crate "$crate" \
		--role rustc --columns peak_bytes --format csv -q | tail -n 1 | tr -d '\r')
	prepare v05 $((kept + peak * 5 / 100))
	prepare v10 $((kept + peak * 10 / 100))
	for ((each = 0; each < grown; each++)); do
		all+=(v05 v10)
	done
	for round in $(seq "$rounds"); do
		for name in $(printf '%s\n' "${all[@]}" | shuf --random-source=<(yes "$round")); do
			each=$grown
			[ "$name" != v00 ] || each=5
			[ "$(count "$name")" -ge $((round * each)) ] || take "$name"
		done
		echo "round $round: $(count v00) unchanged, $(count v05) with 5 %, $(count v10) with 10 %"
	done
}

case ${1:-} in
record) record "${2:-8}" ;;
judge)
	make -s build/tests/tools/judge-runs
	exec python3 "$here/tests/bench/compare-acceptance.py" "$stagetrace" build/tests/tools/judge-runs "$work/runs" "${2:-2000}"
	;;
*)
	sed -n '2,15s/^# \{0,1\}//p' "$0"
	exit 2
	;;
esac
