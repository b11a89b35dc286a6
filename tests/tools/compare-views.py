#!/usr/bin/env python3
"""Compare the output of the program with that of simulate.py.

    compare-views.py [--no-names] TRACE EXPECTED.json [WRONG.json]

TRACE is the run or the bare perf.data that EXPECTED.json was computed from, with --base of the run's clock. WRONG.json must
differ, but for names, which are not compared.
STAGETRACE is the program (default: build/stagetrace). --no-names leaves functions and stacks out, if the
binaries of the recording are missing. Prints a line for each comparison; exit code 1 if one differs.

Where perf is known to be wrong, or to say less, the two may differ, there and no further (simulation/):

- A call that ends its function has a return address in the next one, or in none: perf names that, the program the
  caller (simulate.py calls frames at a function's start "?", and each must be found as a frame of any name; so must
  those that perf has no name for, where the program has not).
- perf makes up names for entries of procedure linkage tables ("malloc@plt"), which no symbol table has.
- perf discards stacks with a number among the topmost 4095; it says how many (names.py).
- perf looks numbers of broken stacks up in what was mapped before an exec (cpu.py), and among data (perf_text.py).
- perf stops at a symbol that it does not understand, as BOLT makes them, and then has no name for the address that
  made it read the symbols (perf_text.py).
"""
import argparse
import bisect
import collections
import csv
import io
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simulation import curves, names, regions  # noqa: E402
from simulation.program import (COLUMNS, SUMS, Program, as_rows, at_option, expected_lifetimes, lifetimes,  # noqa: E402
                                pid_sums, time_option, values_by_pid)

CPU_KEYS = ("process", "role", "part", "crate", "module", "function", "thread", "stack")
MEMORY_KEYS = ("process", "role", "part", "crate", "module", "function", "stack")


class Comparison:
    def __init__(self):
        self.failed = self.filters = 0

    def check(self, name, differences):
        differences = list(differences)
        self.failed += bool(differences)
        print(("DIFFERS " if differences else "same    ") + name)
        for line in differences[:5]:
            print("        " + line)
        if len(differences) > 5:
            print("        and %d more" % (len(differences) - 5))

    def equal(self, name, ours, expected):
        self.check(name, [] if ours == expected else ["%s, expected %s" % (ours, expected)])

    def tables(self, name, ours, expected):
        """Two dictionaries; what is not there is 0."""
        keys = sorted(set(ours) | set(expected), key=str)
        self.check(name, ("%s: %s, expected %s" % (key, ours.get(key, 0), expected.get(key, 0))
                          for key in keys if ours.get(key, 0) != expected.get(key, 0)))


def add_up(rows, key, value):
    table = collections.Counter()
    for row in rows:
        table[key(row)] += value(row)
    return table


def compare_memory(program, comparison, one):
    """One range of time."""
    options = time_option(one) + at_option(one)
    where = " ".join(options) or "whole recording"
    rows = program.rows("memory", "--by", "process", *options)
    comparison.tables("memory by process, " + where, values_by_pid(rows, COLUMNS),
                      values_by_pid(as_rows(one["processes"]), COLUMNS))
    comparison.equal("peak of the whole build, " + where, sum(row["at_peak_bytes"] for row in rows),
                     one["whole"]["peak"])
    expected = {ours: one["whole"][theirs] for ours, theirs in SUMS.items()}
    for key in MEMORY_KEYS:
        rows = program.rows("memory", "--by", key, *options)
        comparison.tables("memory sums by %s, %s" % (key, where),
                          {ours: sum(row[ours] for row in rows) for ours in SUMS}, expected)


def compare_regions(program, comparison, one):
    """Each region, and the lifetimes of all: their sums are those of the whole."""
    options = time_option(one) + at_option(one)
    where = " ".join(options) or "whole recording"
    comparison.tables("memory by lifetime, " + where, lifetimes(program.rows("memory", "--by", "lifetime", *options)),
                      expected_lifetimes(one))
    comparison.tables("memory by region, " + where, collections.Counter(regions.lines_of_program(program, options)),
                      collections.Counter(one["regions"]["lines"]))


def compare_cpu(program, comparison, one):
    options = time_option(one)
    where = " ".join(options) or "whole recording"
    expected = {int(pid): tuple(value) for pid, value in one["cpu"].items()}
    comparison.tables("cpu by process, " + where, pid_sums(program.rows("cpu", "--by", "process", *options)), expected)
    total = tuple(map(sum, zip(*expected.values()))) or (0, 0)
    for key in CPU_KEYS:
        rows = program.rows("cpu", "--by", key, *options)
        comparison.equal("cpu sums by %s, %s" % (key, where),
                         (sum(row["samples"] for row in rows), sum(row["self_ns"] for row in rows)), total)
        if rows:
            comparison.check("percents by %s, %s" % (key, where),
                             ["they add up to %f" % percent for percent in [sum(row["percent"] for row in rows)]
                              if abs(percent - 100) > 0.01])


def compare_threads(program, comparison, expected):
    def by_thread(rows, pid, name):
        return add_up(rows, lambda row: (pid(row), row["tid"]), lambda row: row[name])

    rows = program.rows("cpu", "--by", "thread")
    threads = [{**thread, "pid": one["pid"]} for one in expected["processes"] for thread in one["threads"]]
    for ours, theirs in (("samples", "samples"), ("self_ns", "cpu_ns")):
        comparison.tables("%s by thread" % ours, by_thread(rows, lambda row: row["pid"], ours),
                          by_thread(threads, lambda row: row["pid"], theirs))


