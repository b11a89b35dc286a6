# Without symbols/ in the run there are only files of this machine, which has none of these.
cp -r "$DATA/traced-run" run
rm -r run/symbols
stagetrace symbols run --columns names,reason,cpu_percent,cpu_named_percent,module,why --wide | grep -v -F "[kernel"
