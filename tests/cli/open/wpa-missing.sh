echo none >trace.etl
STAGETRACE_WPA=/nowhere/wpa stagetrace open trace.etl
