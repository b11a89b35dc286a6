#!/usr/bin/env python3
"""Compare the events that etl-dump finds in real ETL files with other readers: check-etl.py ETL-DUMP DIRECTORY

DIRECTORY has a README.md with a table of the files, with the number of events of each kind; next to some files
*counts.tsv, by an independent reader (snail-server); in tx-win7/expected.txt a time by Microsoft's own; in
diaghub-etls.zip the order of events of four files of one recording, by TraceEvent.
"""

import collections
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

GUIDS = {  # of what the table counts, where an event has the GUID in place of its group
    "3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c": 3,
    "3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c": 5,
    "2cb15d1d-5fc1-11d2-abe1-00a0c911f518": 20,
    "b3e675d7-2554-4f18-830b-2762732560de": "ImageID",
}
COLUMNS = {
    "process": [(3, 1), (3, 2), (3, 3), (3, 4), (3, 39)],
    "thread": [(5, 1), (5, 2), (5, 3), (5, 4)],
    "image": [(20, 2), (20, 3), (20, 4), (20, 10), (3, 10)],
    "samples": [(15, 46)],
    "stacks 32": [(24, 32)],
    "key refs 37/38": [(24, 37), (24, 38)],
    "key defs 34-36": [(24, 34), (24, 35), (24, 36)],
    "VirtualAlloc/Free": [(2, 98), (2, 99)],
    "SystemConfig": [(11, opcode) for opcode in range(256)],
    "RSDS": [("ImageID", 36)],
}
NAMES = {  # as TraceEvent calls them: by group, GUID's begin, and opcode or id
    ("group 0", "0"): "EventTrace", ("group 0", "5"): "EventTrace/Extension",
    ("group 0", "8"): "EventTrace/RundownComplete", ("group 0", "32"): "EventTrace/EndExtension",
    ("group 3", "1"): "Process/Start", ("group 3", "2"): "Process/Stop", ("group 3", "3"): "Process/DCStart",
    ("group 3", "4"): "Process/DCStop", ("group 3", "39"): "Process/Defunct",
    ("group 3", "11"): "Process/Terminate", ("group 3", "10"): "Image/Load",
    ("group 20", "2"): "Image/Unload", ("group 20", "3"): "Image/DCStart", ("group 20", "4"): "Image/DCStop",
    ("group 20", "33"): "Image/KernelBase", ("group 20", "34"): "Image/HypercallPage",
    ("b3e675d7", "0"): "ImageID", ("b3e675d7", "32"): "ImageID/None", ("b3e675d7", "36"): "ImageID/DbgID_RSDS",
    ("b3e675d7", "37"): "ImageID/DbgID_ILRSDS", ("b3e675d7", "38"): "ImageID/DbgPPDB",
    ("b3e675d7", "40"): "ImageID/DbgDeterm", ("b3e675d7", "64"): "ImageID/FileVersion",
    ("9b79ee91", "33"): "SysConfig/SystemPaths", ("9b79ee91", "34"): "SysConfig/UnknownVolume",
    ("9b79ee91", "35"): "SysConfig/VolumeMapping",
    ("bbccf6c1", "32"): "MetaData/EventInfo", ("bbccf6c1", "33"): "MetaData/EventMapInfo",
    ("e13c0d23", "143"): "Method/LoadVerbose", ("e13c0d23", "144"): "Method/UnloadVerbose",
    ("e13c0d23", "145"): "Method/JittingStarted",
}

problems = []


def check(good, *words):
    if not good:
        problems.append(" ".join(map(str, words)))


class Dump:
    def __init__(self, program):
        self.program = program

    def run(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True)
        check(done.returncode == 0, "etl-dump failed:", done.stderr)
        return [tuple(line.split("\t")) for line in done.stdout.splitlines()], done.stderr


def table(readme):
    rows = [line.strip("| ").split(" | ") for line in readme.read_text().splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in row] for row in rows]
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def fetch(directory, name, scratch):
    """The file; unpacked where it is in an archive."""
    if "!" not in name:
        return directory / name
    archive, member = name.split("!")
    with zipfile.ZipFile(directory / archive) as packed:
        found = [one for one in packed.namelist() if re.split(r"[/\\]", one)[-1] == member]
        to = scratch / member
        to.write_bytes(packed.read(found[0]))
    return to


