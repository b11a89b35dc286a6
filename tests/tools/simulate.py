#!/usr/bin/env python3
"""What a perf.data file says, worked out slowly from the text of `perf script`, as JSON.

    simulate.py [--base NS [--bare FILE]] [--range A..B[@AT]]... [--stacks] [--memory-stacks] [--regions] PERF_DATA

Nothing of the program is used: the answers are for holding the program's against (compare-views.py).
Times in ranges are seconds from time zero: --base, on the trace's clock; without it the first event. AT is a
time or "peak"; without it what is outstanding is that of the range's end. --bare
writes to FILE what it is without --base. --stacks keeps CPU stacks, --memory-stacks those of memory (recorded with frame
pointers), --regions all regions of memory, not only a digest.

    first_ns, last_ns     on the trace's clock; base_ns is time zero
    events                samples by event, copies with stacks apart
    processes             pid, ppid, start_ns and end_ns (from time zero; null: not ended), comm, samples, cpu_ns,
                          threads: tid, samples, cpu_ns
    cpu                   samples, ns; functions [name, module, samples, self, total]; modules [module, ...]; stacks
                          [[[name, module], ...] root first, samples, ns]; ambiguous: samples and ns of stacks with
                          the name "?", see simulation/cpu.py; discarded: samples whose stack perf left out
    changes               of memory: number of the event, time, index among the first range's processes, bytes
    stack_changes         the same with the index among memory_stacks, with --memory-stacks
    cpu_times             [time, pid, ns] of each sample
    ranges                the whole recording, then those asked for: from_ns, to_ns, at; whole, processes (with
                          pid, start_ns), lifetimes (by class), regions (simulation/regions.py: with AT those held then),
                          cpu (samples and ns by pid), stacks; sizes in bytes
"""
import argparse
import json
import os
import sys
import time as clock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simulation import cpu, curves, memory, perf_text, regions, tasks  # noqa: E402

MEMORY_PREFIX = "syscalls:"
NOT_CPU = (MEMORY_PREFIX, "exceptions:", "kmem:")  # the others are of touched memory
# Samples that count for nothing: the program completes the stacks of others by theirs.
STACKS_APART = "cpu-stacks"


class Recording:
    """One pass over the text, or two: if copies have to be distinguished, frames cannot be read in the same pass."""

    def __init__(self, path, with_stacks, with_memory_stacks, with_regions):
        not_read, self.discarded = perf_text.complaints(path)
        self.frames = perf_text.Frames(not_read)
        self.cpu = cpu.Cpu(self.frames, with_stacks)
        self.memory = memory.Memory()
        self.with_memory_stacks, self.with_regions = with_memory_stacks, with_regions
        self.copied = perf_text.copied_events(path)
        self.events, self.samples = {}, []
        self.first, self.last = None, 0
        if self.copied:
            self.memory_pass(perf_text.events(path, "pid,tid,time,event,trace,ip", "pid,tid,time,event,period",
                                              ["--max-stack", "1"]))
            self.cpu_pass(perf_text.events(path, "pid,tid,time,event,trace", "pid,tid,time,event,period," +
                                           perf_text.SYMBOLS, perf_text.ALL_FRAMES), perf_text.chains(path))
        else:
            fields = "," + perf_text.SYMBOLS if with_memory_stacks else ""
            self.memory_pass(perf_text.events(path, "pid,tid,time,event,trace" + fields, "pid,tid,time,event,period," +
                                              perf_text.SYMBOLS, perf_text.ALL_FRAMES), perf_text.chains(path))
        self.memory.finish()

    def see(self, time):
        if time:
            self.first = time if self.first is None else min(self.first, time)
            self.last = max(self.last, time)

    def count_event(self, name):
        self.events[name] = self.events.get(name, 0) + 1

    def memory_pass(self, lines, chains=None):
        self.tasks = tasks.Tasks(self.memory.start, self.memory.exec, self.memory.end)

        def on_sample(pid, tid, time, event, period, text, frames):
            self.see(time)
            if event in self.copied and not perf_text.INLINE_IP.search(text):
                self.count_event(event + " (copy)")
                return
            self.count_event(event)
            if event.startswith(MEMORY_PREFIX):
                instance = self.tasks.find(pid, tid, time)
                self.memory.call(instance, tid, time, event[len(MEMORY_PREFIX):], text,
                                 self.memory_stack(instance, frames))
            elif not self.copied and pid and event != STACKS_APART and not event.startswith(NOT_CPU):
                self.cpu_sample(self.tasks.find(pid, tid, time), tid, time, period, frames)

        perf_text.read(lines, on_sample, lambda kind, time, *fields: self.task(self.tasks, kind, time, *fields), chains)

    def task(self, which, kind, time, *fields):
        self.see(time)
        which.event(kind, time, *fields)

    def memory_stack(self, instance, frames):
        if not self.with_memory_stacks:
            return None
        return cpu.name_frames(frames, self.frames, instance, False)

    def cpu_sample(self, instance, tid, time, period, frames):
        self.samples.append((time, instance.number, period))
        self.cpu.sample(instance, tid, period, frames)

    def cpu_pass(self, lines, chains):
        again = tasks.Tasks(*3 * [lambda *_: None])

        def on_sample(pid, tid, time, event, period, _, frames):
            instance = again.find(pid, tid, time)
            if not event.startswith(NOT_CPU) and pid and event != STACKS_APART:
                self.cpu_sample(instance, tid, time, period, frames)

        perf_text.read(lines, on_sample, again.event, chains)


