#!/usr/bin/env python3
"""Make a run from a perf.data file and a log of processes that another program kept at the same time.

    run-from-exec.py --base NS EXEC.jsonl TRACE DIR

makes DIR.partial, like a recording that was killed after its build: `stagetrace recover DIR.partial`
then tags the processes, and DIR is a run. EXEC.jsonl has a JSON object a line, t in ns on the trace's clock, which
is CLOCK_MONOTONIC:

    {"t", "fork": pid, "ppid"}   {"t", "pid", "exe", "cwd", "argv", "env"}   {"t", "exit": pid, "code"}

--base is the run's time zero. Only descendants of `perf record` are included. The trace gets a second name there (a hard link), so it must be on the same disk.
"""
import json
import os
import sys

# What a recording keeps of the environment (src/record/tracker.h).
ENVIRONMENT = ("RUSTC_STAGE", "CARGO_PKG_NAME", "CARGO_TARGET_DIR")


def is_perf_record(line):
    return os.path.basename(line.get("exe", "")) == "perf" and line["argv"][1:2] == ["record"]


def exec_event(line, parents):
    event = {"event": "exec", "time_ns": line["t"], "pid": line["pid"], "ppid": parents[line["pid"]],
             "argv_lost": not line["argv"], "argv": line["argv"],
             "env": {key: value for key, value in line["env"].items() if key in ENVIRONMENT}, "responses": []}
    for key in ("exe", "cwd"):
        if line[key]:
            event[key] = line[key]
    return event


def events(lines):
    """The journal's, in the same order."""
    recorder, parents = None, {}
    for line in lines:
        if recorder is None:
            recorder = line["pid"] if "argv" in line and is_perf_record(line) else None
        elif "fork" in line:
            if line["ppid"] == recorder or line["ppid"] in parents:
                parents[line["fork"]] = line["ppid"]
                yield {"event": "fork", "time_ns": line["t"], "pid": line["fork"], "ppid": line["ppid"]}
        elif "exit" in line:
            if parents.pop(line["exit"], None) is not None:
                yield {"event": "exit", "time_ns": line["t"], "pid": line["exit"], "exit_code": line["code"],
                       "signal": 0}
        elif line["pid"] in parents:
            yield exec_event(line, parents)
    if recorder is None:
        raise SystemExit("no perf record in it")


def main():
    if len(sys.argv) != 6 or sys.argv[1] != "--base":
        raise SystemExit(__doc__)
    base, log, trace, run = sys.argv[2:]
    directory = run + ".partial"
    os.mkdir(directory)
    os.link(trace, os.path.join(directory, "trace.perf.data"))
    with open(log) as source, open(os.path.join(directory, "processes.journal"), "w") as journal:
        for event in events(map(json.loads, source)):
            json.dump(event, journal, separators=(",", ":"))
            journal.write("\n")
    name = os.path.basename(run)
    with open(os.path.join(directory, "manifest.json"), "w") as file:
        json.dump({"format_version": 1, "state": "collecting", "name": name, "cookie": name + ".made",
                   "recorder": {"name": "perf", "version": None},
                   "commands": [{"what": "recorder", "argv": ["perf", "record"], "exit_code": 0}],
                   "clock": {"name": "CLOCK_MONOTONIC", "base_ns": int(base)},
                   "stage2": {"start_ns": 0, "end_ns": None, "own_execs": 0}}, file)


main()
