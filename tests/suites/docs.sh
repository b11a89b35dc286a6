#!/usr/bin/env bash
# Each command has its page docs/COMMAND.md, with the options of its --help, and no others.
#
# A page writes options as code (`--top N`). Those that begin an item of a list or a row of a table must be options of the
# command.
#
# The examples, two or more, at the end of each --help are run, in a directory with the files that they name.
#
# The manual page describes the environment variables that the program reads, and no others; docs/security.md those that are kept of
# a process of the build, docs/run-directory.md those that a run notes of its recording. docs/calls.md lists the plumbing of call trees.
set -u
cd "$ROOT" || exit 1
stagetrace=$ROOT/$B/stagetrace

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
	grep -oE '^([-*|]) *`-[^`]*`(, `-[^`]*`)*' "$page" | grep -oE -- '--[a-z0-9-]+' | sort -u >"$SCRATCH/docs/$1.page"
	options_of_help "$1" >"$SCRATCH/docs/$1.help"
	comm -23 "$SCRATCH/docs/$1.help" "$SCRATCH/docs/$1.page" | sed "s|.*|$page does not describe &|"
	comm -13 "$SCRATCH/docs/$1.help" "$SCRATCH/docs/$1.page" | sed "s|.*|$page describes &, which 'stagetrace $1' does not have|"
}

examples() {
	"$stagetrace" "$1" --help | sed '1,/^Examples:$/d' | sed -n 's/^  \([^ #]\)/\1/p'
}

# What the examples name: runs, traces, configurations that record nothing but processes, checkouts in ~/rust and ~/rust-new.
make_fixture() {
	local data=$ROOT/tests/data

	mkdir -p "$1/rust/build/this-host/stage1/bin" "$1/runs" "$1/standin"
	cp "$(type -P true)" "$1/rust/build/this-host/stage1/bin/rustc"
	cp -r "$data/traced-run" "$1/run"
	cp -r "$data/traced-run" "$1/base"
	cp -r "$data/traced-run" "$1/new"
	cp -r "$data/traced-run" "$1/runs/killed.partial"
	cp "$data/traced-run/trace.perf.data" "$1/perf.data"
	cp "$data/etl/SIH.etl" "$1/trace.etl"
	touch "$1/rust/x.py"
	cp -r "$1/rust" "$1/rust-new"
	printf '#!/bin/sh\n' >"$1/standin/cargo"
	chmod +x "$1/standin/cargo"
	printf '[run]\nsource = rust\n[stage1]\ncommand = true\n[stage2]\ncommand = true\n' >"$1/memory.ini"
	cp "$1/memory.ini" "$1/heap.ini"
	printf '[record]\nrecorder = none\nmin-free-disk = 0\n' >>"$1/memory.ini"
	cp "$1/memory.ini" "$1/cpu.ini"
	printf '[heap]\ncrate = rustc_middle\n' >>"$1/heap.ini"
	# The run of one call, which can be made again.
	if [ "$2" = replay ]; then
		cp "$(type -P true)" "$1/standin/rustc"
		ln -s this-host "$1/rust/build/host"
		rm -r "$1/run"
		(
			cd "$1" && touch lib.rs &&
				"$stagetrace" record memory.ini --no-bundle -- standin/rustc --crate-name rustc_middle lib.rs >/dev/null 2>&1
			mv runs/memory-* run
		)
	fi
	if [ "$2" = rerun ]; then
		rm -r "$1/run"
		(
			cd "$1" && "$stagetrace" record memory.ini --no-bundle >/dev/null 2>&1
			mv runs/memory-* run
		)
	fi
	# `open` is for traces of Windows.
	if [ "$2" = open ]; then
		mv "$1/trace.etl" "$1/run"
		cp "$1/run/trace.etl" "$1/trace.etl"
		rm "$1/run/trace.perf.data"
	fi
}

# run_example DIRECTORY COMMAND LINE
run_example() {
	local dir=$1

	make_fixture "$dir" "$2"
	[ "$2" != heap ] || export STAGETRACE_WPR=$ROOT/$B/tests/tools/wpt/wpr STANDIN_STATE=$dir/standin
	(cd "$dir" && HOME=$dir TMPDIR=$dir PATH=$dir/standin:$PATH timeout 600 bash -eu -o pipefail -c "$3") >"$dir.stdout" 2>"$dir.stderr" </dev/null || {
		echo "$3"
		cat "$dir.stdout" "$dir.stderr"
	}
}

# Names in files that read the environment. The first two of those left out are for tests, the others are no variables.
variables_in_source() {
	grep -rlE '\b(getenv|env_get|wide_getenv)\(' src --include='*.c' | grep -vx src/record/build_facts.c |
		xargs grep -ohE '"(_?[A-Z][A-Z0-9_]{2,}|SystemRoot|ProgramFiles(\(x86\))?)"' | tr -d '"' | grep -vxE 'STAGETRACE_REGISTRY|STAGETRACE_PROGRESS_AFTER|NUL|RUN|UBR|MSCF'
	# Made of the name of a tool; the cookie of a build; those that a library of the system reads.
	printf '%s\n' STAGETRACE_WPR STAGETRACE_XPERF "$(sed -n 's/^#define BUILD_COOKIE "\(.*\)"/\1/p' src/platform/build_tree.h)" TMP TEMP
}

