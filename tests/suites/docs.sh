#!/usr/bin/env bash
# Each command has its page docs/COMMAND.md, with the options of its --help, and no others.
#
# A page names an option in code (`--top N`); those that begin an item of a list or a row of a table are its
# own, and must be the command's.
set -u
cd "$ROOT" || exit 1
stagetrace=$B/stagetrace

commands() {
	"$stagetrace" help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\).*/\1/p'
}

options_of_help() {
	"$stagetrace" "$1" --help | sed -nE 's/^  (-., |    )(--[a-z0-9-]+).*/\2/p' | grep -vx -- --help | sort -u
}

compare() {
	local page=docs/$1.md

	if [ ! -f "$page" ]; then
		echo "no page $page"
		return
	fi
	grep -oE '^([-*|]) *`-[^`]*`(, `-[^`]*`)*' "$page" | grep -oE -- '--[a-z0-9-]+' | sort -u >"$SCRATCH/page"
	options_of_help "$1" >"$SCRATCH/help"
	comm -23 "$SCRATCH/help" "$SCRATCH/page" | sed "s|.*|$page does not tell of &|"
	comm -13 "$SCRATCH/help" "$SCRATCH/page" | sed "s|.*|$page tells of &, which 'stagetrace $1' does not have|"
}

if [ -z "$(commands)" ]; then
	echo "FAIL docs: '$stagetrace help' lists no commands"
	exit 0
fi
for command in $(commands); do
	wrong=$(compare "$command")
	if [ -z "$wrong" ]; then
		echo "PASS docs/$command.md and --help agree"
	else
		printf '%s\n' "$wrong"
		echo "FAIL docs/$command.md and --help agree"
	fi
done
