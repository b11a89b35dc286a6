"""perf.data as events, by way of perf's own words: `perf script`, line by line.

Copies of a tracepoint that carry stacks have the same name as the plain event. In text they can be distinguished
by this: with the field `ip` perf prints the address of a sample without call chain on the line of the event,
and the chain of others below it. So where the header names a tracepoint more than once, the samples without
an address on their line are copies. (Their number was compared with `perf report --stats`, which counts by
event and not by name.)
"""
import re
import struct
import subprocess

HEAD = re.compile(r" *(-?\d+)/(-?\d+) +(\d+)\.(\d{9}): +(.*)$")
SAMPLE = re.compile(r"(?:(\d+) +)?(\S+?):(?: +(.*))?$")
MAP = re.compile(r"PERF_RECORD_MMAP2? (-?\d+)/(-?\d+): \[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) .*?\]: \S+ .*$")
TASK = re.compile(r"PERF_RECORD_(FORK|EXIT)\((-?\d+):(-?\d+)\):\((-?\d+):(-?\d+)\)")
COMM = re.compile(r"PERF_RECORD_COMM( exec)?: (.*):(-?\d+)/(-?\d+)$")
INLINE_IP = re.compile(r" {2,}[0-9a-f]+$")
FRAME = re.compile(r"\s*([0-9a-f]+) (.*)$")
DUMPED_SAMPLE = re.compile(r"-?\d+ \d+ 0x[0-9a-f]+ \[0x[0-9a-f]+\]: PERF_RECORD_SAMPLE\(.*?\): (-?\d+)/(-?\d+): ")
CHAIN_ENTRY = re.compile(r"\.{5} +\d+: ([0-9a-f]{16})$")
CONTEXT_MAX = -4095 & 0xffffffffffffffff  # PERF_CONTEXT_MAX of perf_event.h: from there on marks, not addresses
CONTEXT_HV = -32 & 0xffffffffffffffff
HEADER_EVENT = re.compile(r"# event : name = ([^,]+), .*?sample_type = ([A-Z_|]+)")

NOT_READ = re.compile(r"Failed to open (.*), continuing without symbols$")
DISCARDED = "invalid callchain context: "

PT_LOAD, PF_X = 1, 1

UNKNOWN = "[unknown]"
AMBIGUOUS = "?"
SYMBOLS = "ip,sym,symoff,dso"
ALL_FRAMES = ["--max-stack", "1024"]


def copied_events(path):
    """Names of the tracepoints that the file has twice or more, once without call chain."""
    header = subprocess.run(["perf", "script", "--header-only", "-i", path], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, check=True, text=True, errors="replace").stdout
    chains = {}
    for name, types in HEADER_EVENT.findall(header):
        chains.setdefault(name, []).append("CALLCHAIN" in types.split("|"))
    return {name for name, chain in chains.items() if len(chain) > 1 and not all(chain)}


def script(path, trace_fields, cpu_fields, more):
    """The lines of perf script, as they come."""
    command = ["perf", "script", "-i", path, "--no-inline", "-F", "trace:" + trace_fields]
    for kind in ("sw", "hw"):
        command += ["-F", kind + ":" + cpu_fields]
    with subprocess.Popen(command + more, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          encoding="utf-8", errors="replace", bufsize=1 << 20) as process:
        yield from process.stdout
    if process.returncode:
        raise SystemExit("perf script failed with exit code %d: %s" % (process.returncode, " ".join(command + more)))


def events(path, trace_fields, cpu_fields, more):
    """As lines: samples, tasks and mappings."""
    return script(path, trace_fields, cpu_fields, ["--ns", "--show-task-events", "--show-mmap-events", *more])


def chains(path):
    """
    For each sample pid, tid and the addresses of its call chain, leaf first: in the text of a frame perf has its place
    in the file alone. None: a frame of a hypervisor. There is none, but a frame pointer that is none may lead to a
    number that is its mark.
    """
    sample, left_out = None, False
    for line in script(path, "pid", "pid", ["-D"]):
        if line[0] == ".":
            entry = CHAIN_ENTRY.match(line)
            if entry:
                number = int(entry.group(1), 16)
                if number < CONTEXT_MAX:
                    sample[2].append(None if left_out else number)
                else:
                    left_out = number == CONTEXT_HV
            continue
        match = DUMPED_SAMPLE.match(line)
        if match:
            if sample:
                yield sample
            sample, left_out = (int(match.group(1)), int(match.group(2)), []), False
    if sample:
        yield sample


def complaints(path):
    """
    Modules whose symbols perf gave up reading, as their file names, and how many CPU samples lost their stack, for a
    number in it that is no address. It says so only with -v, which changes the names as well: a pass of its own.
    """
    command = ["perf", "script", "-v", "-i", path, "--no-inline", "-F", "trace:pid", *ALL_FRAMES]
    for kind in ("sw", "hw"):
        command += ["-F", kind + ":pid,ip"]
    lines = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True, text=True,
                           errors="replace").stderr.splitlines()
    return ({base_name(match.group(1)) for match in map(NOT_READ.match, lines) if match},
            sum(line.startswith(DISCARDED) for line in lines))


