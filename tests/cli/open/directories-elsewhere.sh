# A run names the directories of its compilers. Windows would log in to a share, so only --trust lets WPA search there.
mkdir run
echo none >run/trace.etl
cp "$DATA/tiny-run/manifest.json" run
compiler() {
	printf '{"pid":%d,"start_ns":%d,"role":"rustc","exe":"%s","argv":["rustc"]}\n' "$1" "$1" "$2"
}
{
	compiler 1 'C:\\rust\\bin\\rustc.exe'
	compiler 2 '\\\\server\\share\\rustc.exe'
	compiler 3 'srv*\\\\server\\share\\rustc.exe'
	compiler 4 'C:\\x;cache*\\\\server\\y\\rustc.exe'
	compiler 5 'http://server/x/rustc.exe'
	compiler 6 'C:\\\" & calc & \"\\rustc.exe'
} >run/processes.jsonl
export _NT_SYMBOL_PATH='srv*https://symbols.example' STAGETRACE_WPA=/tools/wpa.exe
for trust in '' --trust; do
	# shellcheck disable=SC2086 # none or one
	stagetrace open --dry-run $trust run | sed -n 's/.*symbols;\(C:\)/\1/p'
done
