#!/usr/bin/env bash
# The profiles that are installed (profiles/), each checked by the script with its rules, and the script by profiles that it
# must refuse. Checks with Microsoft's schema or list of tables are skipped without $STAGETRACE_SHARED/reference (by default
# ../shared/reference), as these may not be redistributed.
set -u
cd "$ROOT" || exit 1
reference=${STAGETRACE_SHARED:-../shared}/reference
schema=$reference/WPRControlProfiles.xsd
tables=$reference/wpa-table-columns.txt

# $1 is the name of the test; the rest, the command, is to succeed and say nothing.
accepts() {
	local name=$1 said

	shift
	if said=$("$@" 2>&1) && [ -z "$said" ]; then
		echo "PASS $name"
	else
		printf '%s\n' "$said"
		echo "FAIL $name"
	fi
}

# $1 is a profile, $2 what sed does to a copy of it, $3 a word of the answer; the rest is the command, without the file.
refuses() {
	local profile=$1 edit=$2 word=$3 dir=$SCRATCH/profiles/$1 said

	shift 3
	mkdir -p "$dir"
	cp profiles/* "$dir"
	sed -i "$edit" "$dir/$profile"
	if cmp -s "profiles/$profile" "$dir/$profile"; then
		echo "FAIL $profile: '$edit' changes nothing"
	elif said=$("$1" "$2" "$dir/$profile" "${@:3}" 2>&1) || [[ $said != *$word* ]]; then
		printf '%s\n' "$said"
		echo "FAIL $profile: '$edit' is not refused for '$word'"
	else
		echo "PASS $profile: '$edit' is refused"
	fi
	rm -r "$dir"
}

list() {
	if command -v python3 >/dev/null; then
		printf 'cpu %s\n' stacktags wprp wpaprofile
	else
		echo "SKIP profiles: no python3 here"
	fi
}

run_stacktags() {
	stacktags=(tests/tools/stack-tags.py check)
	accepts "rustc.stacktags is a file of stack tags" "${stacktags[@]}" profiles/rustc.stacktags
	accepts "rustc.stacktags gives real functions their tags" \
		tests/tools/stack-tags.py names profiles/rustc.stacktags tests/data/rustc-frames.tsv
	refuses rustc.stacktags '$d' 'not well-formed' "${stacktags[@]}"
	refuses rustc.stacktags 's/Name="borrow check"/Name="codegen"/' 'twice' "${stacktags[@]}"
	refuses rustc.stacktags 's/Priority="7"/Priority="high"/' 'no number' "${stacktags[@]}"
	refuses rustc.stacktags 's/rustc_lexer::\*/rustc*lexer::*x*/' 'of no form' "${stacktags[@]}"
	refuses rustc.stacktags 's/<rustc_parse::/<rustc_lexer::/; s/&lt;rustc_parse/\&lt;rustc_lexer/' '2 times' "${stacktags[@]}"
	# A tag that took all of a crate's name in, or too little of it.
	mkdir -p "$SCRATCH/tags"
	for edit in 's/Method="rustc_borrowck::\*"/Method="*rustc_borrowck::*"/' 's/Method="rustc_borrowck::\*"/Method="rustc_borrow::*"/'; do
		sed "$edit" profiles/rustc.stacktags >"$SCRATCH/tags/rustc.stacktags"
		if tests/tools/stack-tags.py names "$SCRATCH/tags/rustc.stacktags" tests/data/rustc-frames.tsv >/dev/null; then
			echo "FAIL rustc.stacktags: the names do not find '$edit'"
		else
			echo "PASS rustc.stacktags: the names find '$edit'"
		fi
	done
}

run_wprp() {
	wprp=(tests/tools/check-wprp.py)
	accepts "rustc.wprp has the profiles that it promises" "${wprp[@]}" profiles/rustc.wprp
	refuse_wprp() {
		refuses rustc.wprp "$1" "$2" python3 "${wprp[@]}" "${@:3}"
	}
	refuse_wprp 's/<Stack Value="VirtualFree"\/>//' 'has stacks'
	refuse_wprp 's/Value="SampledProfile"/Value="CSwitch"/' 'has keywords'
	refuse_wprp 's/Value="SystemProvider_Memory_Light"/Value="SystemProvider_None"/' 'not there'
	refuse_wprp 's/Buffers Value="512"/Buffers Value="5" PercentageOfTotalMemory="true"/' 'one place'
	refuse_wprp 's/Id="RustcCpu.Light.Memory"/Id="RustcCpu.Lite.Memory"/' 'is not <Name>'
	if [ ! -f "$schema" ]; then
		echo "SKIP rustc.wprp validates: no '$schema' (set STAGETRACE_SHARED)"
	elif ! command -v xmllint >/dev/null; then
		echo "SKIP rustc.wprp validates: no xmllint here"
	else
		accepts "rustc.wprp validates" "${wprp[@]}" profiles/rustc.wprp "$schema"
		refuse_wprp 's/Value="Loader"/Value="Loadr"/' 'enumeration' "$schema"
		refuse_wprp 's/<Buffers Value="512"\/>//; s/<BufferSize Value="1024"\/>/&<StackCaching BucketCount="1" CacheSize="1"\/>/' \
			'not expected' "$schema"
		refuse_wprp 's/ LoggingMode="File"//' 'LoggingMode' "$schema"
	fi
}

run_wpaprofile() {
	wpa=(tests/tools/check-wpa-profile.py)
	accepts "rustc.wpaProfile is a profile" "${wpa[@]}" profiles/rustc.wpaProfile
	refuse_wpa() {
		refuses rustc.wpaProfile "$1" "$2" python3 "${wpa[@]}" "${@:3}"
	}
	refuse_wpa '$d' 'not well-formed'
	refuse_wpa 's/KeyColumnCount="3"/KeyColumnCount="0"/' 'bars at'
	refuse_wpa 's/KeyColumnCount="3" LeftFrozenColumnCount="0"/KeyColumnCount="0" LeftFrozenColumnCount="11"/' 'wrong order'
	refuse_wpa 's/SortPriority="4"/SortPriority="3"/' 'priorities'
	refuse_wpa 's/\[Process Name\]:=/[Process Name]=/' "can't be read"
	refuse_wpa 's/FileName="rustc.stacktags"/FileName="other.stacktags"/' 'not next to'
	refuse_wpa 's/GraphChartType="Flame"/GraphChartType="Flames"/' 'Flames'
	if [ ! -f "$tables" ]; then
		echo "SKIP rustc.wpaProfile has known tables and columns: no '$tables' (set STAGETRACE_SHARED)"
	else
		accepts "rustc.wpaProfile has known tables and columns" "${wpa[@]}" profiles/rustc.wpaProfile "$tables"
		refuse_wpa 's/Graph Guid="b855361e/Graph Guid="b855361f/' 'no known table' "$tables"
		refuse_wpa 's/Name="Commit Stack"/Name="Stack"/' 'is named' "$tables"
		refuse_wpa 's/9298a5c9-42e9/9298a5c9-42ea/' 'is named' "$tables"
		refuse_wpa 's/\[Lifetime\]/[Life]/' 'the table lacks' "$tables"
		refuse_wpa 's/Graph Guid="463048cb/Graph Guid="463048cc/' 'no known table' "$tables"
		refuse_wpa 's/Name="AllocTime" SortPriority/Name="Alloc Time" SortPriority/' 'is named' "$tables"
	fi
}

run() {
	"run_$1"
}

"$@"
