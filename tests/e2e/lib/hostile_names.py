#!/usr/bin/env python3
"""Give a copy of tests/data/traced-run names that a careless writer of a format would trip over."""
import json
import sys

run = sys.argv[1]
CRATES = {"rustc_middle": '<img src=x onerror="alert(1)">', "rustc_parse": "</script>\u202e\\\"\t\x1b[31m",
          "rustc_driver": "a;b,c" + "\u0301" * 9 + "ß🦀"}
NAMES = {b"malloc": b"m\xffl\x80loc", b"sysmalloc": b'"},{"', b"__mprotect": b"</script><script>alert(1)</script>",
         b"start_thread": "\u2028\u202eoverride".encode(), b"__mmap": b"n" * 20000, b"exc_page_fault": b"n\0ul"}

path = run + "/processes.jsonl"
with open(path, encoding="utf-8") as file:
    rows = [json.loads(line) for line in file]
for row in rows:
    if row.get("crate"):
        row["crate"] = CRATES.get(row["crate"], row["crate"])
    if row["pid"] == 230:
        # What is not UTF-8 is in hex.
        row["argv_hex"] = [bytes(1 + b % 255 for b in range(300)).hex()] + [None] * (len(row["argv"]) - 1)
        row["argv"][1] = "x" * 50000
    if row["pid"] == 220:
        # No argument of a process has a NUL.
        row["argv_hex"] = [None, b"n\0ul".hex()] + [None] * (len(row["argv"]) - 2)
# The same of a name: the line is damaged.
rows.append({**rows[0], "pid": 999, "exe": "/bin/n\0ul"})
with open(path, "w", encoding="utf-8") as file:
    for row in rows:
        file.write(json.dumps(row, separators=(",", ":")) + "\n")

path = run + "/symbols/functions.txt"
with open(path, "rb") as file:
    lines = file.read().split(b"\n")
with open(path, "wb") as file:
    file.write(b"\n".join(b"\t".join(NAMES.get(field, field) for field in line.split(b"\t")) for line in lines))
