#!/usr/bin/env python3
"""What the views of a trace have to agree on, whatever is in it.

    check-sums.py [--of commit|touched|heap] [--filters N] [--pairs N] TRACE

Nothing is computed here but sums of what the program prints (JSON), under no filter and under filters of all kinds that
are made of the trace's own rows, each as it is and as --not-...:

- the rows by any key, and by any two, add up to the same, which is what the head says, and so do those of --at own-peak
- a filter and its complement are together all
- a row by a key is what a filter for this key lets through, its own peak and the moment of it included; of a function,
  module or query that is its total
- total >= self, peak >= what was held at any moment, size = aifi + aifo and so on
- a call tree, folded stacks and regions have the same sum; a node of a tree is itself and what it called
- the highest point of a series of the timeline is the peak, at its moment, and its CPU times add up

--filters: values of each kind that are tried (default: 1). --pairs: pairs of keys under each filter (default: 2; all without a
filter). STAGETRACE is the program (default: build/stagetrace). Prints a line for each kind of check, exit code 1 if one fails.
"""
import argparse
import collections
import itertools
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simulation.program import SUMS, Program  # noqa: E402

PROCESS_KEYS = ("process", "role", "part", "crate")
STACK_KEYS = ("module", "function", "thread", "phase", "query")
CPU_KEYS = (*PROCESS_KEYS, *STACK_KEYS, "stack")
MEMORY_KEYS = (*CPU_KEYS, "lifetime")
CPU_SUMS = ("samples", "self_ns")
HEAD_SUMS = ("size_bytes", "freed_bytes", "count", "at_peak_bytes", "outstanding_bytes")
# What of these filters a row has as its total. Of the others a row is what its filter lets through.
HAS_TOTAL = ("function", "module", "query")
# One of these shows the other too, and is refused with it.
ONE_ALONE = ({"process", "crate"}, {"process", "thread"}, {"process", "heap"}, {"crate", "heap"}, {"module", "function"})


class Checks:
    def __init__(self):
        self.done, self.failed = collections.Counter(), 0

    def equal(self, what, where, ours, expected):
        self.done[what] += 1
        if ours != expected:
            self.failed += 1
            if self.failed <= 20:
                print("DIFFERS %s: %s: %s, expected %s" % (what, where, ours, expected))

    def true(self, what, where, is_true):
        self.equal(what, where, bool(is_true), True)


def add_up(rows, columns):
    return tuple(sum(row[column] or 0 for row in rows) for column in columns)


def pairs(keys):
    return [pair for pair in itertools.combinations(keys, 2) if set(pair) not in ONE_ALONE]


