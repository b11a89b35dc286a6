#!/usr/bin/env bash
# An answer that HTTP/1, HTTP/2 or HTTP/3 cuts goes on where it ended; any other failure is that of the server. By a stand-in for
# libcurl, as only servers of HTTPS speak HTTP/2 and HTTP/3.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
tools=$(dirname "$STAGETRACE")/tests/tools
[ -e "$tools/curl/libcurl.so.4" ] || skip "tests/tools/curl/libcurl.so.4 is not built: make tests"

pdb=$SRCDIR/tests/data/pdb/sample.pdb
"$tools/make-pdb-etl" trace.etl 1000 'C:\b\sample.dll' 'C:\b\sample.pdb' "$pdb" || fail "no trace"
unset _NT_SYMBOL_PATH DEBUGINFOD_URLS
export LD_LIBRARY_PATH=$tools/curl STANDIN_FILE=$pdb STANDIN_LOG=$TESTDIR/log

# fetch CODE: of libcurl, with which an answer ends.
fetch() {
	rm -f log
	STAGETRACE_CACHE=$TESTDIR/cache-$1 "$STAGETRACE" symbols trace.etl --format csv --columns names --fetch "http://standin.example/$1" \
		>rows 2>err || fail "code $1: $(cat err)"
}

part=$(($(stat -c %s "$pdb") / 3 + 1))
printf '%s\n' all $part- $((part * 2))- >expected
# 18: fewer bytes than were said; 56: the connection broke; 16 and 92: HTTP/2, all of it or this answer; 95: HTTP/3.
for code in 18 56 16 92 95; do
	fetch $code
	cmp expected log || fail "code $code: it does not go on: $(cat err log)"
	has 'note: fetched sample.pdb from http://standin.example$' err && has '^partly' rows || fail "code $code: $(cat err rows)"
	cmp "$pdb" "$TESTDIR/cache-$code/symbols/sample.pdb"/*/sample.pdb || fail "code $code: not that file"
done
# 7: no connection; 61: an encoding that is not known, of an answer that has begun.
for code in 7 61; do
	fetch $code
	has "cannot fetch sample.pdb: http://standin.example: code $code; nothing more is asked$" err && has '^none' rows || fail "code $code: $(cat err rows)"
	[ "$(wc -l <log)" = 1 ] || fail "code $code: it is asked again: $(cat log)"
done
