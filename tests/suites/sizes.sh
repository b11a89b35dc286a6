#!/usr/bin/env bash
# Functions of at most 100 lines, files of at most 800; above 60 and 500 there is a note.
set -u
cd "$ROOT" || exit 1

judge() {
	local name=$1 warn=$2 limit=$3

	awk -v name="$name" -v warn="$warn" -v limit="$limit" '
		$1 > limit { print $2 ": " $1 " lines, above the limit of " limit; bad = 1; next }
		$1 > warn { print "note: " $2 ": " $1 " lines" }
		END { print (bad ? "FAIL " : "PASS ") name }'
}

list() {
	echo "cpu sizes"
}

run() {
	find src -name '*.[ch]' -exec wc -l {} + | awk '$2 != "total"' | sort -k2 |
		judge "files have at most 800 lines" 500 800

	if [[ $(ctags --version 2>/dev/null) != *Universal* ]]; then
		echo "SKIP functions have at most 100 lines: no universal-ctags here"
		exit 0
	fi
	find src -name '*.c' | sort | ctags --languages=C --c-kinds=f --fields=+ne -f - -L - |
		awk -F '\t' '{
			line = end = 0
			for (i = 4; i <= NF; i++) {
				if ($i ~ /^line:/) line = substr($i, 6)
				if ($i ~ /^end:/) end = substr($i, 5)
			}
			print end - line + 1, $2 ":" $1 "()"
		}' | judge "functions have at most 100 lines" 60 100
}

"$@"
