# shellcheck shell=bash
# For tests that compare the views of a real recording with those of another trace of it; sourced after lib.sh.

perf_works
command -v zstd >/dev/null || skip "zstd is not installed"
. "$SRCDIR/tests/e2e/lib/bootstrap.sh"

# write_views TRACE DIRECTORY VIEW...: one file each, and VIEW.err with what it says on stderr.
write_views() {
	local trace=$1 directory=$2 view

	mkdir "$directory"
	for view in "${@:3}"; do
		# shellcheck disable=SC2086 # a view is some words
		"$STAGETRACE" $view "$trace" >"$directory/$view" 2>"$directory/$view.err" || fail "$view $trace: $(cat "$directory/$view.err")"
	done
}

# How often the secret of the build's environment is in a trace; with --any before it, how often until the first piece that has it.
count_secrets() { python3 "$SRCDIR/tests/tools/count-in-trace.py" "$@" "$BOOTSTRAP_TOKEN" | cut -d ' ' -f 1; }