def match_instances(rows, processes):
    """[(row, simulated process)]: of a pid's processes the one whose start is nearest; none: it existed before."""
    pairs = []
    for row in rows:
        same = [one for one in processes if one["pid"] == row["pid"]]
        if same:
            pairs.append((row, min(same, key=lambda one: abs(one["start_ns"] - (row["start_ns"] or 0)))))
    return pairs


def compare_processes(program, comparison, expected):
    """The memory columns of `processes`, then sums of other views under filters by what it says of each process."""
    rows = program.rows("processes")
    whole = expected["ranges"][0]
    pairs = match_instances(rows, whole["processes"])
    comparison.equal("processes with memory that have a row", len({id(one) for _, one in pairs}),
                     len(whole["processes"]))
    for column in ("size_bytes", "peak_bytes", "at_peak_bytes"):
        name = COLUMNS[column]
        comparison.check("processes: " + column, ("pid %d: %s, expected %s" % (row["pid"], row[column], one[name])
                                                  for row, one in pairs if row[column] != one[name]))
    sampled = match_instances(rows, expected["processes"])
    for option, column in (("--role", "role"), ("--part", "part"), ("--crate", "crate")):
        values = [value for value, _ in collections.Counter(row[column] for row in rows if row[column]).most_common(3)]
        for value in values:
            compare_curve(program, comparison, expected, [option, value],
                          {whole["processes"].index(one) for row, one in pairs if row[column] == value})
            compare_filter(program, comparison, [option, value],
                           [one for row, one in pairs if row[column] == value],
                           [one for row, one in sampled if row[column] == value])
    busiest = max(expected["processes"], key=lambda one: one["cpu_ns"])["pid"]
    compare_filter(program, comparison, ["--process", str(busiest)],
                   [one for one in whole["processes"] if one["pid"] == busiest],
                   [one for one in expected["processes"] if one["pid"] == busiest])


def compare_curve(program, comparison, expected, options, keep):
    """The peak that a selection of processes has together, and the series of its memory."""
    where, changes = " ".join(options), expected["changes"]
    document = program.rows("memory", "--by", "function", "--at", "own-peak", "--head", *options)
    head, (peak, moment) = document["head"], curves.peak(changes, keep)
    comparison.equal("own peak, " + where, (head["own_peak_bytes"], head["own_peak_time_ns"]), (peak, moment))
    comparison.equal("the rows at the own peak, " + where,
                     sum(row["outstanding_bytes"] for row in document["rows"]), peak)
    steps = program.rows("timeline", "--every", "37ms", *options)
    starts = [row["time_ns"] for row in steps]
    comparison.check("series, " + where,
                     ("at %d ns: %d, expected %d" % (start, row["memory_bytes"], most) for start, row, most
                      in zip(starts, steps, curves.series(changes, keep, starts)) if row["memory_bytes"] != most))


def compare_series(program, comparison, expected):
    """Of the whole build, memory and CPU time of each step."""
    compare_curve(program, comparison, expected, [], set(range(len(expected["ranges"][0]["processes"]))))
    steps = program.rows("timeline", "--every", "41ms")
    theirs = collections.Counter()
    for time, _, period in expected["cpu_times"]:
        theirs[max(bisect.bisect_right(steps, time, key=lambda row: row["time_ns"]), 1) - 1] += period
    comparison.tables("series of CPU time", {i: row["cpu_ns"] for i, row in enumerate(steps)}, theirs)


def compare_filter(program, comparison, options, memory, cpu):
    """By every third key, other ones each time: each has to read the symbols again."""
    where, first = " ".join(options), comparison.filters % 3
    comparison.filters += 1
    expected = {ours: sum(one[theirs] for one in memory) for ours, theirs in SUMS.items()}
    for key in MEMORY_KEYS[first::3]:
        rows = program.rows("memory", "--by", key, *options)
        comparison.tables("memory sums by %s, %s" % (key, where),
                          {ours: sum(row[ours] for row in rows) for ours in SUMS}, expected)
    for key in CPU_KEYS[first::3]:
        comparison.equal("cpu sum by %s, %s" % (key, where),
                         sum(row["self_ns"] for row in program.rows("cpu", "--by", key, *options)),
                         sum(one["cpu_ns"] for one in cpu))


def compare_formats(program, comparison):
    """CSV says what JSON says."""
    for view in ("memory", "cpu"):
        rows = program.rows(view, "--by", "process")
        table = list(csv.DictReader(io.StringIO(program.text(view, "--by", "process", "--format", "csv"), newline="")))
        for row in rows + table:
            row.pop("percent", None)
        comparison.equal("%s: csv and json" % view, table,
                         [{key: "" if value is None else str(value) for key, value in row.items()} for row in rows])


def compare(program, expected, with_names):
    comparison = Comparison()
    for one in expected["ranges"]:
        compare_memory(program, comparison, one)
        compare_regions(program, comparison, one)
        compare_cpu(program, comparison, one)
    compare_threads(program, comparison, expected)
    names.compare_modules(program, comparison, expected)
    compare_processes(program, comparison, expected)
    compare_series(program, comparison, expected)
    compare_formats(program, comparison)
    if with_names:
        names.compare(program, comparison, expected)
    print("%d differ" % comparison.failed)
    return comparison.failed


def read(path):
    with open(path) as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-names", action="store_true")
    parser.add_argument("trace")
    parser.add_argument("expected")
    parser.add_argument("wrong", nargs="?")
    options = parser.parse_args()
    program = Program(options.trace)
    failed = compare(program, read(options.expected), not options.no_names)
    if options.wrong:
        print(options.wrong + ":")
        if not compare(program, read(options.wrong), False):
            sys.exit(options.wrong + ": the same too")
    sys.exit(failed > 0)


main()