class Trace:
    def __init__(self, path, kind, checks, most_filters, most_pairs):
        self.program, self.checks, self.most_filters, self.most_pairs = Program(path), checks, most_filters, most_pairs
        self.memory = ["memory"] + (["--of", kind] if kind != "commit" else [])
        self.kind, self.turn = kind, 0
        self.memory_keys = MEMORY_KEYS + (("heap",) if kind == "heap" else ())

    def view(self, command, *options):
        """(head, rows)"""
        document = self.program.rows(*command, *options, "--head")
        return document["head"], document["rows"]

    def in_turn(self, every, number):
        """Other ones each time."""
        self.turn += number
        return [every[(self.turn + i * 7) % len(every)] for i in range(number)]

    def pairs_in_turn(self, keys, few):
        return self.in_turn(pairs(keys), self.most_pairs) if few else pairs(keys)

    # What rows add up to.

    def check_memory_sums(self, options, few):
        where = " ".join(options) or "no filter"
        head, rows = self.view(self.memory, *options)
        expected = dict(zip(SUMS, add_up(rows, SUMS)))
        for name in HEAD_SUMS:
            if name in head:  # at_peak_bytes is peak_bytes without a filter, outstanding_bytes is at_peak_bytes at the peak
                self.checks.equal("memory: head", "%s, %s" % (name, where), expected[name], head[name])
        for by in [(key,) for key in self.memory_keys] + self.pairs_in_turn(self.memory_keys, few):
            _, rows = self.view(self.memory, "--by", ",".join(by), *options)
            self.checks.equal("memory: sums of rows", "by %s, %s" % (",".join(by), where), dict(zip(SUMS, add_up(rows, SUMS))),
                              expected)
            for row in rows:
                self.check_memory_row(row, "by %s, %s: %s" % (",".join(by), where, row))
        return head

    def check_memory_row(self, row, where):
        def holds(what, is_true):
            self.checks.true("memory: " + what, where, is_true)

        holds("size is aifi and aifo", row["size_bytes"] == row["aifi_bytes"] + row["aifo_bytes"])
        holds("freed is aifi and aofi", row["freed_bytes"] == row["aifi_bytes"] + row["aofi_bytes"])
        holds("impacting is aifo less aofi", row["impacting_bytes"] == row["aifo_bytes"] - row["aofi_bytes"])
        if row["peak_bytes"] is not None:
            holds("the peak is the most", row["peak_bytes"] >= max(row["at_peak_bytes"], row["outstanding_bytes"]))
            holds("a peak has a moment", (row["peak_time_ns"] is None) == (row["peak_bytes"] <= 0))
        for name in (*SUMS, "peak_bytes"):
            total = row["total_" + name]
            if total is not None and row[name] is not None and name != "impacting_bytes":
                holds("a total is not less than its row", total >= row[name])

    def check_own_peak(self, options, few):
        where = " ".join(options) or "no filter"
        keys = self.in_turn(self.memory_keys, 3) if few else self.memory_keys
        for by in [(key,) for key in keys] + self.pairs_in_turn(self.memory_keys, True):
            head, rows = self.view(self.memory, "--by", ",".join(by), "--at", "own-peak", *options)
            self.checks.equal("memory: rows at the own peak", "by %s, %s" % (",".join(by), where),
                              (add_up(rows, ["outstanding_bytes"])[0], head["outstanding_bytes"], head["at_ns"]),
                              (head["own_peak_bytes"], head["own_peak_bytes"], head.get("own_peak_time_ns", head["from_ns"])))
            self.checks.true("memory: the own peak is the most", where, head["own_peak_bytes"] >= head.get("at_peak_bytes", 0))

    def check_cpu_sums(self, options, few):
        where = " ".join(options) or "no filter"
        head, _ = self.view(["cpu"], *options)
        expected = (head["samples"], head["cpu_ns"])
        for by in [(key,) for key in CPU_KEYS] + self.pairs_in_turn(CPU_KEYS, few):
            _, rows = self.view(["cpu"], "--by", ",".join(by), *options)
            self.checks.equal("cpu: sums of rows", "by %s, %s" % (",".join(by), where), add_up(rows, CPU_SUMS), expected)
            for row in rows:
                self.checks.true("cpu: a total is not less than its row", "%s: %s" % (where, row),
                                 row["total_ns"] >= row["self_ns"])
        return head

    # What has the same sum in another form.

    def check_tree(self, command, unit, options):
        where = "%s %s" % (command[0], " ".join(options))
        head, rows = self.view(command, "--by", "calls", "--min-share", "2", *options)
        total, self_ = "total_" + unit, "self_" + unit
        self.checks.equal("call tree: the first rows", where, sum(row[total] for row in rows if not row["depth"]), head[total])
        # Upside down a stack may end at any row; what small callees called has no rows.
        inverted = "--inverted" in options
        sums = [0 if inverted else row[self_] or 0 for row in rows]
        above = []
        for i, row in enumerate(rows):
            del above[row["depth"]:]
            if above:
                sums[above[-1]] += row[total]
            above.append(i)
        for row, value in zip(rows, sums):
            self.checks.true("call tree: a row is what is below it", "%s: %s" % (where, row),
                             value <= row[total] if inverted or row["function"] is None else value == row[total])
        return head[total]

    def check_folded_memory(self, options):
        """Values below zero are left out."""
        kind, at_own_peak = self.memory[1:], [*options, "--at", "own-peak"]
        for metric, column, asked in (("size", "size_bytes", options), ("at-peak", "at_peak_bytes", options),
                                      ("own-peak", "outstanding_bytes", at_own_peak)):
            _, rows = self.view(self.memory, "--by", "stack", *asked)
            expected = sum(max(row[column], 0) for row in rows)
            if expected:
                self.check_folded(metric, [*kind, *options], expected)

    def check_folded(self, metric, options, expected):
        text = self.program.text("export", "--metric", metric, "--min-share", "0", *options)
        self.checks.equal("folded stacks", "%s %s" % (metric, " ".join(options)),
                          sum(int(line.rpartition(" ")[2]) for line in text.splitlines()), expected)

    def check_regions(self, options, head):
        _, rows = self.view(self.memory, "--by", "region", *options)
        inside = sum(row["size_bytes"] for row in rows if row["flow"].startswith("ai"))
        self.checks.equal("regions", " ".join(options), (inside, sum(row["size_bytes"] for row in rows if row["flow"].endswith("fi"))),
                          (head["size_bytes"], head["freed_bytes"]))
        _, rows = self.view(self.memory, "--by", "region", "--at", "own-peak", *options)
        self.checks.equal("regions at the own peak", " ".join(options), sum(row["size_bytes"] for row in rows),
                          head["own_peak_bytes"])

    # The timeline, of filters that it has.

    def check_series(self, options, memory, cpu):
        where, kind = " ".join(options), self.memory[1:]
        if self.kind == "heap":  # the timeline has none
            return
        for step in ("37ms", "1m") if not options else ("90ms",):
            head, rows = self.view(["timeline"], "--every", step, *kind, *options)
            if memory:
                most = max((row["memory_bytes"] for row in rows), default=0)
                self.checks.equal("timeline: the highest point is the peak", where, most, memory["own_peak_bytes"])
                if most:
                    first = next(row for row in rows if row["memory_bytes"] == most)
                    self.checks.equal("timeline: the moment of the peak", where, first["memory_time_ns"],
                                      memory["own_peak_time_ns"])
            if cpu:
                self.checks.equal("timeline: CPU time", where, sum(row["cpu_ns"] or 0 for row in rows), cpu["cpu_ns"])
        if memory:
            for key in ("role", "part", "crate"):
                rows = self.view(self.memory, "--by", key, *options)[1]
                self.check_series_by(key, "memory_bytes", max, [*kind, *options],
                                     {row[key]: row["peak_bytes"] for row in rows if row["peak_bytes"]})
        for key in ("role", "part", "crate", "phase", "query") if cpu else ():
            rows = self.view(["cpu"], "--by", key, *options)[1]
            self.check_series_by(key, "cpu_ns", int.__add__, options, {row[key]: row["self_ns"] for row in rows if row["self_ns"]})

    def check_series_by(self, key, column, join, options, expected):
        series = {}
        for row in self.view(["timeline"], "--by", key, "--every", "41ms", "--top", "100000", *options)[1]:
            series[row[key]] = join(series.get(row[key], 0), row[column] or 0)
        self.checks.equal("timeline: series by key", "%s by %s %s" % (column, key, " ".join(options)),
                          {name: value for name, value in series.items() if value}, expected)

    # Filters, of the trace's own values.

    def filters(self, command, keys, weight):
        """[(key, value of the filter, row)]: of each key the largest row, and others at equal distances."""
        found = []
        for key in keys:
            _, rows = self.view(command, "--by", key)
            names = collections.Counter(self.value(key, row) for row in rows)
            rows = sorted((row for row in rows if self.value(key, row) and names[self.value(key, row)] == 1),
                          key=lambda row: -(row[weight] or 0))
            step = max(len(rows) // max(self.most_filters, 1), 1)
            found += [(key, self.value(key, row), row) for row in rows[::step][:self.most_filters]]
        return found

    @staticmethod
    def value(key, row):
        """As the filter takes it; None: it cannot be asked for, or others are asked for too."""
        value = row["pid" if key == "process" else "tid" if key == "thread" else key]
        if value is None or row.get("also") or any(c in str(value) for c in "*?"):
            return None
        return str(value)

    def check_memory_filters(self, whole):
        at_all = dict(zip(SUMS, add_up(self.view(self.memory)[1], SUMS)))
        for key, value, row in self.filters(self.memory, (*PROCESS_KEYS, *STACK_KEYS), "size_bytes"):
            both = collections.Counter()
            for option in ("--" + key, "--not-" + key):
                options = [option, value]
                head = self.check_memory_sums(options, True)
                self.check_own_peak(options, True)
                both.update(dict(zip(SUMS, add_up(self.view(self.memory, *options)[1], SUMS))))
                if key in PROCESS_KEYS:
                    self.check_regions(options, head)
                    self.check_series(options, head, None)
                self.check_folded_memory(options)
                self.check_tree([*self.memory, "--at", "own-peak"], "bytes", options)
                if option == "--" + key:
                    self.check_row(key, row, options, head)
            self.checks.equal("memory: a filter and its complement", "--%s %s" % (key, value), {**dict.fromkeys(SUMS, 0), **both},
                              at_all)
        self.checks.equal("memory: own peak of all", "", whole["own_peak_bytes"], whole["peak_bytes"])

    def check_row(self, key, row, options, head):
        prefix = "total_" if key in HAS_TOTAL else ""
        names = {"size_bytes": "size_bytes", "freed_bytes": "freed_bytes", "count": "count", "at_peak_bytes": "at_peak_bytes",
                 "own_peak_bytes": "peak_bytes", "own_peak_time_ns": "peak_time_ns"}
        known = [name for name in names if name in head]  # touched memory has no count there
        self.checks.equal("memory: a row is what its filter lets through", " ".join(options), [head[name] for name in known],
                          [row[prefix + names[name]] for name in known])

    def check_cpu_filters(self, whole):
        for key, value, row in self.filters(["cpu"], (*PROCESS_KEYS, *STACK_KEYS), "self_ns"):
            both = []
            for option in ("--" + key, "--not-" + key):
                options = [option, value]
                head = self.check_cpu_sums(options, True)
                both.append(head["cpu_ns"])
                if key in PROCESS_KEYS:
                    self.check_series(options, None, head)
                self.checks.equal("call tree: the whole", " ".join(options), self.check_tree(["cpu"], "ns", options), head["cpu_ns"])
                self.check_folded("cpu", options, head["cpu_ns"])
            self.checks.equal("cpu: a filter and its complement", "--%s %s" % (key, value), sum(both), whole["cpu_ns"])
            self.checks.equal("cpu: a row is what its filter lets through", "--%s %s" % (key, value), both[0],
                              row["total_ns" if key in HAS_TOTAL else "self_ns"])

    def check_all(self):
        ends = self.view(self.memory)[0]["end_ns"]
        ranges = [[], ["--time", "%.9fs..%.9fs" % (ends * 0.1e-9, ends * 0.6e-9)],
                  ["--time", "%.9fs.." % (ends * 0.3e-9), "--at", "peak"],
                  ["--time", "..%.9fs" % (ends * 0.8e-9), "--at", "%.9fs" % (ends * 0.2e-9)]]
        for options in ranges:
            head = self.check_memory_sums(options, bool(options))
            if "--at" not in options:
                self.check_own_peak(options, bool(options))
                self.check_folded_memory(options)
                self.check_regions(options, head)
                self.check_series(options, head, None)
            for inverted in ([], ["--inverted"]):
                self.check_tree(self.memory, "bytes", [*options, *inverted])
        self.check_memory_filters(self.view(self.memory)[0])
        if self.kind != "commit" or not self.has_samples():
            return
        for options in [options for options in ranges if "--at" not in options]:
            head = self.check_cpu_sums(options, bool(options))
            self.check_series(options, None, head)
            self.check_folded("cpu", options, head["cpu_ns"])
            for inverted in ([], ["--inverted"]):
                self.checks.equal("call tree: the whole", " ".join(options), self.check_tree(["cpu"], "ns", [*options, *inverted]),
                                  head["cpu_ns"])
        self.check_cpu_filters(self.view(["cpu"])[0])

    def has_samples(self):
        return any(row["key"] == "cpu_time_by" for row in self.program.rows("system"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--of", default="commit")
    parser.add_argument("--filters", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=2)
    parser.add_argument("trace")
    options = parser.parse_args()
    checks = Checks()
    Trace(options.trace, options.of, checks, options.filters, options.pairs).check_all()
    for what, times in sorted(checks.done.items()):
        print("%6d %s" % (times, what))
    print("%d of %d differ" % (checks.failed, sum(checks.done.values())))
    sys.exit(checks.failed > 0)


main()
