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


class Memory:
    """`spans`: (commit, bytes, number of the event that released them or None, its time)."""

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

    def exec(self, instance, time):
        self.number += 1
        self.time = time
        self.release(self.spaces[instance].cut(0, 1 << 64))
        self.breaks.pop(instance, None)

    def end(self, instance, time):
        self.exec(instance, time)
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

    def release(self, pieces):
        for start, end, state in pieces:
            if isinstance(state, Commit):
                self.spans.append((state, end - start, self.number, self.time))

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
        for start, end, state in pieces:
            self.release([(max(start, old + new_length), end, state)] if end > old + new_length else [])
            space.put(start - old + value, min(end, old + new_length) - old + value, state)
            if entered["flags"] & MREMAP_DONTUNMAP:
                space.put(start, end, RESERVED if state == RESERVED else commit)
        if last is not None and new_length > old_length:
            space.put(value + old_length, value + new_length, RESERVED if last == RESERVED else commit)

    def finish(self):
        """What is still held at the end of the recording."""
        for space in self.spaces.values():
            self.spans += [(state, end - start, None, None) for start, end, state in space.items
                           if isinstance(state, Commit)]


class Ledger:
    """The figures of one range of time, for the whole and by a key: process or stack."""

    def __init__(self, spans, start, end, at, key):
        self.start, self.end = start, end
        self.entries = {}
        self.whole = self.new_entry()
        for commit, size, _, freed in spans:
            self.add(commit, size, freed, self.entry(key(commit)))
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

    def add(self, commit, size, freed, entry):
        if commit.time >= self.end:
            return
        inside = commit.time >= self.start
        freed_inside = freed is not None and self.start <= freed < self.end
        if not inside and freed is not None and freed < self.start:
            return
        for one in (entry, self.whole):
            one[("ai" if inside else "ao") + ("fi" if freed_inside else "fo")] += size
            if inside:
                one["size"] += size
                one["count"].add(commit.number)
            if freed_inside:
                one["freed"] += size
            else:
                one["at_end"] += size

    def held_at_start(self, spans, key):
        for commit, size, _, freed in spans:
            if commit.time < self.start and (freed is None or freed >= self.start):
                for one in (self.entry(key(commit)), self.whole):
                    one["at_start"] += size

    def peaks(self, spans, key):
        """Of each and of the whole; the number of the event by which the whole has its (None: at the start)."""
        changes = []
        for commit, size, number, freed in spans:
            for when, what, change in ((commit.number, commit.time, size), (number, freed, -size)):
                if what is not None and self.start <= what < self.end:
                    changes.append((when, what, key(commit), change))
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
        for commit, size, number, freed in spans:
            if peak is None:
                held_at_peak = commit.time < self.start and (freed is None or freed >= self.start)
            else:
                held_at_peak = commit.number <= peak and (number is None or number > peak)
            if at not in (None, AT_PEAK):
                held = commit.time <= at and (freed is None or freed > at)
                for one in (self.entry(key(commit)), self.whole):
                    one["outstanding"] += size * held
            if held_at_peak:
                for one in (self.entry(key(commit)), self.whole):
                    one["at_peak"] += size
        if at in (None, AT_PEAK):
            for one in self.all():
                one["outstanding"] = one["at_end" if at is None else "at_peak"]
