"""The table of compare-acceptance.sh: compare-acceptance.py STAGETRACE JUDGE RUNS RANDOM

The values of each run are those that `stagetrace compare` shows of it. The verdicts of many sides of six ($SIDE) are by the code of `compare`
(JUDGE: tests/tools/judge-runs.c); of some sides of each kind `compare` itself is called, as a user calls it, and must say the same.

An alarm is any row, or line of the head, that grew or shrank. A change is found if the own peak of the crate's compiles grew; its function, if
the one that changed most there is in the library that holds the memory.
"""
import collections
import glob
import json
import os
import random
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SIDE = int(os.environ.get("SIDE", "6"))
CHECKED = int(os.environ.get("CHECKED", "3"))
CRATE, MODULE = "rustc_driver_impl", "librustc_keeps"
KINDS = {"v00": "unchanged", "v05": "+5 %", "v10": "+10 %"}
# The linker of its build script is another program.
COMPILES = ("--role", "rustc")
BY_FUNCTION = (*COMPILES, "--by", "function", "--crate", CRATE, "--metric", "own-peak")
METRICS = {"own_peak": "own-peak", "size": "size", "cpu": "cpu", "wall": "wall"}
BUILD = {"own-peak": "base_peak_bytes", "size": "base_size_bytes", "cpu": "base_cpu_ns", "wall": "base_wall_ns"}


def call(stagetrace, base, new, *options):
    words = [stagetrace, "compare", "-q", "--format", "json", "--head", *options, *base, "--", *new]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return json.loads(done.stdout)


def name_of(row):
    return "/".join(str(row.get(key)) for key in ("part", "crate"))


def values_of(table):
    """The values of a run: by what, then by metric. The build is what no row is called."""
    values = {"build": {metric: table["head"][key] for metric, key in BUILD.items()}}
    for row in table["rows"]:
        values[name_of(row)] = {metric: row[f"{key}_base"] for key, metric in METRICS.items() if row[f"{key}_base"] is not None}
    return values


def foreign_percent(path):
    """How much of the machine other programs took."""
    with open(f"{path}/manifest.json", encoding="utf-8") as file:
        manifest = json.load(file)
    wall = manifest["stage2"]["end_ns"] - manifest["stage2"]["start_ns"]
    return 100 * manifest["foreign"]["cpu_ns"] / (wall * manifest["host"]["cpus"])


def start_of(path):
    return path.rsplit("-", 1)[1]


def functions_of(table):
    return {(row["module"], row["function"]): row["own_peak_base"] or 0 for row in table["rows"]}


