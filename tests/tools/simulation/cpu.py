"""CPU samples by process, thread, function, module and stack, as perf names the frames.

perf looks a return address up as it is. Where a call ends its function (it does not return) that address is the
next function's first: perf then names the function behind, the program the one that called. Such frames have
the name AMBIGUOUS here, and what is compared leaves room for them.

perf keeps what was mapped before an exec. Where a walk along frame pointers that are none finds a number that was an
address then, perf names code that the process has no more; here nothing is mapped there. Only the place that called
exec is still one of the program before.
"""
from .perf_text import AMBIGUOUS, UNKNOWN


def name_frames(lines, frames, instance, kernel_too=True):
    """(name, module), root first. `lines` with their addresses; `instance` is one of tasks.Tasks."""
    named, above_kernel = [], True
    for i, (line, address) in enumerate(lines):
        name, module, kernel, at_start = frames.get(line)
        # Broken stacks of processes have numbers that look like the kernel's addresses.
        kernel = kernel and above_kernel
        if kernel and not kernel_too:
            continue
        # An interrupted instruction, of the kernel and of the process, is no return address.
        interrupted = i == 0 or (above_kernel and not kernel)
        above_kernel = kernel
        if not kernel and not interrupted and not instance.is_mapped(address):
            name = module = UNKNOWN
        named.append((AMBIGUOUS if at_start and not interrupted else name, module))
    named.reverse()
    return tuple(named)


class Cpu:
    def __init__(self, frames, with_stacks):
        self.frames, self.with_stacks = frames, with_stacks
        self.threads = {}    # (instance, tid): [samples, ns]
        self.stacks = {}     # ((name, module), ...) root first: [samples, ns]
        self.functions = {}  # (name, module): [samples, self ns, total ns]
        self.modules = {}    # module: the same
        self.ambiguous = [0, 0]
        self.total = [0, 0]

    @staticmethod
    def count(table, key, period):
        entry = table.get(key)
        if entry is None:
            entry = table[key] = [0, 0]
        entry[0] += 1
        entry[1] += period

    def sample(self, instance, tid, period, lines):
        self.total[0] += 1
        self.total[1] += period
        self.count(self.threads, (instance.number, tid), period)
        stack = name_frames(lines, self.frames, instance)
        if self.with_stacks:
            self.count(self.stacks, stack, period)
        if any(name == AMBIGUOUS for name, _ in stack):
            self.ambiguous[0] += 1
            self.ambiguous[1] += period
        self.add_levels(self.functions, stack, period)
        self.add_levels(self.modules, [module for _, module in stack], period)

    @staticmethod
    def add_levels(table, keys, period):
        for key in set(keys):
            table.setdefault(key, [0, 0, 0])[2] += period
        if keys:
            leaf = table[keys[-1]]
            leaf[0] += 1
            leaf[1] += period
