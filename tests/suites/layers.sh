#!/usr/bin/env bash
# Who may include whom, and that the operating system is asked by src/platform alone.
set -u
cd "$ROOT" || exit 1

# The folders that one may include from, besides itself.
allowed() {
	case $1 in
	util) ;;
	platform | tag) echo util ;;
	config) echo util platform tag ;;
	rundir) echo util platform tag model ;;
	recorder) echo util platform config rundir ;;
	record) echo util platform config rundir recorder tag model ;;
	model) echo util tag ;;
	trace | symbol) echo util platform model ;;
	analysis) echo util model ;;
	convert) echo util platform model analysis ;;
	replay) echo util platform tag rundir model trace symbol analysis ;;
	report) echo util model analysis ;;
	cli) (cd src && echo *) ;;
	*) echo unknown ;;
	esac
}

system='assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|signal|stdalign'
system+='|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|tgmath|time|uchar|wchar|wctype'
library='ini|jansson|zip|zlib|zstd|libelf|gelf|elf|dwarf'
outside="^<(($system|$library)\.h|(nettle|elfutils|libiberty)/[a-z0-9_-]+\.h)>$"

check_file() {
	local file=$1 folder=$2 may=$3 what

	while IFS= read -r what; do
		case $what in
		\"platform/posix/* | \"platform/windows/*)
			[ "$folder" = platform ] || echo "$file: $what is platform's own"
			;;
		\"*/*)
			what=${what#\"}
			[[ " $may $folder " == *" ${what%%/*} "* ]] ||
				echo "$file: src/$folder may not include \"$what"
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

# What differs by system is for the Makefile to pick, and host_is_windows() to tell.
system_macro='\b(_WIN32|_WIN64|__linux__|__linux|__unix__|__APPLE__)\b'

check_systems() {
	[ "$1" != src/platform/ ] || return 0
	grep -rnE "^[ \t]*#[ \t]*(el)?if.*$system_macro" "$1" --include='*.[ch]' |
		sed 's/$/: the system is asked for by src\/platform alone/'
}

for path in src/*/; do
	folder=$(basename "$path")
	may=$(allowed "$folder")
	if [ "$may" = unknown ]; then
		echo "FAIL src/$folder includes: a folder that tests/suites/layers.sh does not know"
		continue
	fi
	wrong=$(
		check_systems "$path"
		while IFS= read -r file; do
			check_file "$file" "$folder" "$may"
		done < <(find "$path" -name '*.[ch]' | sort)
	)
	if [ -z "$wrong" ]; then
		echo "PASS src/$folder includes"
	else
		printf '%s\n' "$wrong"
		echo "FAIL src/$folder includes"
	fi
done
