cp -r "$DATA/tiny-run" run
python3 - <<'PY'
import json
path = "run/manifest.json"
manifest = json.load(open(path))
hostile = "\x1b]0;title\x07\x1b[2J\nstagetrace: fine\u202etxt.\u0085"
manifest["state"] = "failed"
manifest["reason"] = "reason " + hostile
manifest["recorder"] = {"name": "recorder " + hostile, "version": "version " + hostile}
manifest["tracker"]["method"] = "method " + hostile
manifest["undo"] = [{"path": "/proc/sys " + hostile, "value": "1" + hostile}]
manifest["warnings"] = ["warning " + hostile]
json.dump(manifest, open(path, "w"))
PY
stagetrace recover run >out 2>err
stagetrace cpu run >out2 2>err2 || true
stagetrace system run >out3 2>err3
for stream in out err out2 err2 out3 err3; do
	LC_ALL=C tr -d '\12\40-\176' <$stream >left
	[ ! -s left ] || { echo "$stream has control characters:"; cat -A $stream; }
	# No part of it can pass for a message of the program.
	if grep "^stagetrace: fine" $stream; then exit 1; fi
done
grep -E '^tiny|^  (profiler|lost)' out
