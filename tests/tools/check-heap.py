#!/usr/bin/env python3
"""Hold the views of heaps against a slow simulation: check-heap.py PROGRAM FILE.etl

The file is taken apart here, as make-heap-etl.py writes it: nothing of the program is used. Prints what differs, and fails.
"""
import collections
import json
import struct
import subprocess
import sys

CREATE, ALLOC, REALLOC, DESTROY, FREE = 32, 33, 34, 35, 36
START = 10_000_000
LIFETIMES = (("<1ms", 10**6), ("<10ms", 10**7), ("<100ms", 10**8), ("<1s", 10**9), ("<10s", 10**10))
NOT_SAMPLED = ("[not sampled]",)


def read(path):
    """Yields time in ns, group, opcode, pid, pointer size, payload; in the order of the file, which is that of time."""
    data, at = open(path, "rb").read(), 0
    while at < len(data):
        size, = struct.unpack_from("<I", data, at)
        filled, = struct.unpack_from("<I", data, at + 0x30)
        event = at + 0x48
        while event < at + filled:
            marker, length, opcode, group = struct.unpack_from("<IHBB", data, event)
            kind = marker >> 16 & 0xFF
            if kind == 17:
                time, = struct.unpack_from("<Q", data, event + 8)
                pid, payload = None, data[event + 16:event + length]
            else:
                pid, time = struct.unpack_from("<IQ", data, event + 12)
                payload = data[event + 32:event + length]
            yield (time - START) * 100, group, opcode, pid, 4 if kind == 1 else 8, payload
            event += (length + 7) // 8 * 8
        at += size


def name_of(images, address):
    for base, size, name in images:
        if base <= address < base + size:
            return "%s!0x%x" % (name, address - base)
    return "[unknown]"


def stack_of(images, frames):
    """Root first; all but the leaf are return addresses."""
    return tuple(name_of(images, frame - (i > 0)) for i, frame in enumerate(frames))[::-1]


def events_of(path):
    """Starts, ends and calls, each with its stack."""
    events, images, crates = [], [], {}
    for time, group, opcode, pid, pointer, payload in read(path):
        if group == 3 and opcode == 1:
            line = payload[48:].split(b"\0", 1)[1].decode("utf-16-le").split("\0")[0]
            crates[pid] = line.split("--crate-name ")[1].split()[0]
            events.append([time, "start", pid, None, None])
        elif group == 3 and opcode == 2:
            events.append([time, "end", struct.unpack_from("<I", payload, 8)[0], None, None])
        elif group == 20:
            base, size = struct.unpack_from("<QQ", payload)
            name = payload[56:].decode("utf-16-le").split("\0")[0].split("\\")[-1]
            if (base, size, name) not in images:
                images.append((base, size, name))
        elif group == 16 and CREATE <= opcode <= FREE:
            nr = {CREATE: 1, ALLOC: 3, REALLOC: 5, DESTROY: 1, FREE: 2}[opcode]
            events.append([time, opcode, pid, struct.unpack_from("<%d%s" % (nr, "I" if pointer == 4 else "Q"), payload),
                           NOT_SAMPLED])
        elif group == 24:
            stamp, owner = struct.unpack_from("<QI", payload)
            if events and events[-1][1] in (CREATE, ALLOC, REALLOC, DESTROY, FREE) and \
                    events[-1][0] == (stamp - START) * 100 and events[-1][2] == owner:
                events[-1][4] = stack_of(images, [f for f, in struct.iter_unpack("<Q", payload[16:])])
        elif group != 16:
            events.append([time, "other", pid, None, None])
    return events, crates


Block = collections.namedtuple("Block", "pid heap address size start stack")
Change = collections.namedtuple("Change", "time gone new how")


