"""The table of compare-acceptance.sh: compare-acceptance.py STAGETRACE RUNS RANDOM

Each comparison is one call of `stagetrace compare` with six runs a side ($SIDE), as a user makes it. An alarm is any row, or line of the
head, that grew or shrank. A change is found if the own peak of the crate's compiles grew; its function, if the one that changed most
there is in the library that holds the memory.
"""
import glob
import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SIDE = int(os.environ.get("SIDE", "6"))
CRATE, MODULE = "rustc_driver_impl", "librustc_keeps"
KINDS = {"v00": "unchanged", "v05": "+5 %", "v10": "+10 %"}


def call(stagetrace, base, new, *options):
    words = [stagetrace, "compare", "-q", "--format", "json", "--head", *options, *base, "--", *new]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3, 125):
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return json.loads(done.stdout)


def verdicts(table):
    """All (what, metric, verdict) of a comparison."""
    for key, value in table["head"].items():
        if key.endswith("_verdict"):
            yield "build", key[: -len("_verdict")], value
    for row in table["rows"]:
        what = "/".join(str(row.get(key)) for key in ("part", "crate"))
        for key, value in row.items():
            if key.endswith("_verdict") and value:
                yield what, key[: -len("_verdict")], value


def alarms(stagetrace, base, new, *options):
    found = verdicts(call(stagetrace, base, new, *options))
    return [(what, metric, verdict) for what, metric, verdict in found if verdict in ("grew", "shrank")]


def finds(stagetrace, base, new):
    """Whether the crate grew, and whether its function is first. The linker of its build script is another program."""
    found = alarms(stagetrace, base, new, "--role", "rustc")
    crate = any(what.endswith("/" + CRATE) and metric == "own_peak" and verdict == "grew" for what, metric, verdict in found)
    options = ("--role", "rustc", "--by", "function", "--crate", CRATE, "--metric", "own-peak", "--top", "1")
    rows = call(stagetrace, base, new, *options)["rows"]
    function = bool(rows) and (rows[0]["module"] or "").startswith(MODULE)
    return crate, crate and function


def main():
    stagetrace, directory, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
    runs = {kind: sorted(path for path in glob.glob(f"{directory}/{kind}-2*") if not path.endswith((".partial", ".zip"))) for kind in KINDS}
    # In the order of time: a name ends with it.
    same = runs["v00"]
    print(", ".join(f"{len(runs[kind])} {name}" for kind, name in KINDS.items()))
    choose = random.Random(1)
    random_sides = []
    for _ in range(number):
        drawn = choose.sample(same, 2 * SIDE)
        random_sides.append((sorted(drawn[:SIDE]), sorted(drawn[SIDE:])))
    blocks = [(same[i : i + SIDE], same[i + SIDE : i + 2 * SIDE]) for i in range(len(same) - 2 * SIDE + 1)]
    with ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        for name, sides in (("unchanged, at random", random_sides), ("unchanged, blocks in time order", blocks)):
            found = list(pool.map(lambda side: alarms(stagetrace, *side), sides))
            bad = [alarm for alarm in found if alarm]
            print(f"{name}: {len(bad)} of {len(sides)} comparisons have an alarm, {100 * len(bad) / max(len(sides), 1):.1f} %, aim 5 %", flush=True)
            for alarm in bad:
                print("   ", alarm)
        for kind, aim in (("v05", 90), ("v10", 99)):
            sides = [(sorted(choose.sample(same, SIDE)), sorted(choose.sample(runs[kind], SIDE))) for _ in range(number if len(runs[kind]) >= SIDE else 0)]
            found = list(pool.map(lambda side: finds(stagetrace, *side), sides))
            for what, at in (("crate", 0), ("crate and function", 1)):
                share = 100 * sum(result[at] for result in found) / max(len(sides), 1)
                print(f"{KINDS[kind]}: {what} found in {share:.1f} % of {len(sides)}, aim {aim} %", flush=True)


main()
