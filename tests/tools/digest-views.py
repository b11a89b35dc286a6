#!/usr/bin/env python3
"""A digest of a trace's views: memory and CPU time by process and by module, with own peaks, lifetimes and regions of
memory, series of some processes, in a few lines.

    digest-views.py --make EXPECTED.json    the digest of the answers of simulate.py --memory-stacks, to stdout
    digest-views.py [--brief] TRACE DIGEST.json [OTHER.json]...
                                            compare the output of the program with it; the other digests must differ.
                                            Brief: no modules, lifetimes and regions of the first range alone

simulate.py takes minutes for a large trace; this takes seconds. Each figure of each process counts: a digest has the
sums, the processes that have most, and a hash of all. STAGETRACE is the program (default: build/stagetrace). Exit code 1
if something differs.
"""
import collections
import hashlib
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simulation import curves, names, regions  # noqa: E402
from simulation.program import (COLUMNS, SUMS, Program, as_rows, at_option, expected_lifetimes, lifetimes,  # noqa: E402
                                pid_sums, time_option, values_by_pid)

BIGGEST = 20
STEP_NS = 3 * 10**9
BY_MODULE = "by_module"  # of a digest: see module_differences()
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


def digest_series(peak, memory, cpu):
    """Of steps: the most memory in each, and CPU time."""
    return {"peak": peak, "steps": len(memory), "memory_hash": hash_of(dict(enumerate(memory))),
            "cpu_ns": sum(cpu), "cpu_hash": hash_of(dict(enumerate(cpu)))}


def selections(processes):
    """Pids whose memory is added up: all; of those that no other process had those with most, and every third one."""
    pids = collections.Counter(one["pid"] for one in processes)
    biggest = [one["pid"] for one in sorted(processes, key=lambda one: (-one["peak"], one["pid"])) if pids[one["pid"]] == 1]
    return [None, biggest[:5], sorted(biggest[::3])]


