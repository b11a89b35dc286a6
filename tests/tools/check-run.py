#!/usr/bin/env python3
"""Compare a recorded run with the output of the build itself.

    check-run.py RUN [TIME-V-FILE]

- Every "[RUSTC-TIMING] crate" line that stage 2 printed has exactly one process of role rustc with that
  --crate-name, and each such process has a line. (Cargo prints the lines of fresh crates again: only what
  stands between the last "Building compiler artifacts" and the step after it counts.)
- Each of these was built by the stage 1 compiler.
- No process is tagged `other` without a reason.
- With a file that `time -v` wrote of the build: the processes' CPU time sums to its user and system time
  within 2 %.
Prints the results; exit code 1 if one of these is not true.
"""
import collections
import json
import re
import sys


def arguments(row):
    """The command line, with what its @files had, an argument a line as cargo writes them."""
    texts = {"@" + file["path"]: file["text"].split("\n") for file in row["responses"]}
    return [arg for given in row["argv"] for arg in texts.get(given, [given])]


def crate_name(argv):
    for i, arg in enumerate(argv):
        if arg == "--crate-name":
            return argv[i + 1]
        if arg.startswith("--crate-name="):
            return arg.split("=", 1)[1]
    return None


def timing_lines(log):
    start = [m.end() for m in re.finditer(r"^Building compiler artifacts.*$", log, re.M)]
    text = log[start[-1]:] if start else log
    text = re.split(r"^(?:Creating a sysroot|Uplifting|Building) ", text, flags=re.M)[0]
    return collections.Counter(re.findall(r"\[RUSTC-TIMING\] (\S+) test:\w+ [\d.]+", text))


def time_v_seconds(path):
    text = open(path).read()
    return sum(float(re.search(name + r" time \(seconds\): ([\d.]+)", text).group(1)) for name in ("User", "System"))


def main():
    run = sys.argv[1]
    failed = False
    rows = [json.loads(line) for line in open(run + "/processes.jsonl")]
    rustc = [row for row in rows if row["role"] == "rustc"]
    compiled = [row for row in rustc if not row["part"].endswith("-std")]
    names = collections.Counter(crate_name(arguments(row)) for row in compiled)
    timed = timing_lines(open(run + "/logs/stage2.log", errors="replace").read())
    print("processes %d; rustc %d (%d of std); timing lines %d" %
          (len(rows), len(rustc), len(rustc) - len(compiled), sum(timed.values())))
    for crate in sorted((names - timed) | (timed - names)):
        print("crate %s: %d timing lines, %d rustc processes" % (crate, timed[crate], names[crate]))
        failed = True
    by_stage = collections.Counter((row["built_by"], row["part"]) for row in compiled)
    print("built by, part:", dict(by_stage))
    if any(stage != 1 for stage, part in by_stage):
        print("not all were built by stage 1")
        failed = True
    reasons = collections.Counter(row.get("role_reason") for row in rows if row["role"] == "other")
    print("other:", dict(reasons))
    if None in reasons or "" in reasons:
        print("some have no reason")
        failed = True
    cpu = sum(row["cpu_ns"] or 0 for row in rows) / 1e9
    print("CPU time of the processes: %.2f s; of %d not known" % (cpu, sum(row["cpu_ns"] is None for row in rows)))
    if len(sys.argv) > 2:
        measured = time_v_seconds(sys.argv[2])
        print("time -v: %.2f s; difference %+.2f %%" % (measured, 100 * (cpu / measured - 1)))
        failed |= abs(cpu / measured - 1) > 0.02
    sys.exit(failed)


main()