def check_counts(name, rows, row):
    counts = collections.Counter()
    for kind, who, what, _, nr in rows[:-1]:
        if who.startswith("group "):
            counts[int(who[6:]), int(what)] += int(nr)
        elif who in GUIDS and kind == "full":
            counts[GUIDS[who], int(what)] += int(nr)
    for column, keys in COLUMNS.items():
        found = sum(counts[key] for key in keys)
        check(found == int(row[column]), f"{name}: {column}: {found}, not {row[column]}")


def check_file(dump, directory, row, scratch):
    name = row["file"]
    path = fetch(directory, name, scratch)
    rows, said = dump.run(path)
    total = rows[-1][-1] if rows else None
    check(total == row["events"], f"{name}: {total} events, not {row['events']}")
    check(f": {row['lost']} events lost, 0 buffers and 0 events damaged, 0 unknown; no damage" in said, name, said)
    check("0 unordered" in said, name, said)
    check(dump.run("-b", path)[0] == rows, f"{name}: buffer by buffer there are others")
    check_counts(name, rows, row)
    stem = pathlib.Path(name.split("!")[-1]).stem
    place = (directory / name.split("!")[0]).parent
    others = [one for one in (place / f"{stem}.snail.counts.tsv", place / "snail.counts.tsv") if one.exists()]
    # snail-server reads the first buffer up to its saved offset only (2 events are behind it in some files of Windows
    # 11) and refuses files of Windows 7; for the files that it has counts of, none of this makes a difference.
    if others:
        expected = [tuple(line.split("\t")) for line in others[0].read_text().splitlines()[1:]]
        check(rows == sorted(expected[:-1]) + expected[-1:], f"{name}: not the counts of {others[0].name}:",
              set(rows) ^ set(expected))
    return bool(others)


def check_time(dump, directory):
    """The first event's time, to 100 ns, where ticks are 1818300 a second."""
    path = directory / "tx-win7/HTTP_Server.etl"
    expected = int(re.search(r"time stamp as FILETIME: (\d+)", (directory / "tx-win7/expected.txt").read_text())[1])
    start = struct.unpack_from("<q", path.read_bytes(), 72 + 32 + 0x108)[0]
    rows, _ = dump.run("-e", path)
    check(start + int(rows[1][5]) // 100 == expected, f"{path}: a time of {rows[1][5]} ns")


def check_order(dump, directory, scratch):
    """Four files: events of equal ticks have no order of their own, else it is as published."""
    archive = directory / "perfview-diaghub-win10-multifile/diaghub-etls.zip"
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(scratch)
    published = (scratch / "diaghub-etls/diaghub-etls.txt").read_text(encoding="utf-8-sig").split()
    rows, _ = dump.run("-e", *sorted((scratch / "diaghub-etls").glob("*.etl")))
    # Names that several kinds have, or that TraceEvent does not report, are left out on both sides.
    known = set(NAMES.values())
    published = [name for name in published if name in known]
    ours = [(ticks, NAMES.get((who if who.startswith("group") else who[:8], what)))
            for _, who, what, _, ticks, *_ in rows]
    ours = [(ticks, name) for ticks, name in ours if name]
    check(len(ours) == len(published) > 90000, f"{archive}: {len(ours)} events, not {len(published)}")
    at = 0
    while at < len(ours):
        end = at
        while end < len(ours) and ours[end][0] == ours[at][0]:
            end += 1
        if sorted(name for _, name in ours[at:end]) != sorted(published[at:end]):
            check(False, f"{archive}: from event {at} on: {ours[at:end]}, not {published[at:end]}")
            break
        at = end
    ticks = [int(row[4]) for row in rows]
    check(ticks == sorted(ticks), f"{archive}: not by time")


def main():
    dump, directory = Dump(sys.argv[1]), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        rows = table(directory / "README.md")
        compared = [check_file(dump, directory, row, scratch) for row in rows]
        check(len(rows) >= 23 and sum(compared) >= 5, f"only {len(rows)} files, {sum(compared)} with counts")
        check_time(dump, directory)
        check_order(dump, directory, scratch)
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


main()
