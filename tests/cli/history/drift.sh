# A value that grows a little each night: the commits are those from the start on.
cpu=30000 all=()
for night in $(seq 40); do
	cpu=$((cpu + 150 + night * 7919 % 100 - 50))
	all+=("$cpu")
done
"$DATA/../tools/make-runs.sh" "$DATA" nights "${all[@]}"
stagetrace history add -q nights/* >added
stagetrace history check --crate core --metric cpu --format csv
