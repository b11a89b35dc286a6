#!/usr/bin/env python3
"""Compare rows of real ETL files with those of other readers: check-etl-rows.py ETL-ROWS STAGETRACE DIRECTORY

DIRECTORY has real files, and next to some of them the processes, images, PDBs and samples that snail-server reads (*.tsv), and
the number of samples that TraceEvent counts (*.baseline.txt): all but those of the idle thread outside of interrupts.
"""

import collections
import csv
import gzip
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

problems = []


def check(good, *words):
    if not good:
        problems.append(" ".join(map(str, words)))


def rows_of(tool, kind, trace):
    out = subprocess.run([tool, kind, trace], stdout=subprocess.PIPE, check=True).stdout
    return collections.Counter(out.decode().splitlines())


def published(path):
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    return collections.Counter(data.decode().splitlines()[1:])


def check_rows(tool, directory, trace, prefix):
    """All rows of all tables, in any order: those of one tick have none."""
    total = 0
    for path in sorted(directory.glob(prefix + "*.tsv*")):
        kind = path.name.split(".tsv")[0].split(".")[-1].removesuffix("_by_tid")
        if kind == "counts":
            continue
        theirs, ours = published(path), rows_of(tool, kind, trace)
        missing, more = theirs - ours, ours - theirs
        check(not missing and not more, path.name, "differs:", list(missing)[:2], "not", list(more)[:2])
        total += sum(theirs.values())
    check(total, "no table of", trace)
    return total


def view(stagetrace, *args):
    out = subprocess.run([stagetrace, *args, "--format", "json"], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, check=True).stdout
    return json.loads(out)


def check_samples(stagetrace, trace, baseline):
    """TraceEvent leaves the idle thread out but for DPCs and ISRs; a view leaves all of it out."""
    theirs = int(re.search(r"COUNT Windows Kernel/PerfInfo/Sample:(\d+)", baseline.read_text()).group(1))
    counts = {row["key"]: row["value"] for row in view(stagetrace, "system", trace) if row["section"] == "events"}
    idle = counts["idle: SampledProfile of thread 0"]
    busy = counts["idle: of these in a DPC or ISR"]
    check(counts["PerfInfo/SampledProfile"] - idle + busy == theirs, trace, "samples are not", theirs)
    shown = sum(row["samples"] for row in view(stagetrace, "cpu", trace))
    check(shown == counts["PerfInfo/SampledProfile"] - idle, trace, "cpu shows", shown, "samples")
    return shown


def check_processes(stagetrace, trace, table):
    """Each process is there once, with its command line, start and end."""
    seen = {}
    for row in csv.reader(io.StringIO(table.read_text()), delimiter="\t", quoting=csv.QUOTE_NONE):
        if row[0].isdigit() and row[2] != "0" and row[1] != "39":
            seen.setdefault((int(row[2]), int(row[3]) or None), {})[row[1]] = row
    shown = {(row["pid"], row["ppid"]): row for row in view(stagetrace, "processes", trace)}
    check(set(shown) == set(seen), trace, "processes differ:", set(shown) ^ set(seen))
    for key, rows in seen.items():
        row = shown.get(key)
        if row:
            check((row["end_ns"] is not None) == ("2" in rows), trace, key, "ends at", row["end_ns"])
            check((row["start_ns"] is not None) == ("1" in rows), trace, key, "starts at", row["start_ns"])
            if "2" in rows:
                check(row["exit_code"] == int(rows["2"][5]) & 0xffffffff, trace, key, "exit", row["exit_code"])
    return len(seen)


def check_versions(tool, directory):
    """Each version of processes and images, in 32 and 64 bits, as sawbuck's test wrote them."""
    expected = json.loads((directory / "expected.json").read_text())
    rows = 0
    for trace in sorted(directory.glob("*.etl")):
        kind, _, version = trace.stem.split("_")[0], *trace.stem.split("_")[2:]
        out = subprocess.run([tool, {"image": "images", "process": "processes"}[kind], trace],
                             stdout=subprocess.PIPE, check=True).stdout.decode()
        ours = [line.split("\t")[1:] for line in out.splitlines()]
        rows += len(ours)
        if kind == "image":
            stamps = version not in ("v0", "v1")
            theirs = [[module["base"], module["size"], module["checksum"] if stamps else "0",
                       module["timedatestamp"] if stamps else "0", module["name"]] for module in expected["modules"]]
            theirs = [[hex(int(word, 16))[2:] for word in row[:4]] + row[4:] for row in theirs]
            check([row[2:] for row in ours] == theirs + [theirs[0]] * 2, trace, "images differ")
            check([row[0] for row in ours] == ["dcstart"] * len(theirs) + ["unload", "load"], trace, "kinds differ")
        else:
            lines = version != "v1"
            theirs = [[str(one["pid"]), str(one["parent"]), str((one["session"] + 2**31) % 2**32 - 2**31), one["image"],
                       one["command_line"] if lines else ""] for one in expected["processes"]]
            order = [0, 1, 2, 3, 3, 0, 1, 2] if lines else [3, 3]
            check([row[1:4] + row[7:9] for row in ours] == [theirs[i] for i in order], trace, "processes differ")
    check(rows, "no files of sawbuck")
    return rows


def main():
    tool, stagetrace, directory = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    x64 = directory / "perfview-net452-x64-win8"
    diaghub = directory / "perfview-diaghub-win10-multifile"
    parser = directory / "etl-parser-win10"
    with tempfile.TemporaryDirectory() as temp:
        for archive in (diaghub / "diaghub-etls.zip", directory / "perfview-net45-x86-win7" / "net.4.5.x86.etl.zip"):
            with zipfile.ZipFile(archive) as opened:
                for name in opened.namelist():
                    if name.replace("\\", "/").endswith(".etl"):
                        pathlib.Path(temp, name.replace("\\", "/").split("/")[-1]).write_bytes(opened.read(name))
        traces = [
            (x64, str(x64 / "net.4.5.2.x64.etl"), "snail."),
            (diaghub, temp + "/diaghub.kernel.1.etl", "diaghub.kernel.1.snail."),
            (diaghub, temp + "/diaghub.etl", "diaghub.snail."),
            (parser, str(parser / "ShutdownPerfDiagLogger.etl"), "ShutdownPerfDiagLogger.snail."),
        ]
        rows = sum(check_rows(tool, *trace) for trace in traces)
        rows += check_versions(tool, directory / "sawbuck-payload-versions")
        samples = check_samples(stagetrace, traces[0][1], x64 / "net.4.5.2.x64.baseline.txt")
        samples += check_samples(stagetrace, temp + "/PerfViewData.etl",
                                 directory / "perfview-net45-x86-win7" / "net.4.5.x86.baseline.txt")
        processes = sum(check_processes(stagetrace, trace, here / (prefix + "processes.tsv"))
                        for here, trace, prefix in traces if (here / (prefix + "processes.tsv")).exists())
    print(rows, "rows,", samples, "samples,", processes, "processes")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
