#!/usr/bin/env python3
"""What the command line says a run has, as JSON: expected_sums.py STAGETRACE RUN

{"cpu": {"total": NS, "process": {PID: NS}, "crate": {NAME: NS}}, "size": ..., "at-peak": ..., "outstanding": ...,
 "samples": {PID: NUMBER}, "peak": {"whole": BYTES, "process": {PID: BYTES}}}
"""
import functools
import json
import subprocess
import sys

stagetrace, run = sys.argv[1:]


@functools.cache
def rows(*arguments):
    text = subprocess.run([stagetrace, *arguments, "--format", "json", "-q"], check=True, capture_output=True).stdout
    return json.loads(text)


def sums(view, column):
    found = {"total": 0, "process": {}, "crate": {}, "phase": {}}
    for key, name in (("process", "pid"), ("crate", "crate"), ("phase", "phase")):
        for row in rows(view, run, "--by", key):
            if row[column]:
                of = str(row[name])
                found[key][of] = found[key].get(of, 0) + row[column]
    found["total"] = sum(found["process"].values())
    return found


peaks = {str(row["pid"]): row["peak_bytes"] for row in rows("memory", run, "--by", "process")}
head = json.loads(subprocess.run([stagetrace, "memory", run, "--by", "role", "--format", "json", "--head", "-q"], check=True,
                                 capture_output=True).stdout)["head"]
samples = {str(row["pid"]): row["samples"] for row in rows("cpu", run, "--by", "process") if row["samples"]}
print(json.dumps({"samples": samples, "peak": {"whole": head["peak_bytes"], "process": peaks},
                  "cpu": sums("cpu", "self_ns"), "size": sums("memory", "size_bytes"),
                  "at-peak": sums("memory", "at_peak_bytes"), "outstanding": sums("memory", "outstanding_bytes")}))
