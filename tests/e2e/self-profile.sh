#!/usr/bin/env bash
# Queries and phases of a recorded rustc have the shares that rustc itself measures with -Zself-profile, which knows nothing of
# stacks or names of functions: a real crate (syn), compiled with optimization.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
perf_works
command -v rustc >/dev/null || skip "rustc is not installed"
export RUSTC_BOOTSTRAP=1
sysroot=$(rustc --print sysroot)
rustc -Z help 2>/dev/null | has 'self-profile' || skip "this rustc has no -Zself-profile"
readelf -SW "$sysroot"/lib/librustc_driver-*.so | has '\.symtab' || skip "the symbols of this rustc are stripped: no functions, no queries"
registry=/usr/share/cargo/registry

# compile CRATE FEATURES ARGUMENT...: its source is a package of Debian
compile() {
	local source feature arguments=()
	source=$(compgen -G "$registry/${1//_/[-_]}-1.*/src/lib.rs" | head -n 1) || skip "there is no source of the crate $1 in $registry"
	for feature in $2; do
		arguments+=(--cfg "feature=\"$feature\"")
	done
	compiler=("$sysroot/bin/rustc" --edition 2018 --crate-type lib --crate-name "$1" "$source" --out-dir deps -L deps
		--cap-lints allow "${arguments[@]}" "${@:3}")
}

compile unicode_ident ''
"${compiler[@]}"
compile proc_macro2 proc-macro --extern unicode_ident --cfg use_proc_macro --cfg wrap_proc_macro
"${compiler[@]}"
compile quote proc-macro --extern proc_macro2
"${compiler[@]}"

# One unit of code: its times of the wall clock are comparable with those of rustc's main thread.
compile syn 'proc-macro derive parsing printing clone-impls quote' --extern proc_macro2 --extern quote --extern unicode_ident \
	-Copt-level=3 -Ccodegen-units=1 -Zself-profile=profile -Zself-profile-events=generic-activity,query-provider,llvm
settings=(--set record.min-free-disk=64MB --set record.buffers=$((8 * $(nproc))) --set record.virtualalloc=no --set record.cpu-stacks=dwarf)
clock='import time; print(time.clock_gettime_ns(time.CLOCK_REALTIME) - time.clock_gettime_ns(time.CLOCK_MONOTONIC))'
# shellcheck disable=SC2016 # it is the shell that is recorded which replaces them
"$STAGETRACE" record --no-bundle "${settings[@]}" -- sh -c 'python3 -c "$0" >clock && exec "$@"' "$clock" "${compiler[@]}" >out 2>err ||
	fail "$(cat err)"
run=$(the_run runs)
profile=$(compgen -G "profile/syn-*.mm_profdata") || fail "rustc has written no profile: $(cat "$run"/logs/stage2.log)"
pid=${profile##*-}
pid=$((10#${pid%.mm_profdata}))
perf script -i "$run/trace.perf.data" --ns -F event,pid,tid,time >samples 2>perf.err || fail "perf script: $(cat perf.err)"

# All of LLVM's work on functions of a call graph's component is done below what the inliner's name begins with: a wrong rule, which
# is found.
sed 's/\*llvm::ModuleInlinerPass\*/llvm::ModuleInliner*/' "$SRCDIR/profiles/rustc.stacktags" >wrong.stacktags
view=("$STAGETRACE" cpu "$run" -q --process "$pid" --format json --by)
"${view[@]}" query >queries || fail "cpu --by query"
"${view[@]}" thread,phase >phases || fail "cpu --by phase"
"${view[@]}" thread,phase --stack-tags wrong.stacktags >wrong.phases || fail "cpu --by phase with other rules"
python3 "$SRCDIR/tests/tools/check-self-profile.py" "$profile" samples "$(cat clock)" queries phases 3 wrong.phases 'LLVM inline' ||
	fail "the shares are others than those of rustc, or a wrong rule is not found"
