"""Functions and stacks of the program compared with those of perf script.

Names are brought to what both can say: an address without a name is "[unknown]" ("module!0x1234" of the program, an
entry of a procedure linkage table, "malloc@plt", that perf makes a name up for), symbol versions go, and of the
names of the same code (the column `also`) one stands for all.

perf discards a whole stack in which a frame pointer led to a number that is no address: one of the topmost 4095, which
mark parts of a call chain in the file. Of a sample without frames it is only known that the program has it somewhere;
that those are all of them is compared. What else may differ: compare-views.py.
"""
import collections
import re

from . import curves

AMBIGUOUS, UNKNOWN, TRUNCATED = "?", "[unknown]", "[truncated]"
NO_SYMBOL = re.compile(r"(.+!0x[0-9a-f]+|.*@plt)$")
VERSION = re.compile(r"@@?[A-Za-z_][\w.]*$")


def module(name):
    """The kernel is one module, and code that nothing is mapped at is another."""
    name = name or UNKNOWN
    if name.startswith("[kernel.kallsyms]"):
        return "[kernel.kallsyms]"
    return name.rsplit("/", 1)[-1]


class Aliases:
    """One name for each set of names of the same code."""

    def __init__(self, rows):
        self.parent = {}
        for row in rows:
            for other in row.get("also") or []:
                self.parent[self.find(plain(other))] = self.find(plain(row["function"]))

    def find(self, name):
        while self.parent.get(name, name) != name:
            name = self.parent[name]
        return name

    def name(self, name):
        return name if name == AMBIGUOUS else self.find(plain(name))

    def stack(self, frames):
        """Root first."""
        frames = list(frames)
        if frames and frames[0] == TRUNCATED:
            frames = frames[1:]
        return tuple(map(self.name, frames))


def plain(name):
    if name == TRUNCATED:
        return name
    return UNKNOWN if NO_SYMBOL.match(name) else VERSION.sub("", name)


def matches(pattern, stack):
    return len(pattern) == len(stack) and all(one in (AMBIGUOUS, other) for one, other in zip(pattern, stack))


def take_behind_functions(left):
    """Out of {stack: ours - theirs} those of theirs with a return address that is in no function: it may be behind the
    end of one, which has the call."""
    taken = []
    for stack, value in left.items():
        pattern = tuple(AMBIGUOUS if one == UNKNOWN else one for one in stack[:-1]) + stack[-1:]
        if value < 0 and pattern != stack:
            taken.append((pattern, -value))
            left[stack] = 0
    return taken


def compare_stacks(comparison, name, ours, expected):
    """Both: {stack: value}. What is left of ours must be the stacks with an ambiguous frame, and those discarded."""
    left = collections.Counter(ours)
    unsure = []
    for stack, value in expected.items():
        if not stack:
            continue
        if AMBIGUOUS in stack:
            unsure.append((stack, value))
        else:
            left[stack] -= value
    unsure += take_behind_functions(left)
    by_length = collections.defaultdict(list)
    for stack, value in left.items():
        if value > 0:
            by_length[len(stack)].append(stack)
    unsure.sort(key=lambda one: sum(matches(one[0], other) for other in by_length[len(one[0])]))
    missing = []
    for stack, value in unsure:
        for other in by_length[len(stack)]:
            if value and left[other] > 0 and matches(stack, other):
                taken = min(value, left[other])
                left[other] -= taken
                value -= taken
        if value:
            missing.append("%s: %d more expected" % (";".join(stack), value))
    comparison.check(name, missing + surplus(left, expected.get((), 0), ";".join))


def surplus(left, discarded, describe):
    """What is wrong with {key: ours - theirs} where as much as `discarded` may be on any key."""
    wrong = ["%s: %+d" % (describe(key), value) for key, value in left.items() if value < 0]
    rest = sum(value for value in left.values() if value > 0)
    if rest != discarded:
        wrong += ["%s: %+d" % (describe(key), value) for key, value in left.items() if value > 0]
        wrong.append("%d too many, of which %d were expected" % (rest, discarded))
    return wrong