def series_of(expected, pids):
    processes = expected["ranges"][0]["processes"]
    keep = {i for i, one in enumerate(processes) if pids is None or one["pid"] in pids}
    starts = list(range(0, expected["last_ns"] - expected["base_ns"], STEP_NS))
    cpu = [0] * len(starts)
    for time, pid, period in expected["cpu_times"]:
        if pids is None or pid in pids:
            cpu[min(time // STEP_NS, len(starts) - 1)] += period
    return digest_series(curves.peak(expected["changes"], keep), curves.series(expected["changes"], keep, starts), cpu)


def series_of_program(program, pids):
    options = [word for pid in pids or () for word in ("--process", str(pid))]
    head = program.rows("memory", "--by", "process", "--head", *options)["head"]
    steps = program.rows("timeline", "--every", "%dns" % STEP_NS, *options)
    return digest_series((head["own_peak_bytes"], head["own_peak_time_ns"]), [step["memory_bytes"] for step in steps],
                         [step["cpu_ns"] for step in steps])


def digest_expected(expected):
    threads = {}
    for process in expected["processes"]:
        for thread in process["threads"]:
            key = "%d/%d" % (process["pid"], thread["tid"])
            known = threads.get(key, (0, 0))
            threads[key] = (known[0] + thread["samples"], known[1] + thread["cpu_ns"])
    cpu = {**{key: expected["cpu"][key] for key in ("ambiguous", "discarded", "completed")},
           "discarded_samples": names.discarded_samples(expected), "modules": sorted(expected["cpu"]["modules"], key=str)}
    return {"base_ns": expected["base_ns"], "threads": digest_cpu(threads),
            BY_MODULE: {"cpu": cpu, "memory": names.memory_of_modules(expected)},
            "series": [[pids, series_of(expected, pids)] for pids in selections(expected["ranges"][0]["processes"])],
            "ranges": [{**{key: one[key] for key in ("from_ns", "to_ns", "at")},
                        "memory": digest_memory(as_rows(one["processes"]), one["whole"]["peak"]),
                        "lifetimes": expected_lifetimes(one), "regions": one["regions"],
                        "cpu": digest_cpu({int(pid): tuple(value) for pid, value in one["cpu"].items()})}
                       for one in expected["ranges"]]}


def digest_program(program, digest):
    """The same of the program, of the ranges that `digest` has, and what it has of each."""
    ranges = []
    for one in digest["ranges"]:
        options = [*time_option(one), *at_option(one)]
        memory = program.rows("memory", "--by", "process", *options)
        cpu = program.rows("cpu", "--by", "process", *time_option(one))
        ours = {**{key: one[key] for key in ("from_ns", "to_ns", "at")},
                "memory": digest_memory(memory, sum(row["at_peak_bytes"] for row in memory)),
                "cpu": digest_cpu(pid_sums(cpu))}
        if "lifetimes" in one:
            ours["lifetimes"] = lifetimes(program.rows("memory", "--by", "lifetime", *options))
        if "regions" in one:
            ours["regions"] = regions.digest(regions.lines_of_program(program, options))
        ranges.append(ours)
    threads = {}
    for row in program.rows("cpu", "--by", "thread"):
        key = "%d/%d" % (row["pid"], row["tid"])
        known = threads.get(key, (0, 0))
        threads[key] = (known[0] + row["samples"], known[1] + row["self_ns"])
    return {"base_ns": digest["base_ns"], "threads": digest_cpu(threads), "ranges": ranges,
            "series": [[pids, series_of_program(program, pids)] for pids, _ in digest["series"]]}


class Wrong:
    """What names.compare_modules() finds."""
    def __init__(self):
        self.lines = []

    def check(self, name, lines):
        self.lines += ["%s: %s" % (name, line) for line in lines]

    def equal(self, name, ours, expected):
        self.check(name, [] if ours == expected else ["%s, expected %s" % (ours, expected)])


def module_differences(program, known):
    """By module, of all stacks that have one: memory to the byte, CPU time but for what perf discarded."""
    if not known:
        return []
    wrong = Wrong()
    names.compare_modules(program, wrong, known)
    return wrong.lines + list(names.module_differences(program, known["memory"]))


def differences(ours, expected, where=""):
    if isinstance(expected, dict):
        for key in sorted({*expected} - {BY_MODULE}):
            yield from differences(ours[key], expected[key], "%s.%s" % (where, key))
    elif isinstance(expected, list) and len(ours) == len(expected):
        for i, (one, other) in enumerate(zip(ours, expected)):
            yield from differences(one, other, "%s[%d]" % (where, i))
    elif ours != expected:
        yield "%s: %s, expected %s" % (where.lstrip("."), ours, expected)


def main():
    brief = sys.argv[1:2] == ["--brief"]
    if brief:
        del sys.argv[1]
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    with open(sys.argv[2]) as file:
        known = json.load(file)
    if brief:
        known[BY_MODULE] = None
        for one in known["ranges"][1:]:
            del one["lifetimes"], one["regions"]
    if sys.argv[1] == "--make":
        text = json.dumps(digest_expected(known), indent=1)
        # A process is a line.
        print(re.sub(r"\[\s+([^][{}]*?)\s+\]", lambda list: "[%s]" % " ".join(list.group(1).split()), text))
        return
    # Through JSON once, as `known` came: tuples are lists there.
    program = Program(sys.argv[1])
    ours = json.loads(json.dumps(digest_program(program, known)))
    wrong = [*differences(ours, known), *module_differences(program, known[BY_MODULE])]
    modules = 0 if brief else len(known[BY_MODULE]["cpu"]["modules"])
    sizes = len(known["ranges"]), len(known["series"]), modules
    print("\n".join(wrong) if wrong else "%d ranges, %d series, %d modules and the threads: the same" % sizes)
    for path in sys.argv[3:]:
        with open(path) as file:
            other = json.load(file)
        if not any(differences(ours, other)) and not module_differences(program, other[BY_MODULE]):
            raise SystemExit("%s: the same too" % path)
    sys.exit(bool(wrong))


main()