def parse_range(text):
    """"A..B@AT" to nanoseconds; None: open, or the end."""
    span, _, at = text.partition("@")
    start, _, end = span.partition("..")

    def nanoseconds(value):
        return int(round(float(value) * 1e9)) if value else None

    return nanoseconds(start), nanoseconds(end), at if at == memory.AT_PEAK else nanoseconds(at)


def describe_entry(entry, base):
    known = dict(entry)
    known.pop("at_start")
    known.pop("at_end")
    if known["peak_ns"] is not None:
        known["peak_ns"] -= base
    return known


def describe_range(recording, base, start, end, at):
    first = -1 if start is None else base + start
    last = 1 << 63 if end is None else base + end
    moment = base + at if isinstance(at, int) else at
    spans = recording.memory.spans
    ledger = memory.Ledger(spans, first, last, moment, lambda span: span.commit.instance)
    lifetimes = memory.Ledger(spans, first, last, moment, lambda span: span.lifetime())
    lines = regions.lines_of(ledger, spans, base, moment)
    by_pid = {}
    for time, number, period in recording.samples:
        if first <= time < last:
            entry = by_pid.setdefault(recording.tasks.all[number].pid, [0, 0])
            entry[0] += 1
            entry[1] += period
    answer = {"from_ns": start, "to_ns": end, "at": at, "whole": describe_entry(ledger.whole, base),
              "processes": [{"pid": instance.pid, "start_ns": max(instance.start, recording.first) - base,
                             **describe_entry(entry, base)}
                            for instance, entry in sorted(ledger.entries.items(), key=lambda item: item[0].number)],
              "lifetimes": {name: describe_entry(entry, base) for name, entry in lifetimes.entries.items()},
              "regions": regions.digest(lines), "cpu": by_pid}
    if recording.with_regions:
        answer["regions"]["lines"] = lines
    if recording.with_memory_stacks:
        stacks = memory.Ledger(spans, first, last, moment, lambda span: span.commit.stack)
        answer["stacks"] = [[stack, describe_entry(entry, base)] for stack, entry in stacks.entries.items()]
    return answer


def describe_processes(recording, base):
    threads = {}
    for (number, tid), (samples, period) in recording.cpu.threads.items():
        threads.setdefault(number, []).append({"tid": tid, "samples": samples, "cpu_ns": period})
    return [{"pid": one.pid, "ppid": one.ppid, "start_ns": max(one.start, recording.first) - base,
             "end_ns": None if one.end is None else one.end - base, "comm": one.comm,
             "samples": sum(thread["samples"] for thread in threads.get(one.number, [])),
             "cpu_ns": sum(thread["cpu_ns"] for thread in threads.get(one.number, [])),
             "threads": threads.get(one.number, [])} for one in recording.tasks.all]


def describe_cpu(recording):
    figures = recording.cpu
    return {"samples": figures.total[0], "ns": figures.total[1], "ambiguous": figures.ambiguous,
            "discarded": recording.discarded, "completed": STACKS_APART in recording.events,
            "functions": [[*key, *value] for key, value in figures.functions.items()],
            "modules": [[key, *value] for key, value in figures.modules.items()],
            "stacks": [[key, *value] for key, value in figures.stacks.items()]}


def describe_changes(recording, base):
    spans = recording.memory.spans
    instances = sorted({span.commit.instance for span in spans}, key=lambda one: one.number)
    index = {one: i for i, one in enumerate(instances)}
    answer = {"changes": curves.changes_of(spans, lambda span: index[span.commit.instance], base)}
    if recording.with_memory_stacks:
        stacks = {}  # as those of ranges
        for span in spans:
            stacks.setdefault(span.commit.stack, len(stacks))
        answer["memory_stacks"] = list(stacks)
        answer["stack_changes"] = curves.changes_of(spans, lambda span: stacks[span.commit.stack], base)
    return answer


def describe(recording, base, ranges, seconds):
    return {**describe_changes(recording, base),
            "cpu_times": [[time - base, recording.tasks.all[number].pid, period]
                          for time, number, period in recording.samples],
            "first_ns": recording.first, "last_ns": recording.last, "base_ns": base, "events": recording.events,
            "processes": describe_processes(recording, base), "cpu": describe_cpu(recording),
            "ranges": [describe_range(recording, base, *one) for one in ranges], "seconds": round(seconds, 1)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", type=int)
    parser.add_argument("--bare", type=argparse.FileType("w"))
    parser.add_argument("--range", action="append", default=[], dest="ranges")
    parser.add_argument("--stacks", action="store_true")
    parser.add_argument("--memory-stacks", action="store_true")
    parser.add_argument("--regions", action="store_true")
    parser.add_argument("path")
    options = parser.parse_args()
    begin = clock.monotonic()
    recording = Recording(options.path, options.stacks, options.memory_stacks, options.regions)
    seconds = clock.monotonic() - begin
    ranges = [(None, None, None), *map(parse_range, options.ranges)]
    base = recording.first if options.base is None else options.base
    json.dump(describe(recording, base, ranges, seconds), sys.stdout)
    print()
    if options.bare:
        json.dump(describe(recording, recording.first, ranges, seconds), options.bare)


main()