def settle(left):
    """Give what has any name to those names of its module that are there more often than expected."""
    for one, value in list(left.items()):
        if one[0] != AMBIGUOUS or value >= 0:
            continue
        for other in [key for key in left if key[1] == one[1] and left[key] > 0]:
            taken = min(-left[one], left[other])
            left[one] += taken
            left[other] -= taken


def discarded_samples(expected):
    """Samples and their time whose stack perf discarded."""
    figures = expected["cpu"]
    if "discarded_samples" in figures:  # of a digest
        return tuple(figures["discarded_samples"])
    functions = figures["functions"]
    return (figures["samples"] - sum(one[2] for one in functions), figures["ns"] - sum(one[3] for one in functions))


def compare_levels(comparison, what, ours, theirs, expected, skip=()):
    """ours, theirs: {key: (samples, self, total)} of functions or modules."""
    discarded = discarded_samples(expected)
    for i, column in enumerate(("samples", "self_ns")):
        left = {key: ours.get(key, (0, 0, 0))[i] - theirs.get(key, (0, 0, 0))[i] for key in {*ours, *theirs}}
        if what == "function":
            settle(left)
        comparison.check("%s by %s" % (column, what), surplus(left, discarded[i], str))
    room = expected["cpu"]["ambiguous"][1] + discarded[1]
    comparison.check("total_ns by " + what, (
        "%s: %d, expected %d to %d" % (key, ours.get(key, (0, 0, 0))[2], value[2], value[2] + room)
        for key, value in theirs.items()
        if key not in skip and not 0 <= ours.get(key, (0, 0, 0))[2] - value[2] <= room))


def levels(rows):
    """{key: (samples, self, total)} of (key, samples, self, total)."""
    table = {}
    for key, *values in rows:
        table[key] = tuple(map(sum, zip(table.get(key, (0, 0, 0)), values)))
    return table


def compare_modules(program, comparison, expected):
    comparison.equal("stacks that perf discarded", discarded_samples(expected)[0], expected["cpu"]["discarded"])
    rows = program.rows("cpu", "--by", "module")
    ours = levels((module(row["module"]), row["samples"], row["self_ns"], row["total_ns"]) for row in rows)
    theirs = levels((module(one[0]), *one[1:]) for one in expected["cpu"]["modules"])
    if expected["cpu"]["completed"]:
        # Callers that perf does not show add to totals, and to nothing else.
        ours, theirs = ({key: (*value[:2], 0) for key, value in side.items() if value[0]} for side in (ours, theirs))
    compare_levels(comparison, "module", ours, theirs, expected)


def fold(rows, key, column):
    table = collections.Counter()
    for row in rows:
        table[key(row)] += row[column]
    return table


def compare_functions(program, comparison, expected, aliases):
    rows = program.rows("cpu", "--by", "function", "--columns", "function,module,samples,self_ns,total_ns")
    ours = levels(((aliases.name(row["function"]), module(row["module"])), row["samples"], row["self_ns"],
                   row["total_ns"]) for row in rows)
    theirs = levels(((aliases.name(one[0]), module(one[1])), *one[2:]) for one in expected["cpu"]["functions"])
    # Totals of addresses without a name can't be added up: each is a function of its own in the program.
    compare_levels(comparison, "function", ours, theirs, expected,
                   {key for key in theirs if key[0] in (AMBIGUOUS, UNKNOWN)})


