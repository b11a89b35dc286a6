#!/usr/bin/env python3
"""Write an ETL file with calls of heaps: make-heap-etl.py [--seed N] [--events N] [--no-virtual] [--no-heap] [--machine]
    FILE

Without --seed it is the made-up build of tests/data/heap.etl, a second long. With --seed it is random, with all that may go
wrong: blocks from before the trace, calls that were lost, addresses that are used twice, heaps that are destroyed or
created again, processes that end, 32-bit processes, calls without stacks. With --machine it also has the memory of the whole
machine, measured each 100 ms: 6 GB committed at first, 64 MB more each time until 500 ms, then as much less. It shares no code
with the program.
"""
import argparse
import os
import random
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from etl_writer import START, Writer, wide  # noqa: E402

PROVIDER, VIRTUAL, PROCESS, THREAD, PERF, IMAGE, STACK = 16, 2, 3, 5, 15, 20, 24
CREATE, ALLOC, REALLOC, DESTROY, FREE = 32, 33, 34, 35, 36
RUSTC, NTDLL = 0x7FF600000000, 0x7FFA00000000


class Trace:
    def __init__(self, virtual=True, heaps=True, machine=False):
        self.writer, self.virtual, self.heaps, self.now, self.pointers = Writer(), virtual, heaps, START, {}
        self.measured = 0 if machine else None  # ms of the next measurement

    def at(self, ms):
        while self.measured is not None and self.measured <= ms:
            self.memory_info(self.measured)
            self.measured += 100
        self.now = START + round(ms * 10000)

    def memory_info(self, ms):
        steps = 5 - abs(ms - 500) // 100
        commit = (6 << 18) + steps * (64 << 8)  # pages
        pages = [1000, 2000, 300, 0, 0] + [20000 - 2000 * steps] * 8 + [7] * 8 + [5] + [40000, 30000, 100, commit]
        self.writer.event(17, VIRTUAL, 112, 2, START + ms * 10000, None, struct.pack("<26Q", *pages))

    def tick(self, ticks):
        self.now += ticks

    def process(self, opcode, pid, name="", line="", status=0x103, pointer=8):
        self.pointers[pid] = pointer
        payload = struct.pack("<QIIIIQII", pid, pid, 4, 1, status, 0, 0, 0) + name.encode() + b"\0" + wide(line) + \
            wide("") + wide("")
        self.writer.event(2, PROCESS, opcode, 4, self.now, (pid, pid + 1), payload)

    def image(self, pid, base, size, path):
        payload = struct.pack("<QQIIIIQQQ", base, size, pid, 0, 0x60000000, 0, base, 0, 0) + wide(path)
        self.writer.event(2, IMAGE, 10, 3, self.now, (pid, pid + 1), payload)

    def start(self, pid, name, line, pointer=8):
        self.process(1, pid, name, line, pointer=pointer)
        self.writer.event(2, THREAD, 1, 4, self.now, (pid, pid + 1),
                          struct.pack("<IIQQQQQQQII", pid, pid + 1, 0, 0, 0, 0, 0, 0, 0, 0, 0) + wide(""))
        self.image(pid, RUSTC, 0x100000, "C:\\rust\\bin\\" + name)
        self.image(pid, NTDLL, 0x100000, "C:\\Windows\\System32\\ntdll.dll")

    def end(self, pid, status=0):
        self.process(2, pid, "rustc.exe", "", status)

    def stack(self, pid, frames):
        if frames:
            self.writer.event(17, STACK, 32, 2, self.now, None,
                              struct.pack("<QII", self.now, pid, pid + 1) + struct.pack("<%dQ" % len(frames), *frames))

    def heap(self, pid, opcode, fields, source, frames, tail=b""):
        if not self.heaps:
            return
        pointer = self.pointers.get(pid, 8)
        payload = b"".join(struct.pack("<Q" if pointer == 8 else "<I", field) for field in fields)
        payload += (struct.pack("<I", 1) if source else b"") + tail
        self.writer.event(2 if pointer == 8 else 1, PROVIDER, opcode, 2, self.now, (pid, pid + 1), payload)
        self.stack(pid, frames)

    def commit(self, pid, address, size, flags=0x3000):
        if self.virtual:
            self.writer.event(2, VIRTUAL, 98 if flags & 0x3000 else 99, 2, self.now, (pid, pid + 1),
                              struct.pack("<QQII", address, size, pid, flags))


def frames(*functions):
    """The leaf is in ntdll, as RtlAllocateHeap is."""
    return [NTDLL + 0x1000] + [RUSTC + 0x1000 * function for function in functions]


