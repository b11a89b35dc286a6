# On a terminal a view that takes longer than a second shows how far it has read its trace, in a line that is gone before
# anything else is printed. Elsewhere, with -q and before that second it does not.
set -o pipefail
cd "$DATA" || exit
view=(stagetrace cpu traced-run --by function --top 1 --format csv --columns self_ns)
on_terminal() {
	../tools/on-terminal.py env -u COLUMNS TERM=xterm "$@" | sed 's/\x1b\[K/<wiped>/g; s/\r/<start>/g; s/\x1b/ESC/g' |
		sed -E 's/trace: [0-9]+ %  [0-9]+ s/trace: N %  N s/g; s/(<start><wiped>reading the trace: N %  N s)+/\1/g'
}
on_terminal STAGETRACE_PROGRESS_AFTER=0 "${view[@]}"
echo '-- a bare trace, read twice, and a failure'
on_terminal STAGETRACE_PROGRESS_AFTER=0 stagetrace cpu no-mprotect.perf.data --by crate --format csv --columns self_ns
on_terminal STAGETRACE_PROGRESS_AFTER=0 stagetrace memory no-mprotect.perf.data --by crate || echo "exit code $?"
echo '-- none'
on_terminal STAGETRACE_PROGRESS_AFTER=0 "${view[@]}" -q
on_terminal STAGETRACE_PROGRESS_AFTER=3600000 "${view[@]}"
STAGETRACE_PROGRESS_AFTER=0 "${view[@]}" 2>&1