def simulate(events):
    """The changes, with what ends and what begins by each; and calls that do not fit: [time, pid, what]."""
    live, changes, odd, dead = {}, [], [], set()
    for time, what, pid, fields, stack in events:
        gone, new, how = [], None, "freed"
        if what == "end":
            gone, how = [key for key in live if key[0] == pid], "exit"
            dead.add(pid)
        elif what in (CREATE, DESTROY) and pid not in dead:
            gone = [key for key in live if key[:2] == (pid, fields[0])]
            if what == CREATE:
                odd += [(time, pid, "replaced")] * len(gone)
        elif what == ALLOC and pid not in dead:
            heap, size, address = fields
            if (pid, heap, address) in live:
                gone = [(pid, heap, address)]
                odd.append((time, pid, "replaced"))
            new = Block(pid, heap, address, size, time, stack)
        elif what == FREE and pid not in dead:
            if (pid,) + fields in live:
                gone = [(pid,) + fields]
            else:
                odd.append((time, pid, "free"))
        elif what == REALLOC and pid not in dead and fields[1] == fields[2]:
            heap, address, _, size, _ = fields
            if (pid, heap, address) in live:
                gone = [(pid, heap, address)]
                new = Block(pid, heap, address, size, time, stack)
            else:
                odd.append((time, pid, "resize"))
        blocks = [live.pop(key) for key in gone]
        if new:
            live[new[:3]] = new
        if blocks or new:
            changes.append(Change(time, blocks, new, how))
    return changes, list(live.values()), odd


class Sums:
    FIELDS = "size count freed aifi aofi outstanding peak peak_time at_start at_end at at_peak".split()

    def __init__(self):
        for field in self.FIELDS:
            setattr(self, field, 0)


def held(changes, wanted, moment):
    """What is held after the events up to a moment, by key."""
    sums = collections.Counter()
    for change in changes:
        if not moment(change.time):
            break
        for block in change.gone:
            sums[wanted(block)] -= block.size
        if change.new:
            sums[wanted(change.new)] += change.new.size
    return sums


def account(changes, key, start, end, at):
    """Sums of each key in the range; key None is left out. `at` is a time, "end", or "own-peak"."""
    sums, whole, total = collections.defaultdict(Sums), 0, 0
    peaks = {"whole": (None, {}), "own": (None, {})}
    inside = lambda time: start <= time < end
    before = held(changes, key, lambda time: time < start)
    whole = sum(held(changes, lambda block: 0, lambda time: time < start).values())
    total = sum(value for name, value in before.items() if name is not None)
    for name, value in before.items():
        if name is not None:
            entry = sums[name]
            entry.at_start = entry.outstanding = entry.peak = value
            entry.peak_time = max(start, 0)
    shot = lambda: {name: entry.outstanding for name, entry in sums.items()}
    best = {"whole": whole, "own": total}
    peaks = {"whole": (max(start, 0), shot()), "own": (max(start, 0), shot())}
    for change in changes:
        if not inside(change.time):
            continue
        touched = set()
        for block in change.gone:
            whole -= block.size
            name = key(block)
            if name is None:
                continue
            entry, total = sums[name], total - block.size
            entry.outstanding -= block.size
            entry.freed += block.size
            setattr(entry, "aifi" if inside(block.start) else "aofi",
                    getattr(entry, "aifi" if inside(block.start) else "aofi") + block.size)
        if change.new:
            whole += change.new.size
            name = key(change.new)
            if name is not None:
                entry, total = sums[name], total + change.new.size
                entry.outstanding += change.new.size
                entry.size += change.new.size
                entry.count += 1
                touched.add(name)
        for name in touched:
            if sums[name].outstanding > sums[name].peak:
                sums[name].peak, sums[name].peak_time = sums[name].outstanding, change.time
        for which, value in (("whole", whole), ("own", total)):
            if value > best[which]:
                best[which], peaks[which] = value, (change.time, shot())
    for name, entry in sums.items():
        entry.at_end = entry.outstanding
        entry.at_peak = peaks["whole"][1].get(name, 0)
        entry.at = entry.at_end if at == "end" else peaks["own"][1].get(name, 0)
    if isinstance(at, int):
        then = held(changes, key, lambda time: time <= at)
        for name, entry in sums.items():
            entry.at = then[name]
    return sums, best, {which: peak[0] for which, peak in peaks.items()}


def rows_of(sums):
    return {name: (e.size, e.count, e.freed, e.at_end - e.at_start, e.at, e.peak, e.at_peak, e.aifi, e.size - e.aifi,
                   e.aofi, e.at_start - e.aofi)
            for name, e in sums.items() if any(getattr(e, field) for field in Sums.FIELDS if field != "peak_time")}


COLUMNS = "size_bytes count freed_bytes impacting_bytes outstanding_bytes peak_bytes at_peak_bytes aifi_bytes " \
    "aifo_bytes aofi_bytes aofo_bytes".split()


