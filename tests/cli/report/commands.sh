# The commands of both stages, how long they took and how they ended; the checkout, with its changed files.
cp -r "$DATA/traced-run" run
python3 - <<'END'
import json
manifest = json.load(open("run/manifest.json"))
stage1 = {"what": "stage1", "argv": ["python3", "x.py", "build", "--stage", "1"], "cwd": "/src/rust",
          "exit_code": 0, "start_ns": -90000000000, "end_ns": -30000000000}
before = dict(stage1, what="before", argv=["rm", "-r", "a b"], exit_code=1, start_ns=-2000000000, end_ns=-1000000000)
manifest["commands"][:0] = [stage1, before]
manifest["source"]["git_dirty"] = 2
json.dump(manifest, open("run/manifest.json", "w"))
END
stagetrace report run -q
sed 's/<[^>]*>/ /g' report.html | grep -E '^ (Stage|Before|Command|Commit)'
# The profiler was started next to the build, not with it: it has no command of the build.
python3 - <<'END'
import json
manifest = json.load(open("run/manifest.json"))
recorder = manifest["commands"][2]
stage2 = dict(recorder, what="stage2", argv=["x.py", "build"])
manifest["commands"] = [dict(recorder, argv=["wpr", "-start", "a.wprp"]), stage2]
json.dump(manifest, open("run/manifest.json", "w"))
END
stagetrace report run -q --force
sed 's/<[^>]*>/ /g' report.html | grep -E '^ (Stage|Before|Command|Commit)'
# perf runs a shell that runs the build: the build is what was run. A shell of the build's own is part of it.
for script in 'exec >>"$0" 2>&1 "$@"' 'make "$0"'; do
	SCRIPT=$script python3 - <<'END'
import json, os
manifest = json.load(open("run/manifest.json"))
recorder = dict(manifest["commands"][0], argv=["perf", "record", "--", "/bin/sh", "-c", os.environ["SCRIPT"], "stage2.log", "x.py", "build"])
manifest["commands"] = [recorder]
json.dump(manifest, open("run/manifest.json", "w"))
END
	stagetrace report run -q --force
	sed 's/<[^>]*>/ /g' report.html | grep -E '^ (Stage|Command) '
done
# A bare trace knows who recorded it and where.
stagetrace report "$DATA/no-mprotect.perf.data" -q --force
sed -n '/<dl>/,/<\/dl>/p' report.html | sed 's/<[^>]*>/ /g'