variables_in_manual() {
	"$stagetrace" help --man | sed -n '/^.SH ENVIRONMENT/,/^.SH FILES/p' | grep -v '^\.[ST]' |
		grep -oE '\b(_?[A-Z][A-Z0-9_]{2,}|[A-Z][a-z]+[A-Z][A-Za-z]+(\(x86\))?)' | grep -vxE 'WPA|PDB|Windows'
}

compare_variables() {
	comm -23 <(variables_in_source | LC_ALL=C sort -u) <(variables_in_manual | LC_ALL=C sort -u) | sed 's/$/: not in the manual page/'
	comm -13 <(variables_in_source | LC_ALL=C sort -u) <(variables_in_manual | LC_ALL=C sort -u) | sed 's/$/: in the manual page, not read/'
}

kept_in_source() {
	sed -n '/^static const char \*const env_names/,/^};/s/.*"\(.*\)".*/\1/p' src/record/stage2.c
}

kept_in_page() {
	awk -v RS= '/^These variables of a process are kept/' docs/security.md | grep -oE '`[A-Z_]{2,}\*?`' | tr -d '`'
}

compare_kept() {
	comm -23 <(kept_in_source | LC_ALL=C sort) <(kept_in_page | LC_ALL=C sort) | sed 's/$/: not in docs\/security.md/'
	comm -13 <(kept_in_source | LC_ALL=C sort) <(kept_in_page | LC_ALL=C sort) | sed 's/$/: in docs\/security.md, not kept/'
	[ -n "$(kept_in_source)" ] || echo "no variables found in src/record/stage2.c"
}

noted_in_source() {
	sed -n '/^static void add_environment/,/};/s/^\t\t"\(.*\)",/\1/p' src/record/build_facts.c
}

noted_in_page() {
	sed -n 's/^| `environment` | \(.*\)\. No others.*/\1/p' docs/run-directory.md | grep -oE '`[A-Z0-9_]+`' | tr -d '`'
}

compare_noted() {
	comm -3 <(noted_in_source | LC_ALL=C sort) <(noted_in_page | LC_ALL=C sort) | sed 's/$/: only in docs\/run-directory.md, or only in src\/record\/build_facts.c/'
	[ -n "$(noted_in_source)" ] || echo "no variables found in src/record/build_facts.c"
}

plumbing_in_source() {
	sed -n '/^const char \*const call_tree_plumbing/,/^};/s/^\t"\(.*\)",/\1/p' src/report/call_maker.c
}

plumbing_in_page() {
	awk '/`--plumbing` shows them/ { list = 1; next } list && /^      / { gsub(" ", ""); print; next } list && NF { exit }' docs/calls.md
}

# The order is the same too.
compare_plumbing() {
	diff <(plumbing_in_source | tr -d ' ') <(plumbing_in_page) | sed -n 's/^< \(.*\)/\1: not in docs\/calls.md/p; s/^> \(.*\)/\1: in docs\/calls.md, not in the source/p'
	[ -n "$(plumbing_in_source)" ] || echo "no patterns found in src/report/call_maker.c"
}

# A job for each command, one for the manual page, one for the variables of a process, one for those of a recording and one for the
# plumbing.
list() {
	local names

	names=$(commands)
	if [ -z "$names" ]; then
		echo "FAIL docs: '$stagetrace help' lists no commands"
		return
	fi
	mkdir -p "$SCRATCH/docs/bin"
	ln -sf "$(realpath "$stagetrace")" "$SCRATCH/docs/bin/stagetrace"
	awk '{ print "cpu", $0 }' <<<"$names"
	echo "cpu manual-page"
	echo "cpu kept-variables"
	echo "cpu noted-variables"
	echo "cpu plumbing"
}

# result NAME WRONG
result() {
	if [ -z "$2" ]; then
		echo "PASS $1"
	else
		printf '%s\n' "$2"
		echo "FAIL $1"
	fi
}

run() {
	local wrong number=0 example

	if [ "$1" = manual-page ]; then
		result "the manual page names the variables that are read" "$(compare_variables)"
		return
	fi
	if [ "$1" = kept-variables ]; then
		result "docs/security.md names the variables that are kept" "$(compare_kept)"
		return
	fi
	if [ "$1" = noted-variables ]; then
		result "docs/run-directory.md names the variables that a run notes" "$(compare_noted)"
		return
	fi
	if [ "$1" = plumbing ]; then
		result "docs/calls.md lists the plumbing" "$(compare_plumbing)"
		return
	fi
	result "docs/$1.md and --help agree" "$(compare "$1")"
	wrong=$(
		PATH=$SCRATCH/docs/bin:$PATH
		while IFS= read -r example; do
			number=$((number + 1))
			run_example "$SCRATCH/docs/$1-$number" "$1" "$example"
		done < <(examples "$1")
		[ "$number" -ge 2 ] || echo "$number examples"
	)
	result "the examples of $1 --help run" "$wrong"
}

"$@"
