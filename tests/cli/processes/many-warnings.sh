# A stranger's manifest may have any number of warnings.
cp -r "$DATA/tiny-run" run
warnings=$(printf '"w", %.0s' {1..299})
sed -i "s/\"warnings\": \[/&$warnings\"w\"/" run/manifest.json
stagetrace processes run 2>&1 >/dev/null | tail -n 2
