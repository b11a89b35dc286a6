# Beside the profile of the run, with what starts WPA; the trace and its views stay as they are.
cp -r "$DATA/traced-run" run
stagetrace cpu run --by module >before 2>&1
stagetrace convert run 2>/dev/null | sed 's/, [0-9.]* KB:/, SIZE:/'
head -c 4 run/trace.etl | od -An -tx1
tr -d '\r' <run/open.cmd | grep -e SYMBOL_PATH=srv -e ^start
stagetrace cpu run --by module 2>&1 | cmp - before
STAGETRACE_WPA=/tools/wpa.exe stagetrace open --dry-run run | grep -o '"-i" .*trace.etl"' | sed 's/ ".*run.trace/ "RUN trace/'
# Once; a scrubbed bundle has none, as it has names.
stagetrace convert run || true
stagetrace convert run --force >/dev/null 2>&1
stagetrace bundle run --scrub -o public.zip 2>/dev/null | grep ETL
unzip -l public.zip | grep -c 'trace.etl$' || true
stagetrace bundle run -o all.zip >/dev/null 2>&1
unzip -l all.zip | grep -c 'trace.etl$'
