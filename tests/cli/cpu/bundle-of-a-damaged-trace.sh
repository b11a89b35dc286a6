# The message names the member of the bundle, not the copy that is read.
cp -r "$DATA/traced-run" run
python3 - <<'PY'
import json
path = "run/manifest.json"
manifest = json.load(open(path))
manifest["files"] = []
json.dump(manifest, open(path, "w"))
PY
echo "no trace at all" >run/trace.perf.data
stagetrace bundle run --with-stack-copies -o run.zip >/dev/null 2>&1
stagetrace cpu run.zip