class Check:
    def __init__(self, program, path):
        self.program, self.path, self.wrong = program, path, 0
        self.events, self.crates = events_of(path)
        self.changes, self.left, self.odd = simulate(self.events)
        self.last = max(event[0] for event in self.events)

    def show(self, *words):
        command = [self.program, "memory", self.path, "--of", "heap", "--format", "json", "--head", "-q", *words]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)

    def compare(self, what, got, expected):
        if got != expected:
            self.wrong += 1
            print("%s: %s, not %s" % (what, got, expected))

    def view(self, by, key, name, start=-1, end=1 << 62, at="end", crate=None):
        words = ["--by", by]
        if end < 1 << 62:
            words += ["--time", "%dns..%dns" % (start, end)]
        if at != "end":
            words += ["--at", at if isinstance(at, str) else "%dns" % at]
        if crate:
            words += ["--crate", crate]
        shown = self.show(*words)
        chosen = lambda block: None if crate and self.crates[block.pid] != crate else key(block)
        sums, best, when = account(self.changes, chosen, start, end, at)
        expected = rows_of(sums)
        got = {name(row): tuple(row[column] for column in COLUMNS) for row in shown["rows"]}
        where = " ".join(words)
        for row in sorted(set(got) | set(expected)):
            self.compare("%s: %s" % (where, row), got.get(row), expected.get(row))
        head = shown["head"]
        self.compare(where + ": peak", (head["peak_bytes"], head["peak_time_ns"]), (best["whole"], when["whole"]))
        for i, column in ((0, "size_bytes"), (1, "count"), (2, "freed_bytes"), (4, "outstanding_bytes")):
            self.compare("%s: sum of %s" % (where, column), head[column], sum(row[i] for row in got.values()))
        if at == "own-peak":
            self.compare(where + ": own peak", head["outstanding_bytes"], best["own"])
        odd = collections.Counter(what for time, pid, what in self.odd if start <= time < end and
                                  (not crate or self.crates[pid] == crate))
        self.compare(where + ": odd", (head.get("unknown_frees", 0), head.get("unknown_resizes", 0),
                                       head.get("replaced_blocks", 0)), (odd["free"], odd["resize"], odd["replaced"]))

    def regions(self):
        got = sorted((row["pid"], int(row["heap"], 16), int(row["address"], 16), row["size_bytes"], row["commit_time_ns"],
                      row["freed_time_ns"], row["ended"]) for row in self.show("--by", "region")["rows"])
        ended = [(block, change.time, change.how) for change in self.changes for block in change.gone]
        ended += [(block, None, "held") for block in self.left]
        self.compare("regions", got, sorted((b.pid, b.heap, b.address, b.size, b.start, time, how)
                                            for b, time, how in ended))
        sums = collections.defaultdict(lambda: [0, 0])
        for block, time, how in ended:
            name = "[exit]" if how == "exit" else "[held]" if how == "held" else \
                next((word for word, below in LIFETIMES if time - block.start < below), ">=10s")
            sums[name][0] += block.size
            sums[name][1] += 1
        rows = self.show("--by", "lifetime")["rows"]
        self.compare("lifetimes", {row["lifetime"]: [row["size_bytes"], row["count"]] for row in rows}, dict(sums))


def main():
    check = Check(*sys.argv[1:])
    by_pid = lambda block: block.pid
    by_crate = lambda block: check.crates[block.pid]
    by_stack = lambda block: block.stack
    by_heap = lambda block: (block.pid, block.heap)
    pid, crate, stack = (lambda row: row["pid"]), (lambda row: row["crate"]), (lambda row: tuple(row["stack"]))
    heap = lambda row: (row["pid"], int(row["heap"], 16))
    third = check.last // 3
    some = check.crates[min(check.crates)]
    for key, by, name in ((by_pid, "process", pid), (by_crate, "crate", crate), (by_stack, "stack", stack)):
        check.view(by, key, name)
        check.view(by, key, name, at="own-peak")
        check.view(by, key, name, at="own-peak", crate=some)
        check.view(by, key, name, start=third, end=2 * third)
        check.view(by, key, name, start=third, end=2 * third, at=third + third // 2, crate=some)
    check.view("heap", by_heap, heap)
    check.view("heap", by_heap, heap, start=third, end=2 * third, at="own-peak", crate=some)
    check.view("heap,stack", lambda block: by_heap(block) + (block.stack,), lambda row: heap(row) + (stack(row),))
    check.view("crate", by_crate, crate, start=third, end=2 * third, at="own-peak")
    check.regions()
    if check.wrong:
        sys.exit("%d differences" % check.wrong)


main()
