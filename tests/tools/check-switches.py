#!/usr/bin/env python3
"""Exact CPU time and waits of ETL files, computed here from their bytes, compared with what stagetrace shows.

usage: check-switches.py make SEED LOSS FILE      write an ETL file of a synthetic machine, and FILE.json with what happened
       check-switches.py check STAGETRACE FILE... compare `cpu --by thread` and `processes` with the files' events

LOSS: none; flagged, buffers are missing and the next one says so; silent, they are just missing. Compressed files are not read.
The reader here shares nothing with stagetrace: it collects the switches of each processor, then the runs of each thread.
"""

import collections
import json
import random
import struct
import subprocess
import sys

FREQUENCY = 2441406
FIRST_TICK = 10**12
EVENTS_LOST, BUFFER_LOST, COMPRESSED = 2, 4, 0x40
READY_STATES, TERMINATED, WAITING = (1, 3, 7), 4, 5
PROCESS, THREAD, PERF = 3, 5, 15
START, SWITCH, READY, SAMPLE = 1, 36, 50, 46


# Writing.


def event(time, group, opcode, version, payload):
    size = 16 + len(payload)
    return struct.pack("<IHBBQ", 0xC0110000 | version, size, opcode, group, time) + payload + bytes(-size % 8)


def buffer(cpu, sequence, flags, kind, content, size=None):
    size = size or 72 + len(content)
    head = struct.pack("<IIIIQQQHHIIHH", size, 72 + len(content), 72 + len(content), 0, 0, sequence, 0, cpu, 0, 3,
                       72 + len(content), flags | 0x20, kind) + bytes(16)
    return (head + content).ljust(size, b"\xff")


def header_buffer(buffers, cpus):
    payload = struct.pack("<I4BIIQIIIIIIIIQQ", 65536, 10, 0, 0, 5, 19041, cpus, 0, 156250, 0, 1, buffers, 4, 8, 0, 3000, 0, 0)
    payload += bytes(176) + struct.pack("<QQQII", 1, FREQUENCY, 132000000000000000, 1, 0) + bytes(8)
    head = struct.pack("<IHBBIIQII", 0xC0020002, 32 + len(payload), 0, 0, 0, 0, FIRST_TICK, 0, 0)
    return buffer(0, 0, 0, 4, head + payload)


def process_payload(pid):
    name = f"p{pid}.exe"
    return (struct.pack("<QIIiII", pid, pid, 4, 1, 0x103, 0) + name.encode() + b"\0" + f"{name} --run".encode("utf-16-le")
            + b"\0\0")


