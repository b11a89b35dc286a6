#!/usr/bin/env python3
"""Check trace events: check_chrome.py FILE EXPECTED (of expected_sums.py)"""
import json
import sys
from decimal import Decimal

events = json.load(open(sys.argv[1], encoding="utf-8"), parse_float=Decimal)["traceEvents"]
expected = json.load(open(sys.argv[2]))
processes, threads, slices, counters = {}, set(), {}, {}
cpu, phases = {}, {}
for event in events:
    key = event["pid"], event["tid"]
    assert all(isinstance(number, int) for number in key)
    if event["ph"] == "M":
        assert isinstance(event["args"]["name"], str)
        if event["name"] == "thread_name":
            assert key not in threads, key
            threads.add(key)
    elif event["ph"] == "X":
        assert event["dur"] >= 0 and event["ts"] >= 0
        slices.setdefault(key, []).append((event["ts"], -event["dur"], event["ts"] + event["dur"]))
        if event["cat"] == "process":
            assert event["pid"] not in processes
            processes[event["pid"]] = event["args"]
        elif event["cat"] == "phase":
            cpu[str(event["pid"])] = cpu.get(str(event["pid"]), 0) + event["args"]["cpu_ns"]
            phases[event["name"]] = phases.get(event["name"], 0) + event["args"]["cpu_ns"]
    else:
        assert event["ph"] == "C"
        points = counters.setdefault(event["pid"], [])
        assert not points or points[-1][0] <= event["ts"]
        points.append((event["ts"], event["args"]["bytes"]))

for key, of_thread in slices.items():
    ends = []
    for start, _, end in sorted(of_thread):
        while ends and ends[-1] <= start:
            ends.pop()
        assert not ends or end <= ends[-1], (key, start, end, ends)
        ends.append(end)

assert sum(cpu.values()) == expected["cpu"]["total"]
assert cpu == expected["cpu"]["process"], (cpu, expected["cpu"]["process"])
assert phases == expected["cpu"]["phase"], (phases, expected["cpu"]["phase"])
crates = {}
for pid, ns in cpu.items():
    crate = processes[int(pid)].get("crate", "None")
    crates[crate] = crates.get(crate, 0) + ns
assert crates == expected["cpu"]["crate"], (crates, expected["cpu"]["crate"])
for pid, points in counters.items():
    highest = max(value for _, value in points)
    assert highest == (expected["peak"]["process"][str(pid)] if pid else expected["peak"]["whole"]), (pid, highest)
    if pid:
        assert points[-1][1] == expected["outstanding"]["process"].get(str(pid), 0)
