"""Commit on Linux (design.md 6.3), literally: a list of intervals per process, and every piece of committed
memory written down with who committed it when, and when it was released. All figures are sums over these."""
import bisect
import itertools
import re

PAGE = 4096
PROT_WRITE, MAP_TYPE, MAP_PRIVATE, MAP_ANONYMOUS, MAP_NORESERVE = 2, 0x0f, 0x02, 0x20, 0x4000
MAP_HUGETLB, MAP_HUGE_SHIFT, HUGE_PAGE = 0x40000, 26, 2 << 20
MREMAP_DONTUNMAP = 4
RESERVED, INHERITED = "reserved", "inherited"
AT_PEAK = "peak"
LIFETIMES = (("<1ms", 10**6), ("<10ms", 10**7), ("<100ms", 10**8), ("<1s", 10**9), ("<10s", 10**10),
             ("<1min", 60 * 10**9))
FIELD = re.compile(r"(\w+): (0x[0-9a-f]+)")


def page_up(value, page=PAGE):
    return (value + page - 1) & -page


class Space:
    """Intervals [start, end, state], apart, by address; state is RESERVED, INHERITED or a commit's number."""

    def __init__(self, items=()):
        self.items = list(items)
        self.starts = [item[0] for item in self.items]

    def cut(self, low, high):
        """Take out what is in a range; the pieces."""
        if low >= high:
            return []
        first = bisect.bisect_right(self.starts, low) - 1
        if first < 0 or self.items[first][1] <= low:
            first += 1
        last, pieces, rest = first, [], []
        while last < len(self.items) and self.items[last][0] < high:
            start, end, state = self.items[last]
            if start < low:
                rest.append((start, low, state))
            if end > high:
                rest.append((high, end, state))
            pieces.append((max(start, low), min(end, high), state))
            last += 1
        self.items[first:last] = rest
        self.starts[first:last] = [item[0] for item in rest]
        return pieces

    def put(self, start, end, state):
        """Into a gap."""
        if start < end:
            at = bisect.bisect_left(self.starts, start)
            self.items.insert(at, (start, end, state))
            self.starts.insert(at, start)


class Commit:
    """An event that added bytes: by whom, from which stack, when."""
    __slots__ = ("instance", "stack", "number", "time")

    def __init__(self, instance, stack, number, time):
        self.instance, self.stack, self.number, self.time = instance, stack, number, time


class Span:
    """A range that one event committed and one event released: its number and time (None: never), and how."""
    __slots__ = ("commit", "address", "bytes", "number", "freed", "ended")

    def __init__(self, commit, address, size, number, freed, ended):
        self.commit, self.address, self.bytes = commit, address, size
        self.number, self.freed, self.ended = number, freed, ended

    def lifetime(self):
        """The class of how long it was held; None: until its process ended, or the recording."""
        if self.ended != "freed":
            return "[held]" if self.ended == "held" else "[exit]"
        return next((name for name, limit in LIFETIMES if self.freed - self.commit.time < limit), ">=1min")


