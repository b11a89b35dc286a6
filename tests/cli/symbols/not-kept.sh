# A run with symbols of some modules: the others are not searched on this machine.
cp -r "$DATA/traced-run" run
sed -i '/^module.*libLLVM/,/^module/{/^module.*libLLVM/d;/^module/!d}' run/symbols/functions.txt
stagetrace symbols run --columns names,reason,module,why --wide
