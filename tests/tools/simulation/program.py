"""The program's views as rows, and the columns of simulate.py's answers."""
import json
import os
import subprocess

SUMS = {"size_bytes": "size", "count": "count", "freed_bytes": "freed", "impacting_bytes": "impacting",
        "outstanding_bytes": "outstanding", "at_peak_bytes": "at_peak", "aifi_bytes": "aifi", "aifo_bytes": "aifo",
        "aofi_bytes": "aofi", "aofo_bytes": "aofo"}
COLUMNS = {**SUMS, "peak_bytes": "peak", "peak_time_ns": "peak_ns"}


class Program:
    """Of one trace, which stays as it is: what was asked once is not asked again."""

    def __init__(self, trace):
        self.path, self.trace = os.environ.get("STAGETRACE", "build/stagetrace"), trace
        self.answers = {}

    def text(self, *arguments):
        if arguments not in self.answers:
            self.answers[arguments] = self.ask(*arguments)
        return self.answers[arguments]

    def ask(self, *arguments):
        command = [self.path, arguments[0], self.trace, *arguments[1:]]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if result.returncode:
            raise SystemExit("%s: exit code %d\n%s" % (" ".join(command), result.returncode, result.stderr))
        return result.stdout

    def rows(self, *arguments):
        return json.loads(self.text(*arguments, "--format", "json"))


def values_by_pid(rows, columns):
    """pid: a sorted list of its rows' values, as ids are used again; rows of zeros are no rows."""
    table = {}
    for row in rows:
        values = tuple(row[column] for column in columns)
        if any(values):
            table.setdefault(row["pid"], []).append(values)
    return {pid: sorted(values) for pid, values in table.items()}


def time_option(one):
    ends = (one["from_ns"], one["to_ns"])
    if ends == (None, None):
        return []
    return ["--time", "..".join("" if end is None else "%.9fs" % (end / 1e9) for end in ends)]


def at_option(one):
    if one["at"] is None:
        return []
    return ["--at", "peak" if one["at"] == "peak" else "%.9fs" % (one["at"] / 1e9)]


def as_rows(processes):
    """Simulated processes with the program's names of columns."""
    return [{"pid": one["pid"], **{ours: one[theirs] for ours, theirs in COLUMNS.items()}} for one in processes]


# An event counts in the class of the first of its bytes that end, which simulate.py does not say.
BY_LIFETIME = {ours: theirs for ours, theirs in SUMS.items() if ours != "count"}


def lifetimes(rows):
    """Values by class of lifetime, of the program's rows."""
    table = {row["lifetime"]: [row[column] for column in BY_LIFETIME] for row in rows}
    return {name: values for name, values in table.items() if any(values)}


def expected_lifetimes(one):
    """The same of simulate.py's answer for a range."""
    table = {name: [entry[theirs] for theirs in BY_LIFETIME.values()] for name, entry in one["lifetimes"].items()}
    return {name: values for name, values in table.items() if any(values)}


def pid_sums(rows):
    table = {}
    for row in rows:
        known = table.get(row["pid"], (0, 0))
        table[row["pid"]] = (known[0] + row["samples"], known[1] + row["self_ns"])
    return table
