#!/usr/bin/env bash
# The flame graph in a browser, alone and within a page: zoom, search, hover, keys. It needs no other file.
. "$SRCDIR/tests/e2e/lib/lib.sh"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no chromium here"

printf '%s\n' 'main;core::a;malloc 250' 'main;core::a 250' 'main;llvm::B::run(int) 480' 'main;core::a;narrow::function 20' \
	'main;[truncated] 0' >stacks.folded
"$STAGETRACE" export - --format svg -o graph.svg <stacks.folded
if grep -oE '(href|src|url)[=(]["'\'']?[a-z]+:[^"'\'' )]*' graph.svg; then
	fail "it names something outside of itself"
fi
python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("graph.svg")'

# The document after its scripts: results FILE
results() {
	timeout 600 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$TESTDIR/profile" \
		--window-size=1240,800 --dump-dom "file://$TESTDIR/$1" >dom 2>browser.log || {
		tail -n 20 browser.log >&2
		fail "the browser failed on $1"
	}
	python3 - <<-'PY'
		import html, re
		dom = open("dom").read()
		found = re.search('data-results="([^"]*)"', dom)
		print(html.unescape(found.group(1)) if found else "no results: " + dom[:300])
	PY
}

cat >expected <<'TEXT'
frames: 6
search box: visible
reset at first: hidden
width of core::a: 0.520
hover: core::a: 520, 52.00%
hover outside: []
zoomed: 1.000,0.481,1.000
shown: true,true,true,false
dimmed: true,false
reset: visible
label of narrow: narro…
hover zoomed: malloc: 250, 25.00%, 48.08% of the zoomed frame
MALLOC: 0 matched 0.00% of the zoomed frame
malloc: 1 matched 48.08% of the zoomed frame
reset by click: 0.520,true,matched 25.00%
^core|malloc: 2 matched 52.00%
run(: 1 matched 48.00%
nothing: 0 []
escape: 0,[],true,1.000
tab reaches: 1 process
focus: all: 1000, 100.00% [button], all: 1000, 100.00%
up: main: 1000, 100.00% [button]
up: core::a: 520, 52.00% [button]
right: llvm::B::run(int): 480, 48.00% [button]
right again: llvm::B::run(int): 480, 48.00% [button]
left: core::a: 520, 52.00% [button]
up: malloc: 250, 25.00% [button]
down: core::a: 520, 52.00% [button]
enter: 1.000,false
still: core::a: 520, 52.00% [button], 1
tab reaches: r8 button reset live
reset by key: 0.520,true all: 1000, 100.00% [button]
arrow with alt taken: false
ctrl-f taken: true
ctrl-f focus: true
TEXT

js=$SRCDIR/tests/e2e/lib/flamegraph.js
python3 - "$js" <<'PY'
import sys
svg = open("graph.svg").read()
js = open(sys.argv[1]).read()
end = svg.rindex("</svg>")
open("alone.svg", "w").write(svg[:end] + "<script><![CDATA[\n" + js + "]]></script>\n</svg>\n")
page = svg[svg.index("<svg"):]
open("page.html", "w").write("<!doctype html><meta charset=utf-8><body><div style='width:1220px'>" + page +
                             "</div><script>" + js + "</script>")
PY
results alone.svg >alone
diff -u expected alone >&2 || fail "alone"
results page.html >page
# A page may have more than one graph: Ctrl-F is the browser's own there.
sed 's/^ctrl-f taken: true/ctrl-f taken: false/; s/^ctrl-f focus: true/ctrl-f focus: false/' expected >expected.page
diff -u expected.page page >&2 || fail "in a page"
