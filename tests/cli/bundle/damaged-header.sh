# A trace that no view can read may have stack copies all the same: it is packed only if that is asked for.
cp -r "$DATA/traced-run" run
python3 - <<'PY'
import json

with open("run/manifest.json") as file:
    manifest = json.load(file)
manifest["files"] = []
with open("run/manifest.json", "w") as file:
    json.dump(manifest, file)
PY
listed() { python3 -m zipfile -l "$1" | grep -c 'trace\.perf\.data' || true; }
for bytes in 8 4096; do
	cp "$DATA/traced-run/trace.perf.data" run
	dd if=/dev/zero of=run/trace.perf.data bs=$bytes count=1 conv=notrunc 2>dd.err
	code=0
	stagetrace bundle run -o run.zip 2>err || code=$?
	echo "$bytes: $code, $(grep -o 'trace\.perf\.data.*' err)"
	[ ! -e run.zip ] || echo "there is a bundle"
done
stagetrace bundle run -o without.zip --without-trace >out
stagetrace bundle run -o with.zip --with-stack-copies >out
echo "$(listed without.zip) $(listed with.zip)"

# In an empty one there is nothing.
: >run/trace.perf.data
stagetrace bundle run -o empty.zip >out
listed empty.zip