class Machine:
    """Threads that run, are woken, preempted and migrate, on some processors; tids are reused."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.cpus = 4
        self.time = FIRST_TICK + 1000
        self.events = [[] for _ in range(self.cpus)]  # of each processor: (time, bytes)
        self.running = [0] * self.cpus
        self.since = [None] * self.cpus
        self.first = [None] * self.cpus
        self.last = [None] * self.cpus
        self.pids, self.out, self.ready_at, self.blocked, self.queue, self.dead = {}, {}, {}, set(), [], []
        self.truth = collections.defaultdict(lambda: [0, 0, 0, 0])

    def log(self, cpu, group, opcode, payload, version=2):
        if group == THREAD:
            if self.first[cpu] is None:
                self.first[cpu] = self.time
            self.last[cpu] = self.time
        self.events[cpu].append((self.time, event(self.time, group, opcode, version, payload)))

    def add(self, tid, what, begin, end):
        self.truth[tid, self.pids[tid]][what] += ns(end) - ns(begin)

    def create(self, tid, pid):
        cpu = self.random.randrange(self.cpus)
        self.pids[tid] = pid
        self.log(cpu, THREAD, START, struct.pack("<II", pid, tid) + bytes(7 * 8 + 8), 3)
        self.out.pop(tid, None)
        self.time += 1
        self.wake(tid)

    def wake(self, tid):
        self.log(self.random.randrange(self.cpus), THREAD, READY, struct.pack("<IbbBB", tid, 1, 0, 1, 0))
        self.blocked.discard(tid)
        self.ready_at[tid] = self.time
        self.queue.append(tid)

    def switch(self, cpu, new, state):
        old = self.running[cpu]
        self.log(cpu, THREAD, SWITCH, struct.pack("<IIBBBBbBBBII", new, old, 8, 8, 0, 0, 6, 1, state, 0, 1, 0))
        if old:
            begin = self.since[cpu]
            self.add(old, 0, self.first[cpu] if begin is None else begin, self.time)
        self.running[cpu] = new
        self.since[cpu] = self.time
        if new:
            ready = self.ready_at.pop(new)
            if new in self.out:
                ready = max(ready, self.out[new])
                self.add(new, 2, self.out[new], ready)
            self.add(new, 1, ready, self.time)
            self.truth[new, self.pids[new]][3] += 1

    def leave(self, cpu):
        """The thread of a processor stops for one of several reasons."""
        old = self.running[cpu]
        reason = self.random.random()
        state = WAITING
        if reason < 0.04 and len(self.pids) > 6:
            state = TERMINATED
        elif reason < 0.4 and self.queue:
            state = 1
        elif reason < 0.5:
            # Woken on another processor before it was switched from.
            self.wake(old)
            self.time += self.random.randrange(2)
        self.switch(cpu, self.queue.pop(0) if self.queue and self.queue[0] != old else 0, state)
        self.out[old] = self.time
        if state == TERMINATED:
            self.dead.append((old, self.pids[old]))
        elif state == 1:
            self.ready_at[old] = self.time
            self.queue.append(old)
        elif old not in self.queue:
            self.blocked.add(old)

    def step(self):
        self.time += self.random.choice((1, 1, 3, 17, 400))
        cpu = self.random.randrange(self.cpus)
        if self.dead and self.random.random() < 0.3:
            tid, pid = self.dead.pop()
            self.create(tid, self.random.choice((pid, 100)))
        if self.blocked and self.random.random() < 0.5:
            self.wake(self.random.choice(sorted(self.blocked)))
        if self.running[cpu] and self.random.random() < 0.6:
            self.leave(cpu)
        if self.random.random() < 0.1 and self.running[cpu]:
            self.last[cpu] = self.time
            self.first[cpu] = self.time if self.first[cpu] is None else self.first[cpu]
            self.log(cpu, PERF, SAMPLE, struct.pack("<QIHH", 0x1000, self.running[cpu], 1, 0))
        for idle in range(self.cpus):  # at the same time, on a processor of any number
            if not self.running[idle] and self.queue and self.random.random() < 0.8:
                self.switch(idle, self.queue.pop(0), 2)

    def run(self, steps):
        for pid in (100, 200, 300):
            self.log(0, PROCESS, START, process_payload(pid), 2)
            for tid in range(pid + 4, pid + 20, 4):
                self.create(tid, pid)
        for _ in range(steps):
            self.step()
        for cpu, tid in enumerate(self.running):
            if tid:
                self.add(tid, 0, self.since[cpu], self.last[cpu])

    def file(self, loss):
        """Buffers of some events each; with a loss some in the middle are left out."""
        buffers = []
        for cpu, events in enumerate(self.events):
            lost = False
            for at in range(0, len(events), 40):
                if loss != "none" and at and at + 40 < len(events) and self.random.random() < 0.1:
                    lost = True
                    continue
                flags = self.random.choice((EVENTS_LOST, BUFFER_LOST)) if lost and loss == "flagged" else 0
                buffers.append((events[at][0], cpu, flags, b"".join(one for _, one in events[at : at + 40])))
                lost = False
        buffers.sort(key=lambda one: one[0])
        made = [buffer(cpu, i + 1, flags, 0, content) for i, (_, cpu, flags, content) in enumerate(buffers)]
        return header_buffer(len(made) + 1, self.cpus) + b"".join(made)


def make(seed, loss, path):
    machine = Machine(int(seed))
    machine.run(4000)
    with open(path, "wb") as file:
        file.write(machine.file(loss))
    with open(path + ".json", "w") as file:
        threads = [[*key, *values] for key, values in sorted(machine.truth.items())]
        json.dump({"loss": loss, "threads": threads}, file)


# Reading.


def ns(ticks, frequency=FREQUENCY):
    return ticks * 10**9 // frequency


Record = collections.namedtuple("Record", "time group opcode version payload pointer")

HEADS = {1: (32, 4), 2: (32, 8), 3: (24, 4), 4: (24, 8), 16: (16, 4), 17: (16, 8)}


def records_of(content):
    at = 0
    while at + 16 <= len(content):
        (word,) = struct.unpack_from("<I", content, at)
        kind = word >> 16 & 0xFF
        if word >> 30 != 3 or word == 0xFFFFFFFF:
            break
        if kind in HEADS:
            size, opcode, group = struct.unpack_from("<HBB", content, at + 4)
            head, pointer = HEADS[kind]
            (time,) = struct.unpack_from("<Q", content, at + (8 if kind in (16, 17) else 16))
            yield Record(time, group, opcode, word & 0xFF, content[at + head : at + size], pointer)
        else:
            (size,) = struct.unpack_from("<H", content, at)
        if size < 8:
            break
        at += size + 7 & ~7


class Trace:
    """The events that matter, by processor: lists of records, a new one where events were lost."""

    def __init__(self, path):
        data = open(path, "rb").read()
        buffers, at = [], 0
        self.frequency = struct.unpack_from("<Q", data, 72 + 32 + 0x100)[0]
        while at + 72 <= len(data):
            size, _, _, _, _, sequence, _, cpu = struct.unpack_from("<IIIIQQQH", data, at)
            filled, flags = struct.unpack_from("<IH", data, at + 0x30)
            if flags & COMPRESSED:
                sys.exit(f"{path} is compressed")
            buffers.append((cpu if flags & 0x20 else cpu & 0xFF, sequence, flags, data[at + 72 : at + filled]))
            at += size
        buffers.sort(key=lambda one: one[:2])
        self.pieces = collections.defaultdict(list)
        for cpu, _, flags, content in buffers:
            records = [one for one in records_of(content) if self.matters(one)]
            if not records:
                continue
            if not self.pieces[cpu] or flags & (EVENTS_LOST | BUFFER_LOST):
                self.pieces[cpu].append([])
            self.pieces[cpu][-1] += records

    @staticmethod
    def matters(record):
        return (record.group, record.opcode) in ((THREAD, START), (THREAD, SWITCH), (THREAD, READY), (PERF, SAMPLE))

    def all(self):
        for cpu, pieces in self.pieces.items():
            for piece in pieces:
                for one in piece:
                    yield cpu, one


def runs_of_piece(piece, runs, outs, gaps):
    """(tid, from, to, switched) of the records of a processor without known loss, and (tid, time, state) of threads that left."""
    thread, since, switched = None, piece[0].time, False
    for one in piece:
        if (one.group, one.opcode) != (THREAD, SWITCH):
            continue
        new, old = struct.unpack_from("<II", one.payload)
        whole = thread is None or thread == old
        if not whole:
            gaps.append((since, one.time))
        elif old and (switched or since < one.time):
            runs.append((old, since, one.time, switched))
        if old:
            outs.append((old, one.time, one.payload[14], whole and switched))
        thread, since, switched = new, one.time, True
    return thread, since, switched


def collect(trace):
    runs, outs, gaps, readies, starts = [], [], [], collections.defaultdict(list), collections.defaultdict(list)
    for pieces in trace.pieces.values():
        for i, piece in enumerate(pieces):
            thread, since, switched = runs_of_piece(piece, runs, outs, gaps)
            last = piece[-1].time
            if thread:
                runs.append((thread, since, last, switched))
            if i + 1 < len(pieces):
                gaps.append((last, pieces[i + 1][0].time))
    for _, one in trace.all():
        if one.opcode == READY:
            readies[struct.unpack_from("<I", one.payload)[0]].append(one.time)
        elif one.group == THREAD and one.opcode == START:
            pid, tid = struct.unpack_from("<II", one.payload)
            if not one.version:
                pid, tid = tid, pid
            starts[tid].append((one.time, pid))
    return runs, outs, gaps, readies, starts


def exact(trace):
    """{(tid, pid): [run, ready, blocked, switches]} of a trace, in ns, and the ns of gaps. With a loss waits may be wrong."""
    runs, outs, gaps, readies, starts = collect(trace)
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    left = collections.defaultdict(dict)
    for tid, time, state, _ in outs:
        left[tid][time] = state

    def duration(begin, end):
        return ns(end, trace.frequency) - ns(begin, trace.frequency)

    by_thread = collections.defaultdict(list)
    for tid, begin, end, switched in runs:
        by_thread[tid].append((begin, end, switched))
    for tid, mine in by_thread.items():
        mine.sort()
        woken = sorted(readies[tid])
        begun = sorted(starts[tid])
        before = None  # the end of the run before
        for begin, end, switched in mine:
            pid = next((pid for time, pid in reversed(begun) if time <= begin), None)
            total = sums[tid, pid]
            total[0] += duration(begin, end)
            if switched:
                total[3] += 1
                born = max((time for time, _ in begun if time <= begin), default=-1)
                out = before if before is not None and before >= born and left[tid].get(before) != TERMINATED else None
                # Woken since the run before began: while it ran means when it left.
                since = previous + 1 if out is not None else born
                wake = next((time for time in woken if since <= time <= begin), None)
                if out is not None and left[tid].get(out) in READY_STATES:
                    ready = out
                elif wake is not None:
                    ready = wake if out is None else max(wake, out)
                else:
                    ready = begin
                total[1] += duration(ready, begin)
                if out is not None:
                    total[2] += duration(out, ready)
            before, previous = end, begin
    return sums, sum(duration(*gap) for gap in gaps)


# Comparing.


def shown(program, *arguments):
    done = subprocess.run([program, *arguments, "--format", "json"], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout), done.stderr


KEYS = "exact_cpu_ns", "wait_cpu_ns", "wait_blocked_ns", "switches"


def compare(what, found, expected, problems):
    for key in sorted(set(found) | set(expected), key=str):
        if list(found.get(key, [0] * 4)) != list(expected.get(key, [0] * 4)):
            problems.append(f"{what} {key}: stagetrace has {found.get(key)}, the file {expected.get(key)}")


def total_by(sums, part):
    total = collections.defaultdict(lambda: [0] * len(KEYS))
    for key, values in sums.items():
        for i, value in enumerate(values):
            total[part(key)][i] += value
    return total


def check_truth(path, found, gaps, problems):
    """What happened in a file made here: without loss it is what is found; with loss no thread has more, and gaps hold the rest."""
    try:
        with open(path + ".json") as file:
            made = json.load(file)
    except FileNotFoundError:
        return "none"
    truth = {(tid, pid): values for tid, pid, *values in made["threads"]}
    if made["loss"] == "none":
        compare("what happened in thread", found, truth, problems)
        return "none"
    # By thread id alone: a lost start of a thread hides that its id was reused.
    mine, real = total_by(found, lambda key: key[0]), total_by(truth, lambda key: key[0])
    missing = sum(values[0] for values in real.values()) - sum(values[0] for values in mine.values())
    if not gaps or not 0 < missing <= gaps:
        problems.append(f"{missing} ns of runs are missing, and gaps are {gaps} ns")
    if made["loss"] == "flagged":
        problems += [f"thread {tid} ran for {mine[tid][0]} ns, and {real[tid][0]} in truth" for tid in mine if mine[tid][0] > real[tid][0]]
    return made["loss"]


def compare_runs(found, sums, problems):
    """Of flagged losses it is known when they were: only waits may begin in what another processor lost."""
    mine, real = (total_by(one, lambda key: key[0]) for one in (found, sums))
    for tid in sorted({*mine, *real}):
        if mine[tid][0] != real[tid][0]:
            problems.append(f"thread {tid} ran for {mine[tid][0]} ns, in the file for {real[tid][0]}")


def check(program, path):
    problems = []
    trace = Trace(path)
    sums, gaps = exact(trace)
    answer, _ = shown(program, "cpu", path, "--by", "thread", "--head", "--columns", "tid,pid," + ",".join(KEYS))
    found = total_by({(row["tid"], row["pid"], i): [row[key] or 0 for key in KEYS] for i, row in enumerate(answer["rows"])},
                     lambda key: key[:2])
    head_gaps = answer["head"].get("exact_gaps_ns", 0)
    loss = check_truth(path, found, head_gaps, problems)
    if loss == "flagged":
        compare_runs(found, sums, problems)
        if head_gaps != gaps:
            problems.append(f"gaps: stagetrace has {head_gaps}, the file {gaps}")
    if loss != "none":
        return problems, found, head_gaps
    compare("thread", found, sums, problems)
    if head_gaps != gaps:
        problems.append(f"gaps: stagetrace has {head_gaps}, the file {gaps}")
    by_process = total_by(sums, lambda key: key[1])
    for view in (["cpu", path, "--by", "process", "--columns", "pid," + ",".join(KEYS)], ["processes", path, "--columns", "pid," + ",".join(KEYS)]):
        rows, _ = shown(program, *view)
        found = total_by({(row["pid"], i): [row[key] or 0 for key in KEYS] for i, row in enumerate(rows)}, lambda key: key[0])
        compare(view[0] + " of process", found, by_process, problems)
    return problems, sums, gaps


def main():
    if sys.argv[1] == "make":
        make(*sys.argv[2:5])
        return
    failed = False
    for path in sys.argv[3:]:
        problems, sums, gaps = check(sys.argv[2], path)
        total = total_by(sums, lambda key: 0)[0]
        print(f"{path}: {len(sums)} threads, {total[3]} switches, {total[0]} ns run, {gaps} ns in gaps")
        for problem in problems[:20]:
            print(f"{path}: {problem}")
        failed |= bool(problems)
    sys.exit(failed)


main()