def build(trace):
    """Two compilers: rustc_parse frees nearly all, rustc_middle grows."""
    trace.start(100, "rustc.exe", "C:\\rust\\bin\\rustc.exe --crate-name rustc_parse --edition=2021")
    trace.at(10)
    trace.commit(100, 0x20000000000, 0x400000)
    trace.heap(100, CREATE, (0x1A0000,), True, frames(9))
    for i in range(8):
        trace.at(20 + 10 * i)
        trace.heap(100, ALLOC, (0x1A0000, 65536, 0x20000000010 + i * 0x20000), True, frames(1 + i % 2, 3))
    trace.at(110)  # in place; then one that moves, which is told of by an allocation and a free too
    trace.heap(100, REALLOC, (0x1A0000, 0x20000000010, 0x20000000010, 98304, 65536), True, frames(4, 3))
    trace.at(120)
    trace.heap(100, ALLOC, (0x1A0000, 262144, 0x20000200000), True, frames(4, 3))
    trace.tick(1)
    trace.heap(100, FREE, (0x1A0000, 0x20000020010), True, frames(4, 3))
    trace.tick(1)
    trace.heap(100, REALLOC, (0x1A0000, 0x20000200000, 0x20000020010, 262144, 65536), True, frames(4, 3))
    trace.at(150)
    trace.heap(100, FREE, (0x1A0000, 0x1FFFF000000), True, frames(5, 3))  # from before the trace
    trace.at(200)
    trace.start(200, "rustc.exe", "C:\\rust\\bin\\rustc.exe --crate-name rustc_middle --edition=2021")
    trace.heap(200, CREATE, (0x1A0000,), True, frames(9))
    trace.commit(200, 0x20000000000, 0x200000)
    for i in range(3):
        trace.at(210 + i)
        trace.heap(200, ALLOC, (0x1A0000, 300000, 0x20000000010 + i * 0x80000), True, frames(6, 3))
    trace.at(220)
    trace.heap(200, CREATE, (0x2B0000,), True, frames(9))
    trace.heap(200, ALLOC, (0x2B0000, 500000, 0x30000000010), True, None)  # without a stack
    trace.at(300)
    for i in range(2, 7):
        trace.tick(1)
        trace.heap(100, FREE, (0x1A0000, 0x20000000010 + i * 0x20000), True, frames(5, 3))
    trace.at(400)
    trace.heap(200, DESTROY, (0x2B0000,), False, frames(9))
    trace.at(500)
    trace.heap(200, ALLOC, (0x1A0000, 800000, 0x20000000010), True, frames(7, 3))  # its free was lost
    trace.at(900)
    trace.end(100)
    trace.at(1000)
    trace.process(4, 200, "rustc.exe", "")


def chaos(trace, seed, events):
    rng, pids, next_pid = random.Random(seed), [], 100
    places = [0x20000010000 + i * 0x10000 for i in range(60)]
    for _ in range(events):
        trace.tick(rng.choice([0, 0, 1, 50, 20000]))
        if len(pids) < 2 or (len(pids) < 6 and rng.random() < 0.01):
            pointer = 4 if rng.random() < 0.2 else 8
            trace.start(next_pid, "rustc.exe", "rustc.exe --crate-name crate_%d" % (next_pid % 3), pointer)
            pids.append(next_pid)
            next_pid += 4
            continue
        pid = rng.choice(pids)
        if rng.random() < 0.003:
            pids.remove(pid)
            trace.end(pid)
            continue
        small = trace.pointers[pid] == 4
        heap = rng.choice([0x1A0000, 0x2B0000, 0x3C0000])
        place = rng.choice(places) & (0x7FFFFFFF if small else (1 << 64) - 1)
        calls = None if rng.random() < 0.1 else frames(*[rng.randrange(1, 9) for _ in range(rng.randrange(1, 5))])
        trace.tick(1)  # a time stamp of its own, so that the stack is its own
        what = rng.random()
        if what < 0.45:
            trace.heap(pid, ALLOC, (heap, rng.choice([0, 1, 24, 100, 4096, 1 << 20]), place), True, calls)
        elif what < 0.8:
            trace.heap(pid, FREE, (heap, place), True, calls)
        elif what < 0.92:
            other = place if rng.random() < 0.7 else rng.choice(places) & 0x7FFFFFFF
            trace.heap(pid, REALLOC, (heap, place, other, rng.randrange(1 << 16), 100), True, calls)
        elif what < 0.93:
            trace.heap(pid, DESTROY, (heap,), False, calls)
        elif what < 0.94:
            trace.heap(pid, CREATE, (heap,), True, calls)
        elif what < 0.96:
            trace.heap(pid, 37, (heap, 1, 2, 3, 4, 5), True, None)
        else:
            trace.commit(pid, place & ~0xFFF, 0x1000 * rng.randrange(1, 8), rng.choice([0x3000, 0x8000]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int)
    parser.add_argument("--events", type=int, default=4000)
    parser.add_argument("--no-virtual", action="store_true")
    parser.add_argument("--no-heap", action="store_true")
    parser.add_argument("--machine", action="store_true")
    parser.add_argument("file")
    options = parser.parse_args()
    trace = Trace(not options.no_virtual, not options.no_heap, options.machine)
    if options.seed is None:
        build(trace)
    else:
        chaos(trace, options.seed, options.events)
    trace.writer.finish(options.file)


main()