class Memory:
    """What was committed, as `spans`."""

    def __init__(self):
        self.spaces, self.breaks, self.pending = {}, {}, {}
        self.spans = []
        self.number = 0
        self.time = 0

    # Processes.

    def start(self, instance, parent):
        items = self.spaces[parent].items if parent in self.spaces else []
        self.spaces[instance] = Space((start, end, RESERVED if state == RESERVED else INHERITED)
                                      for start, end, state in items)
        if parent in self.breaks:
            self.breaks[instance] = self.breaks[parent]

    def exec(self, instance, time, ended="exec"):
        self.number += 1
        self.time = time
        self.release(self.spaces[instance].cut(0, 1 << 64), ended)
        self.breaks.pop(instance, None)

    def end(self, instance, time):
        self.exec(instance, time, "exit")
        del self.spaces[instance]

    # System calls; `text` is perf script's.

    def call(self, instance, tid, time, name, text, stack):
        self.number += 1
        self.time = time
        fields = {key: int(value, 16) for key, value in FIELD.findall(text)}
        space = self.spaces[instance]
        if name.startswith("sys_enter_"):
            self.pending[tid, name[10:]] = fields
            if name == "sys_enter_mremap" and not fields["flags"] & MREMAP_DONTUNMAP:
                # Other threads can get these addresses before the exit.
                fields["pieces"] = space.cut(*self.whole_pages(fields["addr"], fields["old_len"]))
            elif name == "sys_enter_munmap":
                self.release(space.cut(*self.whole_pages(fields["addr"], fields["len"])))
            elif name == "sys_enter_mprotect" and fields["prot"] & PROT_WRITE:
                self.allow(space, *self.whole_pages(fields["start"], fields["len"]),
                           Commit(instance, stack, self.number, time))
        elif name.startswith("sys_exit_"):
            entered = self.pending.pop((tid, name[9:]), None)
            value = int(text.split()[0], 16)
            commit = Commit(instance, stack, self.number, time)
            if name == "sys_exit_brk":
                self.set_break(instance, space, value, commit)
            elif entered is not None and value < (1 << 64) - 4095:
                getattr(self, name[9:], lambda *_: None)(space, entered, value, commit)
            elif entered is not None:
                for piece in entered.get("pieces", ()):
                    space.put(*piece)

    @staticmethod
    def whole_pages(start, length):
        """A range that does not begin with a page is refused by the kernel."""
        return (start, min(start + page_up(length), 1 << 64)) if start % PAGE == 0 else (0, 0)

    def release(self, pieces, ended="freed"):
        self.add_spans(pieces, self.number, self.time, ended)

    def add_spans(self, pieces, number, time, ended):
        """Pieces that touch and are of one commit are one: an interval may have been cut for something else."""
        last = None
        for start, end, state in pieces:
            if not isinstance(state, Commit):
                last = None
            elif last and last.commit is state and last.address + last.bytes == start:
                last.bytes += end - start
            else:
                last = Span(state, start, end - start, number, time, ended)
                self.spans.append(last)

    def allow(self, space, low, high, commit):
        for start, end, state in space.cut(low, high):
            space.put(start, end, commit if state == RESERVED else state)

    def mmap(self, space, entered, value, commit):
        flags, page = entered["flags"], PAGE
        if flags & MAP_HUGETLB and flags & MAP_ANONYMOUS:
            page = 1 << (flags >> MAP_HUGE_SHIFT & 0x3f) if flags >> MAP_HUGE_SHIFT & 0x3f else HUGE_PAGE
        end = value + page_up(entered["len"], page)
        self.release(space.cut(value, end))
        if flags & MAP_TYPE == MAP_PRIVATE and flags & MAP_ANONYMOUS:
            if not entered["prot"] & PROT_WRITE:
                space.put(value, end, RESERVED)
            elif not flags & MAP_NORESERVE:  # else it is never counted
                space.put(value, end, commit)

    def set_break(self, instance, space, value, commit):
        old = self.breaks.get(instance)
        self.breaks[instance] = value
        if old is None:
            return
        old, new = page_up(old), page_up(value)
        if new > old:
            self.release(space.cut(old, new))
            space.put(old, new, commit)
        else:
            self.release(space.cut(new, old))

    def mremap(self, space, entered, value, commit):
        old, old_length = entered["addr"], page_up(entered["old_len"])
        new_length = page_up(entered["new_len"])
        pieces = entered["pieces"] if "pieces" in entered else space.cut(old, old + old_length)
        self.release(space.cut(value, value + new_length))
        last = pieces[-1][2] if pieces and pieces[-1][1] == old + old_length else None
        self.release([(max(start, old + new_length), end, state) for start, end, state in pieces
                      if end > old + new_length])
        for start, end, state in pieces:
            space.put(start - old + value, min(end, old + new_length) - old + value, state)
            if entered["flags"] & MREMAP_DONTUNMAP:
                space.put(start, end, RESERVED if state == RESERVED else commit)
        if last is not None and new_length > old_length:
            space.put(value + old_length, value + new_length, RESERVED if last == RESERVED else commit)

    def finish(self):
        """What is still held at the end of the recording."""
        for space in self.spaces.values():
            self.add_spans(space.items, None, None, "held")


