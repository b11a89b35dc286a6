# On a terminal of 60 columns: headings and warnings are bold, unless that is unwanted, and messages fit its width.
set -o pipefail
on_terminal() {
	"$DATA/../tools/on-terminal.py" --columns 60 env -u COLUMNS -u NO_COLOR "$@" | sed 's/\x1b/ESC/g'
}
view=(stagetrace cpu "$DATA/traced-run" --by role --crate nothing --crate no_crate_of_the_build_has_such_a_long_name)
on_terminal TERM=xterm "${view[@]}"
echo '-- unwanted'
on_terminal TERM=xterm NO_COLOR=1 "${view[@]}" | grep -c ESC || true
on_terminal TERM=dumb "${view[@]}" | grep -c ESC || true
on_terminal TERM=xterm "${view[@]}" --color never | grep -c ESC || true
echo '-- wanted'
on_terminal TERM=xterm NO_COLOR= "${view[@]}" | grep -c ESC
on_terminal TERM=dumb NO_COLOR=1 "${view[@]}" --color always | grep -c ESC