def base_name(path):
    """What a module is called: perf names code without a file after a map file that it looks for."""
    if path.endswith(" (deleted)"):
        path = path[:-len(" (deleted)")]
    if re.match(r"/tmp/perf-\d+\.map$", path):
        return "anon"
    return path.rsplit("/", 1)[-1]


def code_of(path):
    """Where in a 64-bit ELF file code is, as (first, last + 1) offsets; None where it can't be read."""
    try:
        with open(path, "rb") as file:
            head = file.read(64)
            if head[:5] != b"\x7fELF\x02":
                return None
            file.seek(struct.unpack_from("<Q", head, 32)[0])
            size, number = struct.unpack_from("<HH", head, 54)
            headers = [struct.unpack("<IIQQQQQQ", file.read(size)[:56]) for _ in range(number)]
    except (OSError, struct.error):
        return None
    return [(offset, offset + length) for kind, flags, offset, _, _, length, _, _ in headers
            if kind == PT_LOAD and flags & PF_X]


class Frames:
    """
    Frames of perf script's text, each parsed once: (name, module, in the kernel, offset is 0). What has no name for
    perf gave up reading the symbols may have any: AMBIGUOUS. And perf has names for data, which numbers of broken
    stacks lead to where a mapping of code was made larger than the code: here that has none.
    """

    def __init__(self, not_read=()):
        self.known, self.not_read, self.code = {}, not_read, {}

    def is_code(self, path, offset):
        if path not in self.code:
            self.code[path] = code_of(path)
        code = self.code[path]
        return code is None or any(first <= offset < end for first, end in code)

    def get(self, line):
        frame = self.known.get(line)
        if frame is None:
            frame = self.known[line] = self.parse(line)
        return frame

    def parse(self, line):
        address, text = FRAME.match(line).groups()
        text = text.rstrip("\n")
        at = text.rfind(" (", 0, -len(" (deleted))") if text.endswith(" (deleted))") else len(text))
        symbol, module = text[:at], text[at + 2:-1]
        offset = None
        plus = symbol.rfind("+0x")
        if plus > 0:
            symbol, offset = symbol[:plus], int(symbol[plus + 3:], 16)
        kernel = len(address) == 16 and address >= "ffff800000000000"
        if offset is not None and not kernel and not self.is_code(module, int(address, 16)):
            symbol = UNKNOWN
        module = base_name(module)
        if symbol == UNKNOWN and module in self.not_read:
            symbol = AMBIGUOUS
        return symbol, module, kernel, offset == 0


def read(lines, on_sample, on_task, with_chains=None):
    """
    on_sample(pid, tid, time, event, period, text, frames): `frames` are (line, address), leaf first.
    on_task(kind, time, *numbers or name): FORK and EXIT with pid, tid, ppid, ptid; COMM with exec, name, pid, tid;
    MAP with pid, tid, first address, length. `with_chains`: what chains() has of the same file; else no address is
    known.
    """
    def finish():
        on_sample(*sample, with_addresses(sample, frames, with_chains))

    sample, frames = None, []
    for line in lines:
        if line[0] == "\t":
            frames.append(line)
            continue
        if sample:
            finish()
            sample, frames = None, []
        match = HEAD.match(line)
        if not match:
            if line.strip():
                raise SystemExit("not understood: " + line)
            continue
        pid, tid, seconds, fraction, rest = match.groups()
        time = int(seconds) * 10**9 + int(fraction)
        if rest.startswith("PERF_RECORD_"):
            read_task(rest, time, on_task)
            continue
        period, event, text = SAMPLE.match(rest).groups()
        sample = (int(pid), int(tid), time, event, int(period or 0), text or "")
    if sample:
        finish()


def with_addresses(sample, lines, with_chains):
    """The frames with their addresses. There are none where perf discarded the stack."""
    if not with_chains:
        return [(line, None) for line in lines]
    pid, tid, addresses = next(with_chains)
    if (pid, tid) != sample[:2] or (lines and len(lines) != len(addresses)):
        raise SystemExit("another sample in perf's dump than in its text: %d/%d %s" % (pid, tid, sample))
    return [(line, address) for line, address in zip(lines, addresses) if address is not None]


def read_task(text, time, on_task):
    match = TASK.match(text)
    if match:
        on_task(match.group(1), time, *map(int, match.groups()[1:]))
        return
    match = MAP.match(text)
    if match:
        pid, tid, start, length = match.groups()
        on_task("MAP", time, int(pid), int(tid), int(start, 16), int(length, 16))
        return
    match = COMM.match(text)
    if match:
        on_task("COMM", time, bool(match.group(1)), match.group(2), int(match.group(3)), int(match.group(4)))
