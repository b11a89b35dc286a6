"""Memory over time: what each event changed for each process, or stack, added up for any set of them."""
import itertools


def changes_of(spans, number_of, base):
    """[[number, time, owner, bytes], ...] in order; `owner` is what `number_of` says of a span."""
    table = {}
    for span in spans:
        owner = number_of(span)
        for number, time, size in ((span.commit.number, span.commit.time, span.bytes),
                                   (span.number, span.freed, -span.bytes)):
            if number is not None:
                key = (number, time - base, owner)
                table[key] = table.get(key, 0) + size
    return [[*key, size] for key, size in sorted(table.items())]


def levels(changes, keep=None):
    """(time, bytes) after each event that changed what the owners of `keep`, or all, hold together."""
    held = 0
    kept = changes if keep is None else (change for change in changes if change[2] in keep)
    for (_, time), group in itertools.groupby(kept, key=lambda change: (change[0], change[1])):
        held += sum(change[3] for change in group)
        yield time, held


def peak(changes, keep=None):
    """The largest sum, and the first moment that it was reached; (0, None): they never held any."""
    most, when = 0, None
    for time, held in levels(changes, keep):
        if held > most:
            most, when = held, time
    return most, when


def by_owner(changes):
    """{owner: its changes}"""
    table = {}
    for change in changes:
        table.setdefault(change[2], []).append(change)
    return table


def joined(table, owners):
    """The changes of several owners, in order."""
    return sorted(change for owner in owners for change in table.get(owner, ()))


def series(changes, keep, starts):
    """The largest sum in each step; the steps begin at `starts`, and the last one has no end."""
    most, held, at = [], 0, levels(changes, keep)
    pending = next(at, None)
    for start, end in zip(starts, [*starts[1:], float("inf")]):
        # An event at the start of a step may free what was held until then: that was in the step before.
        while pending and pending[0] < start:
            held, pending = pending[1], next(at, None)
        largest = held
        while pending and pending[0] < end:
            held, pending = pending[1], next(at, None)
            largest = max(largest, held)
        most.append(largest)
    return most