def compare_folded(program, comparison, aliases, stacks):
    """`export` has the stacks of `cpu --by stack`, maybe below a frame for the process."""
    table, below = collections.Counter(), collections.Counter()
    for line in program.text("export", "--full-names", "--min-share", "0", "--yes", "--metric", "cpu").splitlines():
        frames, _, value = line.rpartition(" ")
        frames = frames.split(";") if frames else []
        table[aliases.stack(frames)] += int(value)
        below[aliases.stack(frames[1:])] += int(value)
    expected = collections.Counter()
    for stack, value in stacks.items():
        expected[tuple(name.replace(";", ":") for name in stack)] += value
    comparison.equal("folded stacks are those of cpu --by stack", expected in (table, below), True)


def compare(program, comparison, expected):
    aliases = Aliases(program.rows("cpu", "--by", "function", "--columns", "function,also"))
    compare_functions(program, comparison, expected, aliases)
    rows = program.rows("cpu", "--by", "stack")
    if expected["cpu"]["stacks"]:
        for column, index in (("samples", 1), ("self_ns", 2)):
            theirs = collections.Counter()
            for one in expected["cpu"]["stacks"]:
                theirs[aliases.stack(name for name, _ in one[0])] += one[index]
            compare_stacks(comparison, "%s by stack" % column,
                           fold(rows, lambda row: aliases.stack(row["stack"]), column), theirs)
    compare_folded(program, comparison, aliases, fold(rows, lambda row: aliases.stack(row["stack"]), "self_ns"))
    if "stacks" in expected["ranges"][0]:
        compare_memory_stacks(program, comparison, expected)


def compare_memory_stacks(program, comparison, expected):
    """Recorded with frame pointers each event has its stack, and what it took is on that to the byte."""
    aliases = Aliases(program.rows("memory", "--by", "function", "--columns", "function,also"))
    rows = program.rows("memory", "--by", "stack")
    for column, name in (("size_bytes", "size"), ("count", "count"), ("at_peak_bytes", "at_peak"),
                         ("freed_bytes", "freed")):
        theirs = collections.Counter()
        for stack, entry in expected["ranges"][0]["stacks"]:
            theirs[aliases.stack(one for one, _ in stack)] += entry[name]
        compare_stacks(comparison, "memory %s by stack" % column,
                       fold(rows, lambda row: aliases.stack(row["stack"]), column), theirs)
    compare_inclusive(program, comparison, expected, aliases)
    compare_own_peaks(program, comparison, expected, aliases)
    compare_module_memory(program, comparison, expected)


def compare_inclusive(program, comparison, expected, aliases):
    """What was asked for with a function anywhere on the stack, once; a frame with any name may be this one."""
    rows = program.rows("memory", "--by", "function")
    for column, name in (("total_size_bytes", "size"), ("total_count", "count"), ("total_at_peak_bytes", "at_peak"),
                         ("total_freed_bytes", "freed")):
        theirs, room = collections.Counter(), 0
        for stack, entry in expected["ranges"][0]["stacks"]:
            functions = {(aliases.name(one), module(where)) for one, where in stack}
            room += entry[name] * any(one == AMBIGUOUS for one, _ in functions)
            for one in functions:
                theirs[one] += entry[name]
        ours = fold(rows, lambda row: (aliases.name(row["function"]), module(row["module"])), column)
        comparison.check("memory %s by function" % column, (
            "%s: %d, expected %d to %d" % (key, ours.get(key, 0), theirs[key], theirs[key] + room)
            for key in {*ours, *theirs} if key[0] not in (AMBIGUOUS, UNKNOWN, TRUNCATED) and
            not 0 <= ours.get(key, 0) - theirs[key] <= room))


def frames_of_stacks(expected, name_of):
    """{what name_of says of a frame: numbers of the stacks that have it}"""
    table = {}
    for number, stack in enumerate(expected["memory_stacks"]):
        for key in {name_of(*frame) for frame in stack}:
            table.setdefault(key, []).append(number)
    return table


