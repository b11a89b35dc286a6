# Only warnings that bear on what is shown, each once.
cp -r "$DATA/traced-run" run
python3 - <<'PY'
import json

with open("run/manifest.json") as file:
    manifest = json.load(file)
manifest["warnings"] = ["other programs used 2m 30s of CPU time while stage 2 ran: it took longer than on a quiet machine",
                        "the disk filled up", "the disk filled up"]
manifest["lost"]["tracker_events"] = 3
with open("run/manifest.json", "w") as file:
    json.dump(manifest, file)
PY
for view in 'cpu --by function' 'cpu --by crate' 'memory --by module --crate rustc_middle' 'memory --by stack' timeline processes tree system; do
	echo "-- $view" >&2
	# shellcheck disable=SC2086 # words
	stagetrace $view run --top 1 >rows
done
