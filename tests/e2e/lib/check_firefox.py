#!/usr/bin/env python3
"""Check a profile for the Firefox Profiler: check_firefox.py PROFILE EXPECTED (of expected_sums.py)

The viewer reads a wrong index as row 0, so all of them are checked here; and the sums, and that each free ends one allocation.
"""
import gzip
import json
import sys
from decimal import Decimal

data = open(sys.argv[1], "rb").read()
text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
profile = json.loads(text, parse_float=Decimal)
expected = json.load(open(sys.argv[2]))
shared = profile["shared"]
strings = shared["stringArray"]


def is_index(value, length):
    assert isinstance(value, int) and 0 <= value < length, (value, length)


def check_table(table, **indexes):
    for key, column in table.items():
        if isinstance(column, list):
            assert len(column) == table["length"], key
    for key, length in indexes.items():
        for value in table[key]:
            if value is not None:
                is_index(value, length)


def add(sums, key, value):
    sums["total"] = sums.get("total", 0) + value
    sums.setdefault("by", {}).setdefault(key, 0)
    sums["by"][key] += value


check_table(shared["funcTable"], name=len(strings))
check_table(shared["frameTable"], func=shared["funcTable"]["length"], category=len(profile["meta"]["categories"]))
stacks = shared["stackTable"]
check_table(stacks, frame=shared["frameTable"]["length"])
for i, offset in enumerate(stacks["prefixOffset"]):
    assert 0 <= offset <= i
schemas = {schema["name"]: {field["key"]: field["format"] for field in schema["fields"]}
           for schema in profile["meta"]["markerSchema"]}

cpu, size, held, phases, crates, processes = {}, {}, {}, {}, {}, set()
cpu_crate, size_crate = {}, {}
for number, thread in enumerate(profile["threads"]):
    samples, markers = thread["samples"], thread["markers"]
    check_table(samples, stack=stacks["length"])
    check_table(markers, name=len(strings))
    assert all(delta >= 0 for delta in samples["timeDeltas"])
    if thread["pid"] not in processes:
        assert thread["isMainThread"]
        processes.add(thread["pid"])
    for marker, start, end, name in zip(markers["data"], markers["startTime"], markers["endTime"], markers["name"]):
        assert start <= end
        for key, value in marker.items():
            if key != "type" and schemas[marker["type"]][key] == "unique-string":
                is_index(value, len(strings))
        if marker["type"] == "phase":
            add(phases, strings[name], marker["cpu"] * 1000000)
        if marker["type"] == "process" and number:
            crates[thread["pid"]] = strings[marker["crate"]] if "crate" in marker else "None"
    for weight in samples["weight"]:
        add(cpu, thread["pid"], weight * 1000000)
    allocations = thread.get("nativeAllocations")
    if not allocations:
        continue
    check_table(allocations, stack=stacks["length"])
    assert thread["isMainThread"] and allocations["time"] == sorted(allocations["time"])
    alive = {}
    for weight, address, tid in zip(allocations["weight"], allocations["memoryAddress"], allocations["threadId"]):
        assert tid == thread["tid"]
        if weight < 0:
            assert alive.pop(address) == -weight
        else:
            assert address not in alive
            alive[address] = weight
            add(size, thread["pid"], weight)
    if alive:
        add(held, thread["pid"], sum(alive.values()))

for metric, sums in (("cpu", cpu), ("size", size), ("outstanding", held)):
    assert sums.get("total", 0) == expected[metric]["total"], (metric, sums.get("total"), expected[metric]["total"])
    by = {key: value for key, value in sums.get("by", {}).items() if value}
    assert by == expected[metric]["process"], (metric, by, expected[metric]["process"])
    by_crate = {}
    for pid, value in by.items():
        by_crate[crates[pid]] = by_crate.get(crates[pid], 0) + value
    assert by_crate == expected[metric]["crate"], (metric, by_crate, expected[metric]["crate"])
assert phases.get("by", {}) == expected["cpu"]["phase"], (phases, expected["cpu"]["phase"])

for counter in profile.get("counters", []):
    check_table(counter["samples"])
    thread = profile["threads"][counter["mainThreadIndex"]]
    assert thread["pid"] == counter["pid"] and thread["isMainThread"]
    value = highest = 0
    for count in counter["samples"]["count"]:
        value += count
        highest = max(highest, value)
    assert counter["samples"]["count"][0] == 0
    if counter["pid"] == "0":
        assert highest == expected["peak"]["whole"], (highest, expected["peak"])
    else:
        assert highest == expected["peak"]["process"][counter["pid"]], (counter["pid"], highest)