def compare_own_peaks(program, comparison, expected, aliases):
    """What was held at most with a function on the stack; by stack, of those that no other is like."""
    changes = curves.by_owner(expected["stack_changes"])
    functions = frames_of_stacks(expected, lambda name, where: (aliases.name(name), module(where)))
    unsure = {number for (name, _), numbers in functions.items() if name == AMBIGUOUS for number in numbers}
    room = curves.peak(curves.joined(changes, unsure))[0]
    rows = single(program.rows("memory", "--by", "function"), lambda row: (aliases.name(row["function"]), module(row["module"])))
    wrong, compared = [], 0
    for key in {*rows, *functions}:
        if key[0] in (AMBIGUOUS, UNKNOWN, TRUNCATED) or rows.get(key, 0) is None:
            continue
        compared += 1
        most, when = curves.peak(curves.joined(changes, functions.get(key, ())))
        ours = (rows[key]["total_peak_bytes"], rows[key]["total_peak_time_ns"]) if key in rows else (0, None)
        if not most <= ours[0] <= most + room or (not room and ours != (most, when)):
            wrong.append("%s: %s, expected %d to %d at %s" % (key, ours, most, most + room, when))
    comparison.check("own peaks of %d functions and what they called" % compared, wrong)

    rows = single(program.rows("memory", "--by", "stack"), lambda row: aliases.stack(row["stack"]))
    stacks = single(enumerate(expected["memory_stacks"]), lambda one: aliases.stack(name for name, _ in one[1]))
    both = [stack for stack in stacks if rows.get(stack) and stacks[stack] and AMBIGUOUS not in stack]
    pairs = [(rows[stack], curves.peak(changes[stacks[stack][0]])) for stack in both]
    comparison.check("own peaks of %d stacks and their moments" % len(pairs), (
        "%s: %d at %s, expected %d at %s" % (";".join(row["stack"]), row["peak_bytes"], row["peak_time_ns"], *expected_peak)
        for row, expected_peak in pairs if (row["peak_bytes"], row["peak_time_ns"]) != expected_peak))


def single(rows, key):
    """{key: row}; of keys that several have None."""
    table = {}
    for row in rows:
        one = key(row)
        table[one] = None if one in table else row
    return table


def memory_of_modules(expected):
    """{module: (size, count, freed, at the peak, own peak, its moment)} of all stacks with code of it, to the byte."""
    changes = curves.by_owner(expected["stack_changes"])
    sums = {frames_of(stack): entry for stack, entry in expected["ranges"][0]["stacks"]}
    table = {}
    for name, numbers in frames_of_stacks(expected, lambda _, where: module(where)).items():
        entries = [sums[frames_of(expected["memory_stacks"][number])] for number in numbers]
        table[name] = (*(sum(entry[column] for entry in entries) for column in ("size", "count", "freed", "at_peak")),
                       *curves.peak(curves.joined(changes, numbers)))
    return table


def frames_of(stack):
    """Of a stack, which JSON has as a list."""
    return tuple(map(tuple, stack))


def module_differences(program, expected):
    """Of the program's rows by module and memory_of_modules(). Files of one name: their sums, not their peaks."""
    columns = ("total_size_bytes", "total_count", "total_freed_bytes", "total_at_peak_bytes")
    rows = program.rows("memory", "--by", "module")
    ours = {}
    for row in rows:
        if any(row[column] for column in columns):
            ours.setdefault(module(row["module"]), []).append(row)
    for name in sorted({*ours, *expected} - {TRUNCATED}):
        same = ours.get(name, [])
        values = [sum(row[column] for row in same) for column in columns]
        if len(same) == 1:
            values += [same[0]["total_peak_bytes"], same[0]["total_peak_time_ns"]]
        if values != list(expected.get(name, (0, 0, 0, 0)))[:len(values)]:
            yield "%s: %s, expected %s" % (name, values, expected.get(name))


def compare_module_memory(program, comparison, expected):
    table = memory_of_modules(expected)
    comparison.check("memory totals and own peaks of %d modules" % len(table), module_differences(program, table))
