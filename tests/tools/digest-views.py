#!/usr/bin/env python3
"""A digest of a trace's views: memory and CPU time by process, lifetimes and regions of memory, in a few lines.

    digest-views.py --make EXPECTED.json    the digest of simulate.py's answers, to stdout
    digest-views.py TRACE DIGEST.json [OTHER.json]
                                            compare the output of the program with it; the other digest must differ

simulate.py takes minutes for a large trace; this takes seconds. Each figure of each process counts: a digest has the
sums, the processes that have most, and a hash of all. STAGETRACE is the program (default: build/stagetrace). Exit code 1
if something differs.
"""
import hashlib
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simulation import regions  # noqa: E402
from simulation.program import (COLUMNS, SUMS, Program, as_rows, at_option, expected_lifetimes, lifetimes,  # noqa: E402
                                pid_sums, time_option, values_by_pid)

BIGGEST = 20
AT_PEAK = list(COLUMNS).index("at_peak_bytes")


def hash_of(table):
    text = json.dumps(sorted(table.items()), separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def digest_memory(rows, peak):
    """`rows` have the program's columns."""
    table = values_by_pid(rows, COLUMNS)
    biggest = sorted(((values[AT_PEAK], pid) for pid, same in table.items() for values in same), reverse=True)
    return {"sums": {column: sum(row[column] for row in rows) for column in SUMS}, "peak": peak, "pids": len(table),
            "biggest": [[pid, value] for value, pid in biggest[:BIGGEST]], "hash": hash_of(table)}


def digest_cpu(table):
    """{pid or (pid, tid): (samples, ns)}"""
    table = {key: value for key, value in table.items() if value[0]}
    busiest = sorted(((*value, key) for key, value in table.items()), reverse=True)
    return {"samples": sum(value[0] for value in table.values()), "ns": sum(value[1] for value in table.values()),
            "keys": len(table), "busiest": [[key, *value] for *value, key in busiest[:BIGGEST]], "hash": hash_of(table)}


def digest_expected(expected):
    threads = {}
    for process in expected["processes"]:
        for thread in process["threads"]:
            key = "%d/%d" % (process["pid"], thread["tid"])
            known = threads.get(key, (0, 0))
            threads[key] = (known[0] + thread["samples"], known[1] + thread["cpu_ns"])
    return {"base_ns": expected["base_ns"], "threads": digest_cpu(threads),
            "ranges": [{**{key: one[key] for key in ("from_ns", "to_ns", "at")},
                        "memory": digest_memory(as_rows(one["processes"]), one["whole"]["peak"]),
                        "lifetimes": expected_lifetimes(one), "regions": one["regions"],
                        "cpu": digest_cpu({int(pid): tuple(value) for pid, value in one["cpu"].items()})}
                       for one in expected["ranges"]]}


def digest_program(program, digest):
    """The same of the program, of the ranges that `digest` has."""
    ranges = []
    for one in digest["ranges"]:
        options = [*time_option(one), *at_option(one)]
        memory = program.rows("memory", "--by", "process", *options)
        lives = program.rows("memory", "--by", "lifetime", *options)
        cpu = program.rows("cpu", "--by", "process", *time_option(one))
        ranges.append({**{key: one[key] for key in ("from_ns", "to_ns", "at")},
                       "memory": digest_memory(memory, sum(row["at_peak_bytes"] for row in memory)),
                       "lifetimes": lifetimes(lives),
                       "regions": regions.digest(regions.lines_of_program(program, options)),
                       "cpu": digest_cpu(pid_sums(cpu))})
    threads = {}
    for row in program.rows("cpu", "--by", "thread"):
        key = "%d/%d" % (row["pid"], row["tid"])
        known = threads.get(key, (0, 0))
        threads[key] = (known[0] + row["samples"], known[1] + row["self_ns"])
    return {"base_ns": digest["base_ns"], "threads": digest_cpu(threads), "ranges": ranges}


def differences(ours, expected, where=""):
    if isinstance(expected, dict):
        for key in expected:
            yield from differences(ours[key], expected[key], "%s.%s" % (where, key))
    elif isinstance(expected, list) and len(ours) == len(expected):
        for i, (one, other) in enumerate(zip(ours, expected)):
            yield from differences(one, other, "%s[%d]" % (where, i))
    elif ours != expected:
        yield "%s: %s, expected %s" % (where.lstrip("."), ours, expected)


def main():
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    with open(sys.argv[2]) as file:
        known = json.load(file)
    if sys.argv[1] == "--make":
        text = json.dumps(digest_expected(known), indent=1)
        # A process is a line.
        print(re.sub(r"\[\s+([^][{}]*?)\s+\]", lambda list: "[%s]" % " ".join(list.group(1).split()), text))
        return
    # Through JSON once, as `known` came: tuples are lists there.
    ours = json.loads(json.dumps(digest_program(Program(sys.argv[1]), known)))
    wrong = list(differences(ours, known))
    print("\n".join(wrong) if wrong else "%d ranges and the threads: the same" % len(known["ranges"]))
    if len(sys.argv) == 4:
        with open(sys.argv[3]) as file:
            if not any(differences(ours, json.load(file))):
                raise SystemExit("%s: the same too" % sys.argv[3])
    sys.exit(bool(wrong))


main()