class Ledger:
    """The figures of one range of time, for the whole and by a key of spans: process, stack or lifetime."""

    def __init__(self, spans, start, end, at, key):
        self.start, self.end = start, end
        self.entries, self.held = {}, []  # `held`: spans at the moment
        self.whole = self.new_entry()
        for span in spans:
            self.add(span, self.entry(key(span)))
        self.held_at_start(spans, key)
        peak = self.peaks(spans, key)
        self.moments(spans, key, at, peak)
        for entry in self.all():
            entry["count"] = len(entry["count"])
            entry["impacting"] = entry["at_end"] - entry["at_start"]

    @staticmethod
    def new_entry():
        names = ("size", "freed", "aifi", "aifo", "aofi", "aofo", "at_start", "at_end", "outstanding", "peak",
                 "at_peak")
        return {**dict.fromkeys(names, 0), "peak_ns": None, "count": set()}

    def entry(self, key):
        if key not in self.entries:
            self.entries[key] = self.new_entry()
        return self.entries[key]

    def all(self):
        return [self.whole, *self.entries.values()]

    def flow(self, span):
        """Where it was allocated and freed, inside of the range or outside; None: it is not held in it."""
        inside = span.commit.time >= self.start
        if span.commit.time >= self.end or (not inside and span.freed is not None and span.freed < self.start):
            return None
        freed_inside = span.freed is not None and self.start <= span.freed < self.end
        return ("ai" if inside else "ao") + ("fi" if freed_inside else "fo")

    def add(self, span, entry):
        flow = self.flow(span)
        if flow is None:
            return
        for one in (entry, self.whole):
            one[flow] += span.bytes
            if flow.startswith("ai"):
                one["size"] += span.bytes
                one["count"].add(span.commit.number)
            one["freed" if flow.endswith("fi") else "at_end"] += span.bytes

    def held_at_start(self, spans, key):
        for span in spans:
            if span.commit.time < self.start and (span.freed is None or span.freed >= self.start):
                for one in (self.entry(key(span)), self.whole):
                    one["at_start"] += span.bytes

    def peaks(self, spans, key):
        """Of each and of the whole; the number of the event by which the whole has its (None: at the start)."""
        changes = []
        for span in spans:
            for when, what, change in ((span.commit.number, span.commit.time, span.bytes),
                                       (span.number, span.freed, -span.bytes)):
                if what is not None and self.start <= what < self.end:
                    changes.append((when, what, key(span), change))
        changes.sort(key=lambda change: change[0])
        held = {name: entry["at_start"] for name, entry in self.entries.items()}
        for entry in self.all():
            entry["peak"] = entry["at_start"]
            entry["peak_ns"] = self.start if entry["peak"] else None
        total, at = self.whole["at_start"], None
        for (number, when), group in itertools.groupby(changes, key=lambda change: change[:2]):
            touched = set()
            for _, _, name, change in group:
                held[name] += change
                total += change
                touched.add(name)
            for name in touched:
                if held[name] > self.entries[name]["peak"]:
                    self.entries[name].update(peak=held[name], peak_ns=when)
            if total > self.whole["peak"]:
                self.whole.update(peak=total, peak_ns=when)
                at = number
        return at

    def moments(self, spans, key, at, peak):
        for span in spans:
            held_at_peak = self.is_held_at_peak(span, peak)
            held = held_at_peak if at == AT_PEAK else self.is_held_at(span, at)
            if held:
                self.held.append(span)
            for one in (self.entry(key(span)), self.whole):
                one["at_peak"] += span.bytes * held_at_peak
                one["outstanding"] += span.bytes * held

    def is_held_at_peak(self, span, peak):
        if peak is None:
            return span.commit.time < self.start and (span.freed is None or span.freed >= self.start)
        return span.commit.number <= peak and (span.number is None or span.number > peak)

    def is_held_at(self, span, at):
        """At the end of the range if no time is given."""
        if at is None:
            return span.commit.time < self.end and (span.freed is None or span.freed >= self.end)
        return span.commit.time <= at and (span.freed is None or span.freed > at)
