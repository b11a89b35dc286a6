# 5.09 % of the machine for others is 5.1 %, more than the 5 % from which times are doubted.
"$DATA/../tools/make-runs.sh" "$DATA" nights 30015 29855 30322 40048 39947 40263
sed -i 's/^  "warnings": /  "foreign": { "cpu_ns": 19392900000 },\n&/' nights/tiny-20260106T*/manifest.json
stagetrace history add -q nights/* >added
stagetrace history list --last 1 --columns run,foreign_percent
stagetrace history check --crate core --metric cpu --columns finding,runs || echo "exit code $?"
