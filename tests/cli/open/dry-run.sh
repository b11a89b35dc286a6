cp -r "$DATA/tiny-run" run
echo none >run/trace.etl
export _NT_SYMBOL_PATH='srv*https://symbols.example' STAGETRACE_WPA=/tools/wpa.exe
stagetrace open --dry-run run
_NT_SYMCACHE_PATH='*D:/symcache' stagetrace open --dry-run run | grep SYMCACHE
stagetrace open --dry-run run/trace.etl