class Runs:
    """All runs, and what is known of them."""

    def __init__(self, stagetrace, judge, directory):
        self.stagetrace, self.judge = stagetrace, judge
        # In the order of time: a name ends with it.
        self.kinds = {
            kind: sorted(path for path in glob.glob(f"{directory}/{kind}-2*") if not path.endswith((".partial", ".zip"))) for kind in KINDS
        }
        self.paths = [path for paths in self.kinds.values() for path in paths]
        with ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
            tables = {options: list(pool.map(lambda path, options=options: self.read(path, *options), self.paths)) for options in ((), COMPILES)}
            self.functions = dict(zip(self.paths, pool.map(lambda path: functions_of(self.read(path, *BY_FUNCTION)), self.paths)))
        self.foreign = {path: foreign_percent(path) for path in self.paths}
        self.values = {options: dict(zip(self.paths, map(values_of, found))) for options, found in tables.items()}

    def read(self, path, *options):
        return call(self.stagetrace, [path], [path], *options)

    def has_no_times(self, pair):
        """Times are not judged: of sides that were recorded one after the other, next to other programs."""
        starts = [sorted(map(start_of, side)) for side in pair]
        parted = starts[0][-1] < starts[1][0] or starts[1][-1] < starts[0][0]
        return parted and any(self.foreign[path] > 5 for side in pair for path in side)

    def alarms(self, sides, options=()):
        """For each pair of sides what grew and shrank."""
        names = sorted({name for values in self.values[options].values() for name in values} - {"build"})
        numbers = {**{name: i for i, name in enumerate(names)}, "build": -1}
        lines = []
        for run, path in enumerate(self.paths):
            for name, values in self.values[options][path].items():
                lines += [f"value {run} {numbers[name]} {metric} {value}" for metric, value in values.items()]
        place = {path: run for run, path in enumerate(self.paths)}
        for pair in sides:
            numbers_of = (",".join(str(place[path]) for path in side) for side in pair)
            lines.append(" ".join(("without-times" if self.has_no_times(pair) else "compare", *numbers_of)))
        said = subprocess.run([self.judge], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True).stdout
        names.append("build")
        found = [[word.split(":") for word in line.split() if not word.endswith(":cannot")] for line in said.splitlines()]
        return [[(names[int(key)], metric, verdict) for key, metric, verdict in alarm] for alarm in found]

    def check(self, sides, found, options=()):
        """The program says what was judged."""
        for pair, expected in list(zip(sides, found))[:: max(1, len(sides) // CHECKED)][:CHECKED]:
            table = call(self.stagetrace, *pair, *options)
            said = [("build", "own-peak" if key == "peak_verdict" else key[: -len("_verdict")], value) for key, value in table["head"].items() if key.endswith("_verdict")]
            said += [(name_of(row), metric, row[f"{key}_verdict"]) for row in table["rows"] for key, metric in METRICS.items()]
            said = sorted(item for item in said if item[2] in ("grew", "shrank"))
            if said != sorted(expected):
                sys.exit(f"compare says {said}, not {sorted(expected)}, of {pair}")

    def has_function(self, pair):
        """Whether the function that changed most is the one that holds the memory."""
        sides = [[self.functions[path] for path in side] for side in pair]
        names = {name for side in sides for functions in side for name in functions}
        medians = {name: [statistics.median(functions.get(name, 0) for functions in side) for side in sides] for name in names}
        most = max(names, key=lambda name: abs(medians[name][1] - medians[name][0]))
        return (most[0] or "").startswith(MODULE)

    def check_functions(self, sides):
        """The program shows that function first."""
        for pair in sides[:CHECKED]:
            row = call(self.stagetrace, *pair, *BY_FUNCTION, "--top", "1")["rows"][0]
            if (row["module"] or "").startswith(MODULE) != self.has_function(pair):
                sys.exit(f"compare shows {row['module']} first of {pair}")


def has_grown(alarm):
    return any(what.endswith("/" + CRATE) and metric == "own-peak" and verdict == "grew" for what, metric, verdict in alarm)


def print_noise(runs):
    """The standard deviations of unchanged runs, in percent: of the build, of the crate, the median and the most of all rows."""
    same = [runs.values[COMPILES][path] for path in runs.kinds["v00"]]
    for metric in METRICS.values():
        percents = {}
        for name in set(same[0]).intersection(*same):
            values = [run[name][metric] for run in same if metric in run[name]]
            if len(values) == len(same) and min(values) > 0:
                percents[name] = 100 * statistics.stdev(values) / statistics.mean(values)
        rows = {name: percent for name, percent in percents.items() if name != "build"}
        crate = next((percent for name, percent in rows.items() if name.endswith("/" + CRATE)), None)
        most = max(rows, key=rows.get)
        print(f"noise of {metric}: build {percents['build']:.2f} %, {CRATE} {crate:.2f} %, median {statistics.median(rows.values()):.2f} %, most {rows[most]:.2f} % ({most})")


def main():
    stagetrace, judge, directory, number = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    runs = Runs(stagetrace, judge, directory)
    same = runs.kinds["v00"]
    print(", ".join(f"{len(runs.kinds[kind])} {name}" for kind, name in KINDS.items()))
    foreign = sorted(runs.foreign.values())
    print(f"other programs took {foreign[0]:.0f} to {foreign[-1]:.0f} % of the machine, median {statistics.median(foreign):.0f} %")
    print_noise(runs)
    choose = random.Random(1)

    def pair(new):
        drawn = choose.sample(same, SIDE if new else 2 * SIDE)
        return sorted(drawn[:SIDE]), sorted(choose.sample(new, SIDE) if new else drawn[SIDE:])

    blocks = [(same[i : i + SIDE], same[i + SIDE : i + 2 * SIDE]) for i in range(len(same) - 2 * SIDE + 1)]
    for name, sides in (("unchanged, at random", [pair(None) for _ in range(number)]), ("unchanged, blocks in the order of time", blocks)):
        found = runs.alarms(sides)
        runs.check(sides, found)
        bad = sum(bool(alarm) for alarm in found)
        print(f"{name}: {bad} of {len(sides)} comparisons have an alarm, {100 * bad / max(len(sides), 1):.1f} %, aim 5 %", flush=True)
        for what, times in collections.Counter(" ".join(item) for alarm in found for item in alarm).most_common(12):
            print(f"    {times} times: {what}")
    for kind, aim in (("v05", 90), ("v10", 99)):
        sides = [pair(runs.kinds[kind]) for _ in range(number if len(runs.kinds[kind]) >= SIDE else 0)]
        found = runs.alarms(sides, COMPILES)
        runs.check(sides, found, COMPILES)
        runs.check_functions(sides)
        crate = [has_grown(alarm) for alarm in found]
        whole = [has_grown(alarm) for alarm in runs.alarms(sides)]
        both = [grew and runs.has_function(pair) for grew, pair in zip(crate, sides)]
        others = [any(not what.endswith("/" + CRATE) and what != "build" for what, _, _ in alarm) for alarm in found]
        for what, results in (("crate", crate), ("crate and function", both), ("crate with all its processes", whole)):
            print(f"{KINDS[kind]}: {what} found in {sum(results)} of {len(sides)}, {100 * sum(results) / max(len(sides), 1):.1f} %, aim {aim} %", flush=True)
        print(f"{KINDS[kind]}: another row has an alarm in {sum(others)} of {len(sides)}")


main()
