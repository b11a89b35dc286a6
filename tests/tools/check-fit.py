#!/usr/bin/env python3
"""Compare what was predicted of a build with what was measured: check-fit.py DIR JOBS... | --repeated FILE...

DIR has FROM-TO.json for each two of JOBS, which rise: `stagetrace memory RUN --jobs TO --format json --head` of the run that was
recorded with -j FROM. Prints a table. Fails if a measured peak is not in the interval of its own recording, or if more jobs
are predicted to hold less. What another -j really holds depends on what else the machine does: the table marks it, docs/fit.md
has recordings of it.

With --repeated each FILE is that of another recording of one build, all with one -j, predicted for that: prints how many measured peaks
the intervals from the other recordings hold. Fails if fewer than 95 % do.
"""
import json
import os
import sys

MB = 1 << 20


def read(directory, recorded, jobs):
    with open(os.path.join(directory, "%s-%s.json" % (recorded, jobs))) as file:
        text = json.load(file)
    assert len(text["rows"]) == 1 and text["rows"][0]["jobs"] == int(jobs), text["rows"]
    assert text["head"]["recorded_jobs"] == int(recorded), text["head"]
    return text["head"], text["rows"][0]


def check_repeated(names):
    peaks, intervals = [], []
    for name in names:
        with open(name) as file:
            text = json.load(file)
        row = text["rows"][0]
        assert row["jobs"] == text["head"]["recorded_jobs"], name
        peaks.append(text["head"]["recorded_peak_bytes"])
        intervals.append((row["peak_low_bytes"], row["peak_high_bytes"]))
    pairs = [(peaks[i], intervals[k]) for i in range(len(peaks)) for k in range(len(peaks)) if i != k]
    below = sum(peak < low for peak, (low, _) in pairs)
    above = sum(peak > high for peak, (_, high) in pairs)
    widths = sorted(2 * (high - low) / (high + low) for low, high in intervals)
    held = 1 - (below + above) / len(pairs)
    print("%d recordings, peaks %.1f to %.1f MB; %d of %d pairs below, %d above: %.1f %% inside; intervals %.1f %% wide" % (
        len(peaks), min(peaks) / MB, max(peaks) / MB, below, len(pairs), above, 100 * held, 100 * widths[len(widths) // 2]))
    sys.exit(held < 0.95)


def main():
    if sys.argv[1] == "--repeated":
        check_repeated(sys.argv[2:])
    directory, all_jobs = sys.argv[1], sys.argv[2:]
    failed = False
    print("from to | peak predicted, MB | measured | time predicted, s | measured")
    for recorded in all_jobs:
        highest = 0
        for jobs in all_jobs:
            _, row = read(directory, recorded, jobs)
            measured, _ = read(directory, jobs, jobs)
            peak, time = measured["recorded_peak_bytes"], measured["recorded_time_ns"]
            inside = row["peak_low_bytes"] <= peak <= row["peak_high_bytes"]
            in_time = row["time_low_ns"] <= time <= row["time_high_ns"]
            failed = failed or (recorded == jobs and not inside) or row["peak_high_bytes"] < highest
            highest = row["peak_high_bytes"]
            print("%4s %2s | %6.1f to %6.1f | %6.1f%s | %5.1f to %5.1f | %5.1f%s" % (
                recorded, jobs, row["peak_low_bytes"] / MB, row["peak_high_bytes"] / MB, peak / MB,
                " " if inside else "!", row["time_low_ns"] / 1e9, row["time_high_ns"] / 1e9, time / 1e9,
                " " if in_time else "!"))
        head, _ = read(directory, recorded, all_jobs[0])
        assert head["graph_contradicted"] == 0, "waits are contradicted: %d" % head["graph_contradicted"]
        assert head["graph_metadata_waits"] > 0, "nobody waits for metadata"
    sys.exit(1 if failed else 0)


main()
