#!/usr/bin/env python3
"""Check a trace for Perfetto: check_perfetto.py FILE EXPECTED (of expected_sums.py)

An independent reader of what it has, by the numbers of protos/perfetto/trace/. It is as strict as trace_processor: packets need a
sequence, interned data must be there before it is used, slices must nest, totals of heap dumps may not fall.
"""
import gzip
import json
import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return (value - (1 << 64) if value >> 63 else value), at


def fields(data):
    """The fields of a message: number to the list of its values."""
    found, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        else:
            assert tag & 7 == 2, tag
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
            assert len(value) == length
        found.setdefault(tag >> 3, []).append(value)
    return found


def one(message, number, default=None):
    return message.get(number, [default])[0]


def text(data):
    return data.decode("utf-8")


data = open(sys.argv[1], "rb").read()
if data[:2] == b"\x1f\x8b":
    data = gzip.decompress(data)
expected = json.load(open(sys.argv[2]))

packets = [fields(packet) for packet in fields(data)[1]]
assert one(packets[0], 13) == 3 and 6 in packets[0]
clocks = {one(fields(clock), 1): one(fields(clock), 2) for clock in fields(one(packets[0], 6))[1]}
assert clocks[6] == clocks[4]
names, functions, frames, stacks = {}, {}, {}, {}
tracks, processes, threads = {}, {}, {}
events, counters, dumps, counts = {}, {}, {}, {}
for packet in packets[1:]:
    assert one(packet, 10) == 1 and one(packet, 13) == 2
    time = one(packet, 8)
    if 12 in packet:
        interned = fields(one(packet, 12))
        for number, table in ((2, names), (5, functions)):
            for entry in map(fields, interned.get(number, [])):
                assert one(entry, 1) not in table
                table[one(entry, 1)] = text(one(entry, 2))
        for entry in map(fields, interned.get(6, [])):
            frames[one(entry, 1)] = functions[one(entry, 2)]
        for entry in map(fields, interned.get(7, [])):
            assert one(entry, 1) > 0 and one(entry, 1) not in stacks
            stacks[one(entry, 1)] = [frames[frame] for frame in entry[2]]
    elif 60 in packet:
        track = fields(one(packet, 60))
        uuid = one(track, 1)
        assert uuid not in tracks and one(track, 5, 1 << 41) in (*tracks, 1 << 41)
        tracks[uuid] = track
        if 3 in track:
            process = fields(one(track, 3))
            assert one(process, 1) > 0 and one(process, 1) not in processes
            text(one(process, 6)), text(one(process, 2, b""))
            processes[one(process, 1)] = uuid
        if 4 in track:
            thread = fields(one(track, 4))
            assert one(thread, 1) in processes and (one(thread, 1), one(thread, 2)) not in threads
            threads[one(thread, 1), one(thread, 2)] = uuid
    elif 11 in packet:
        event = fields(one(packet, 11))
        assert one(event, 11) in tracks and time > 0
        if one(event, 9) == 4:
            assert 8 in tracks[one(event, 11)]
            counters.setdefault(one(event, 11), []).append((time, one(event, 30)))
        else:
            events.setdefault(one(event, 11), []).append((time, event))
    elif 66 in packet:
        sample = fields(one(packet, 66))
        assert one(sample, 4) in stacks and (one(sample, 2), one(sample, 3)) in threads and time > 0
        counts[str(one(sample, 2))] = counts.get(str(one(sample, 2)), 0) + 1
    else:
        for process in map(fields, fields(one(packet, 37))[5]):
            assert one(process, 9) == time
            dumps.setdefault(str(one(process, 1)), []).append(
                {one(s, 1): (one(s, 2), one(s, 3)) for s in map(fields, process.get(2, []))})

cpu, phases, crates = {}, {}, {}
for uuid, of_track in events.items():
    open_slices = []
    for time, event in of_track:
        if one(event, 9) == 2:
            assert time >= open_slices.pop()
            continue
        assert one(event, 9) == 1 and (not open_slices or time >= open_slices[-1])
        open_slices.append(time)
        notes = {text(one(note, 10)): one(note, 4) if 4 in note else text(one(note, 6))
                 for note in map(fields, event.get(4, []))}
        if text(one(event, 22)) == "process":
            crates[uuid] = notes.get("crate", "None")
        elif text(one(event, 22)) == "phase":
            phase = names[one(event, 10)]
            phases[phase] = phases.get(phase, 0) + notes["cpu_ns"]
            pid = str(one(fields(one(tracks[uuid], 4)), 1))
            cpu[pid] = cpu.get(pid, 0) + notes["cpu_ns"]
    assert not open_slices

by_crate = {}
for pid, ns in cpu.items():
    crate = crates[processes[int(pid)]]
    by_crate[crate] = by_crate.get(crate, 0) + ns
assert cpu == expected["cpu"]["process"], (cpu, expected["cpu"]["process"])
assert by_crate == expected["cpu"]["crate"], (by_crate, expected["cpu"]["crate"])
assert phases == expected["cpu"]["phase"], (phases, expected["cpu"]["phase"])
assert counts == expected["samples"], (counts, expected["samples"])

for uuid, points in counters.items():
    parent = one(tracks[uuid], 5)
    highest = max(value for _, value in points)
    if parent == 1:
        assert highest == expected["peak"]["whole"]
    else:
        pid = next(str(pid) for pid, track in processes.items() if track == parent)
        assert highest == expected["peak"]["process"][pid], (pid, highest)

size, outstanding, peaks, at_peak = {}, {}, {}, {}
for pid, of_process in dumps.items():
    for before, after in zip(of_process, of_process[1:]):
        for stack, totals in before.items():
            assert all(a <= b for a, b in zip(totals, after[stack])), (pid, stack)
    for dump in of_process:
        assert all(stack in stacks and allocated >= freed for stack, (allocated, freed) in dump.items())
    held = [sum(allocated - freed for allocated, freed in dump.values()) for dump in of_process]
    peaks[pid] = max(held)
    at_peak[pid] = held
    size[pid] = sum(allocated for allocated, _ in of_process[-1].values())
    outstanding[pid] = held[-1]


def not_zero(sums):
    return {key: value for key, value in sums.items() if value}


assert not_zero(size) == expected["size"]["process"], (size, expected["size"]["process"])
assert not_zero(outstanding) == expected["outstanding"]["process"], (outstanding, expected["outstanding"]["process"])
assert peaks == not_zero(expected["peak"]["process"]), (peaks, expected["peak"]["process"])
for pid, value in expected["at-peak"]["process"].items():
    assert value in at_peak[pid], (pid, value, at_peak[pid])
