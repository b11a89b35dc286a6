#!/usr/bin/env bash
# Which directory may include which, that no two files need each other, that only src/platform calls the operating system, and that
# what people read is printed by src/util/print.h.
set -u
cd "$ROOT" || exit 1

# The directories that a directory may include from; itself is always allowed.
allowed() {
	case $1 in
	util | packaging) ;;
	platform | tag) echo util ;;
	config) echo util platform tag gate ;;
	rundir) echo util platform tag config model ;;
	profiler) echo util platform config rundir ;;
	record) echo util platform config rundir profiler tag model ;;
	model) echo util tag ;;
	trace | symbol) echo util platform model ;;
	analysis) echo util model ;;
	gate) echo util tag ;;
	compare) echo util tag model gate ;;
	convert) echo util platform model analysis ;;
	replay) echo util platform tag rundir model trace symbol analysis ;;
	history) echo util platform gate compare ;;
	report) echo util platform model analysis replay gate compare history ;;
	cli) (cd src && echo *) ;;
	*) echo unknown ;;
	esac
}

system='assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|signal|stdalign'
system+='|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|tgmath|time|uchar|wchar|wctype'
library='ini|jansson|zip|sqlite3|zlib|zstd|libelf|gelf|elf|dwarf'
outside="^<(($system|$library)\.h|(nettle|elfutils|libiberty|libxml)/[a-z0-9_-]+\.h)>$"

check_file() {
	local file=$1 directory=$2 may=$3 what

	while IFS= read -r what; do
		case $what in
		\"platform/posix/* | \"platform/windows/*)
			[ "$directory" = platform ] || echo "$file: $what is platform's own"
			;;
		\"*/*)
			what=${what#\"}
			[[ " $may $directory " == *" ${what%%/*} "* ]] ||
				echo "$file: src/$directory may not include \"$what"
			;;
		\"*)
			echo "$file: $what is not rooted at src/"
			;;
		*)
			case $file in
			src/platform/posix/* | src/platform/windows/*) continue ;;
			esac
			[[ $what =~ $outside ]] || echo "$file: $what is for src/platform/posix or src/platform/windows"
			;;
		esac
	done < <(sed -nE 's/^[ \t]*#[ \t]*include[ \t]+([<"][^>"]+[>"]).*/\1/p' "$file")
}

# The Makefile picks what differs by system; at run time host_is_windows() decides.
system_macro='\b(_WIN32|_WIN64|__linux__|__linux|__unix__|__APPLE__)\b'

check_systems() {
	[ "$1" != src/platform/ ] || return 0
	grep -rnE "^[ \t]*#[ \t]*(el)?if.*$system_macro" "$1" --include='*.[ch]' |
		sed 's/$/: the system is asked for by src\/platform alone/'
}

list() {
	local path

	for path in src/*/; do
		echo "cpu $(basename "$path")"
	done
	echo "cpu circles"
	echo "cpu prints"
}

# A file and its header are one: no two of these may need each other, directly or not.
find_circles() {
	grep -rno '^#include "[^"]*' src --include='*.[ch]' |
		sed -E 's|^src/([^:]*)\.[ch]:.*"(.*)\.h|\1 \2|' | awk '$1 != $2' | { tsort >/dev/null; } 2>&1
}

check_circles() {
	local wrong

	wrong=$(find_circles)
	if [ -z "$wrong" ]; then
		echo "PASS src includes without circles"
	else
		printf '%s\n' "$wrong"
		echo "FAIL src includes without circles"
	fi
}

# Files that write into files, or texts of their own: help, tables, a build's own output.
writers='util/print|report/(page(_columns)?|json_out|perfetto|pprof|table(_text|_data)?|history_view|compare_(junit|markdown|page)|flamegraph|folded|timeline_svg)|rundir/(journal|zip_target)|convert/etl_output|profiler/etw/etw_tool|trace/perf/perf_(rewrite|compressor)'
writers+='|record/runner|symbol/fetch_part|cli/help[a-z_]*'

# A constant text may be printed by fputs() and puts().
check_prints() {
	local wrong

	wrong=$(grep -rnE '\b(v?f?printf|fwrite|f?putc|putchar|perror)\(|\bf?puts\([^"]' src --include='*.c' |
		grep -vE "^src/(platform/[^:]*|$writers)\.c:[0-9]")
	if [ -z "$wrong" ]; then
		echo "PASS src prints by util/print.h"
	else
		printf '%s\n' "$wrong"
		echo "FAIL src prints by util/print.h: print_text() and print_line() make foreign text safe for a terminal"
	fi
}

run() {
	local path=src/$1/ may file wrong

	case $1 in
	circles | prints)
		"check_$1"
		return
		;;
	esac
	may=$(allowed "$1")
	if [ "$may" = unknown ]; then
		echo "FAIL src/$1 includes: a directory that tests/suites/layers.sh does not know"
		return
	fi
	wrong=$(
		check_systems "$path"
		while IFS= read -r file; do
			check_file "$file" "$1" "$may"
		done < <(find "$path" -name '*.[ch]' | sort)
	)
	if [ -z "$wrong" ]; then
		echo "PASS src/$1 includes"
	else
		printf '%s\n' "$wrong"
		echo "FAIL src/$1 includes"
	fi
}

"$@"
