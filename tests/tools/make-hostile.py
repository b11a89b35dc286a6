#!/usr/bin/env python3
"""Write a file of which 1 MB or less is stored, and that costs as much as possible to read.

usage: make-hostile.py CASE OUT     (cases: below, at CASES; --list prints them)

OUT is a perf.data, an ETL file, a bundle or the journal of a run; --list says which. tests/suites/limits.sh reads each of
them.
"""
import io
import itertools
import json
import os
import random
import struct
import subprocess
import sys
import zipfile

ID, IP, TID, TIME, CHAIN, CPU, PERIOD, RAW = 1 << 16, 1, 2, 4, 32, 128, 256, 1024
MMAP, COMM, EXIT, FORK, SAMPLE, MMAP2, ROUND, COMPRESSED2 = 1, 3, 4, 7, 9, 10, 68, 83
USER = 2**64 - 512
CALLS = {
    'sys_enter_mmap': ['addr', 'len', 'prot', 'flags', 'fd', 'off'], 'sys_exit_mmap': ['ret'],
    'sys_enter_munmap': ['addr', 'len'], 'sys_enter_madvise': ['start', 'len_in', 'behavior'],
    'sys_enter_mremap': ['addr', 'old_len', 'new_len', 'flags', 'new_addr'], 'sys_exit_mremap': ['ret'],
    'sys_enter_brk': ['brk'], 'sys_exit_brk': ['ret'], 'sys_enter_mprotect': ['start', 'len', 'prot'],
}
BASE = 0x100000000
SIZE = 1000000


class Sparse(list):
    """Parts of a file: bytes, or the length of a hole"""


def padded(text):
    return text + bytes(-len(text) % 8)


class Perf:
    """A perf.data with CPU samples, and calls that change memory, with call chains."""

    def __init__(self, copies=False):
        self.records = bytearray()
        self.copies = copies  # CPU samples have registers and stack bytes
        self.time = 1000  # of all records: what is equal packs well
        self.ids = {name: 10 + i for i, name in enumerate(CALLS)}
        self.cpu_id = 9

    def add(self, kind, body, misc=0):
        self.records += struct.pack('<IHH', kind, misc, len(body) + 8) + body

    def tail(self, pid):
        return struct.pack('<iiQIIQ', pid, pid, self.time, 0, 0, self.cpu_id)

    def repeat(self, times, what):
        """Add the records that `what` adds, so many times."""
        before = len(self.records)
        what()
        self.records += bytes(self.records[before:]) * (times - 1)

    def comm(self, pid, name, by_exec=False, tid=None):
        self.add(COMM, struct.pack('<ii', pid, tid or pid) + padded(name + b'\0') + self.tail(pid), 0x2000 * by_exec)

    def fork(self, pid, ppid, tid=None):
        body = struct.pack('<iiiiQ', pid, ppid, tid or pid, ppid, self.time)
        self.add(FORK, body + self.tail(pid))

    def exit(self, pid, tid=None):
        body = struct.pack('<iiiiQ', pid, 1, tid or pid, 1, self.time)
        self.add(EXIT, body + self.tail(pid))

    def map(self, pid, address, size, path):
        body = struct.pack('<iiQQQ', pid, pid, address, size, 0) + bytes(24) + struct.pack('<II', 5, 2)
        self.add(MMAP2, body + padded(path + b'\0') + self.tail(pid))

    def cpu(self, pid, frames):
        chain = struct.pack('<%dQ' % (len(frames) + 2), len(frames) + 1, USER, *frames)
        self.add(SAMPLE, struct.pack('<QQiiQIIQ', self.cpu_id, frames[0], pid, pid, self.time, 0, 0, 1000) + chain +
                 self.copy(frames[0]), 2)

    def copy(self, ip):
        if not self.copies:
            return b''
        stack = struct.pack('<32Q', *[ip] * 32)
        return struct.pack('<Q20QQ', 2, *[0] * 7, 1 << 40, ip, *[0] * 11, len(stack)) + stack + struct.pack('<Q', len(stack))

    def call(self, name, args, pid, frames=()):
        raw = struct.pack('<HBBiq', 0, 0, 0, pid, 0) + struct.pack('<%dQ' % len(args), *args)
        raw += bytes(-(len(raw) + 4) % 8)
        chain = struct.pack('<%dQ' % (len(frames) + 1), len(frames), *frames)
        body = struct.pack('<QiiQII', self.ids[name], pid, pid, self.time, 0, 0) + chain
        self.add(SAMPLE, body + struct.pack('<I', len(raw)) + raw)

    def mmap(self, pid, address, size, prot=3, frames=()):
        self.call('sys_enter_mmap', [0, size, prot, 0x22, 2**64 - 1, 0], pid, frames)
        self.call('sys_exit_mmap', [address], pid, frames)

    def mremap(self, pid, old, size, new):
        self.call('sys_enter_mremap', [old, size, size, 3, new], pid)
        self.call('sys_exit_mremap', [new], pid)

    def pack(self):
        for level in '-1', '-6':
            packed = subprocess.run(['zstd', '-q', level, '--no-check', '-c'], input=bytes(self.records), check=True,
                                    stdout=subprocess.PIPE).stdout
            if len(packed) < SIZE - 20000:
                break
        self.records = bytearray()
        for i in range(0, len(packed), 60000):
            part = packed[i:i + 60000]
            self.add(COMPRESSED2, struct.pack('<Q', len(part)) + padded(part))

    def attr(self, kind, config, sampled, flags, copies=False):
        fields = struct.pack('<IIQQQQQ', kind, 128, config, 1, sampled | 3 << 12 if copies else sampled, 0, flags) + bytes(32)
        fields += struct.pack('<QII', 0xff0fff, 256, 1) if copies else struct.pack('<QII', 0, 0, 1)
        return fields + bytes(128 - len(fields))

    def tracing(self):
        text = b'\x17\x08\x44tracing0.6\0' + b'\0\x08' + struct.pack('<I', 4096)
        text += b'header_page\0' + bytes(8) + b'header_event\0' + bytes(8)
        text += struct.pack('<II', 0, 1) + b'syscalls\0' + struct.pack('<I', len(CALLS))
        field = '\tfield:%s %s;\toffset:%d;\tsize:%d;\tsigned:0;\n'
        for name, fields in CALLS.items():
            form = 'name: %s\nID: %d\nformat:\n' % (name, 200 + self.ids[name])
            form += field % ('unsigned short', 'common_type', 0, 2) + field % ('int', '__syscall_nr', 8, 4)
            form += ''.join(field % ('unsigned long', f, 16 + 8 * i, 8) for i, f in enumerate(fields))
            form += '\nprint fmt: ""\n'
            text += struct.pack('<Q', len(form)) + form.encode()
        return text + bytes(24)

    def bytes(self, pack=True):
        if pack:
            self.pack()
        common = TID | TIME | CPU | ID
        events = [(self.cpu_id, b'cpu-clock', self.attr(1, 0, common | IP | CHAIN | PERIOD, 1 << 18 | 1 << 10, self.copies))]
        for name, number in self.ids.items():
            events.append((number, b'syscalls:' + name.encode(), self.attr(2, 200 + number, common | RAW | CHAIN, 1 << 18)))
        # The sample id comes first (IDENTIFIER).
        head = 104
        ids_at = head + 144 * len(events)
        attrs = b''.join(a + struct.pack('<QQ', ids_at + 8 * i, 8) for i, (_, _, a) in enumerate(events))
        ids = b''.join(struct.pack('<Q', number) for number, _, _ in events)
        data_at = ids_at + len(ids)
        names = struct.pack('<II', len(events), 128)
        for number, name, attr in events:
            name += bytes(64 - len(name))
            names += attr + struct.pack('<II', 1, 64) + name + struct.pack('<Q', number)
        features = [self.tracing(), names]
        at = data_at + len(self.records) + 16 * len(features)
        places = b''
        for feature in features:
            places += struct.pack('<QQ', at, len(feature))
            at += len(feature)
        header = b'PERFILE2' + struct.pack('<QQQQQQQQQ', head, 144, head, len(attrs), data_at, len(self.records), 0, 0,
                                           1 << 1 | 1 << 12) + bytes(24)
        out = b''.join([header, attrs, ids, bytes(self.records), places, *features])
        # The larger the file, the more may be unpacked of it.
        return out + bytes(max(0, SIZE - len(out)) if pack else 0)


def perf_name():
    """forks that share a name of 60 KB"""
    p = Perf()
    p.comm(10, b'a' * 60000)
    for i in range(10000):
        p.fork(1000 + i, 10)
    p.cpu(10, [0x400100])
    return p.bytes()


def perf_names():
    """names of 60 KB, all different"""
    p = Perf()
    for i in range(2900):
        p.comm(10 + i % 700, b'%d' % i + b'a' * 60000, True)
    p.cpu(10, [0x400100])
    return p.bytes()


def perf_chains():
    """4,000 call chains of 8,000 frames that differ in the outermost"""
    p = Perf()
    p.comm(10, b'a', True)
    p.map(10, 0x400000, 0x10000000, b'/bin/a')
    frames = list(range(0x500000, 0x500000 + 16 * 8000, 16))
    for i in range(4000):
        p.cpu(10, frames + [0x600000 + 16 * i])
    return p.bytes()


def perf_chains_allowed():
    """the same, as many as may be unpacked, in a module with a long name"""
    p = Perf()
    p.comm(10, b'a', True)
    p.map(10, 0x400000, 0x10000000, b'/bin/' + b'a' * 4000)
    frames = list(range(0x500000, 0x500000 + 16 * 8000, 16))
    for i in range(2800):
        p.cpu(10, frames + [0x600000 + 16 * i])
    return p.bytes()


def perf_zeros():
    """compressed records of 200 MB"""
    p = Perf()
    p.comm(10, b'a', True)
    p.repeat(3200, lambda: p.cpu(10, [0x500000] * 8000))
    return p.bytes()


def samples_that_wait(nr):
    """samples of 64 KB, of which each but the last fourth waits for later ones in the file"""
    p = Perf()
    p.comm(10, b'a', True)
    start, at = p.time, len(p.records)
    p.cpu(10, [0x500000] * 8000)
    sample = bytes(p.records[at:])
    del p.records[at:]
    for i in range(nr):
        # The time follows the header, the ids and the address.
        p.records += sample[:32] + struct.pack('<Q', start + i % 4 * nr * 10 + i // 4 * 10) + sample[40:]
    return p


def perf_waiting():
    """560 MB of samples that wait for later ones"""
    return samples_that_wait(8800).bytes()


def perf_waiting_hole():
    """the same with a hole of 34 MB behind it, in place of what makes it larger"""
    p = samples_that_wait(8800)
    p.pack()
    return Sparse([p.bytes(False), 34 << 20])


def perf_processes():
    """as many processes as fit"""
    p = Perf()
    p.comm(10, b'a', True)
    p.time += 10
    p.repeat(2000000, lambda: p.fork(1000, 10))
    return p.bytes()


def perf_processes_hole():
    """the same with a hole of 185 MB behind it"""
    return Sparse([perf_processes(), 185 << 20])


def perf_threads():
    """threads of one process that start and end"""
    p = Perf()
    p.comm(10, b'a', True)
    p.repeat(1000000, lambda: (p.fork(10, 10, 1000), p.exit(10, 1000)))
    return p.bytes()


def process_of_ranges(nr):
    """a process with so many ranges of memory, none next to another"""
    p = Perf()
    p.comm(10, b'a', True)
    for i in range(nr):
        p.mmap(10, BASE + 8192 * i, 4096)
    return p


def perf_forks():
    """children that each change what they share with a parent of many ranges"""
    p = process_of_ranges(60000)
    p.repeat(300000, lambda: (p.fork(100, 10), p.mmap(100, BASE - 16384, 4096), p.exit(100)))
    return p.bytes()


def perf_fork_maps():
    """children of a parent with many mappings of files"""
    p = Perf()
    p.comm(10, b'a', True)
    for i in range(60000):
        p.map(10, BASE + 8192 * i, 4096, b'/a')
    p.repeat(1000000, lambda: (p.fork(100, 10), p.exit(100)))
    return p.bytes()


def perf_moves():
    """mremap of many ranges, to and fro"""
    p = process_of_ranges(60000)
    p.repeat(250000, lambda: (p.mremap(10, BASE, 8192 * 60000, BASE << 1), p.mremap(10, BASE << 1, 8192 * 60000, BASE)))
    return p.bytes()


def perf_purges():
    """madvise over many ranges"""
    p = process_of_ranges(60000)
    p.repeat(1000000, lambda: p.call('sys_enter_madvise', [BASE, 8192 * 60000, 4], 10))
    return p.bytes()


def perf_allows():
    """mprotect over more ranges, all writable already"""
    p = process_of_ranges(200000)
    p.repeat(900000, lambda: p.call('sys_enter_mprotect', [BASE, 8192 * 200000, 3], 10))
    return p.bytes()


def perf_modules():
    """a module for each mapping, with long paths, and a sample in each"""
    p = Perf()
    p.comm(10, b'a', True)
    for i in range(16000):
        p.map(10, BASE + 8192 * i, 4096, b'/%d/' % i + b'a' * 4000)
        p.cpu(10, [BASE + 8192 * i])
    return p.bytes()


def perf_collide():
    """addresses whose frames have the same hash in a table of known hash function"""
    p = Perf()
    p.comm(10, b'a', True)
    p.map(10, 0, 2**64 - 1, b'/bin/a')
    mask = 2**64 - 1
    inverses = [pow(factor, -1, 2**64) for factor in (0xd6e8feb86659fd93, 0x9e3779b97f4a7c15)]
    found = []
    for i in range(1, 40001):
        x = (i << 32 | i) * inverses[0] & mask
        x = (x ^ x >> 32) * inverses[1] & mask
        # The key of a frame is its offset and, 40 bits up, its module; a caller's offset is one below its address.
        found.append((x ^ 1 << 40) + 1 & mask)
    found = [at for at in found if at < 2**64 - 5000]
    for i in range(0, len(found), 7000):
        p.cpu(10, found[i:i + 7000])
    for i in range(1500):
        p.cpu(10, found[-7000:])
    return p.bytes()


def perf_collide_paths():
    """65,000 modules whose paths have one hash of FNV-1a: whichever text of a line each has"""
    texts = '''
        bdS7Z7c+-e4y$;z$2kDH ex^p*-.6!$SC,_g:3ZLL
        Xh7lt3Ucl8K!S4R$*ySf Cd2=hQr$&IXgQVWb;8sZ
        UgnG3-7o3Os:J.HBT8sb ZaiH17TxSXLv^,=DYy3f
        st,oU3G.TgBvM$_Xr$1L nx#8W-t3.8C&WfR:q#Q0
        ^f7eU3io4UGQE,G7F2z: c^4,w5dR.*DwC*B-GSZ6
        FZ.0:2pt&UGwe,r08SXY CR-Q..UQ82DEo.wVMrHU
        T4om1,ET.qDk*&40v9Ob Q0l4;$6i$2E9&$1RgxG^
        .ZakR!Gv.ye!BP&!-Rv* +Bf6^#Ds4*foB25#Rm^.
        U5WsL6e!,CvCaax4l*wU P3*PX.f&&BUI#=G._yOQ
        C4ICbgda.h5X^-uC+,nF N8JFf!gd87Ttv-pA4WfJ
        kNd7J8UG3R^GN,v89t$g vVgtRXFTS1AI6vU*,=,k
        n*JCT1Mq;2P$+mA_Aro. u&GFp7BJ+q3hi-D5F=g*
        sOBX&5.C!2Bt&$!#2_qo huAi*3!N=sCP^*.!1PQk
        f5oiBFEtI$7w3SA#DM6i c3b:BNFq5e89q7J-CBNe
        4x;Yw-J-4sfYk+$2RbGN +d&ny;M8*0gKUw9,3#OR
        jMvU#*25*.kcW&#-*mk3 qsire&W2,_xi9$&7c$;7
    '''
    texts = [line.encode().split() for line in texts.strip().splitlines()]
    p = Perf()
    p.comm(10, b'a', True)
    for i, parts in enumerate(itertools.product(*texts)):
        p.map(10, BASE + 8192 * i, 4096, b'/bin/' + b''.join(parts))
    p.cpu(10, [BASE])
    return p.bytes()


def perf_deep():
    """stacks of growing depth, each with its own row"""
    p = Perf()
    p.comm(10, b'a', True)
    p.map(10, 0x400000, 0x10000000, b'/bin/' + b'a' * 4000)
    frames = [0x500000 + 16 * k for k in range(6500)]
    for i in range(1, 6500):
        p.cpu(10, frames[:i])
    return p.bytes()


def write_elf(sections):
    """Write an ELF file next to OUT, which has `sections`: (name, type, flags, content, link). Returns its path."""
    path = os.path.abspath(sys.argv[2]) + '.elf'
    names, body, heads = b'\0', b'', [bytes(64)]
    for name, kind, flags, content, link in sections + [(b'.shstrtab', 3, 0, None, 0)]:
        at = len(names)
        names += name + b'\0'
        content = names if content is None else content
        heads.append(struct.pack('<IIQQQQIIQQ', at, kind, flags, 0x1000 if flags & 4 else 0, 120 + len(body), len(content),
                                 link, 1, 1, 24 if kind == 2 else 0))
        body += content
    head = b'\x7fELF\2\1\1' + bytes(9) + struct.pack('<HHIQQQIHHHHHH', 3, 62, 1, 0, 64, 120 + len(body), 0, 64, 56, 1, 64,
                                                     len(heads) & 0xffff, len(heads) - 1 & 0xffff)
    load = struct.pack('<IIQQQQQQ', 1, 5, 0, 0, 0, 1 << 28, 1 << 28, 4096)
    with open(path, 'wb') as out:
        out.write(head + load + body + b''.join(heads))
    return path.encode()


CODE = (b'.text', 1, 6, b'\x90' * 16, 0)


def samples_of(path, nr, each=7000):
    """CPU samples at `nr` addresses of a file, 16 bytes apart"""
    p = Perf()
    p.comm(10, b'a', True)
    p.map(10, 0x400000, 1 << 28, path)
    for i in range(0, nr, each):
        p.cpu(10, [0x401004 + 16 * k for k in range(i, min(nr, i + each))])
    return p.bytes()


def symbols(nr, name, size, apart):
    return bytes(24) + b''.join(struct.pack('<IBBHQQ', name(i), 0x12, 0, 1, 0x1000 + apart * i, size) for i in range(nr))


def elf_names():
    """16,000 symbols, each of which has the end of the one before as its name, of 500 KB"""
    table = symbols(16000, lambda i: 1 + 30 * i, 16, 16)
    path = write_elf([CODE, (b'.symtab', 2, 0, table, 3), (b'.strtab', 3, 0, b'\0' + b'a' * 500000 + b'\0', 0)])
    return samples_of(path, 16000)


def elf_overlaps():
    """32,000 symbols, each of which covers the others"""
    table = symbols(32000, lambda i: 1 + i % 30, 1 << 24, 1)
    path = write_elf([CODE, (b'.symtab', 2, 0, table, 3), (b'.strtab', 3, 0, b'\0' + b'a' * 100 + b'\0', 0)])
    return samples_of(path, 400000)


def elf_sections():
    """14,000 sections"""
    path = write_elf([CODE] + [(b'.text', 1, 6, b'', 0)] * 14000)
    return samples_of(path, 1000)


def leb(number):
    out = b''
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def dwarf(abbrevs, dies, others=(), line=b''):
    """Sections of one unit, whose abbreviations begin after that of the unit (1), and whose code is all of the file."""
    unit = b'\1\x11\1' + bytes([0x11, 1, 0x12, 7, 0x10, 0x17, 0x1b, 8, 0, 0])
    info = struct.pack('<HIB', 4, 0, 8) + b'\1' + struct.pack('<QQI', 0, 1 << 28, 0) + b'/d\0' + dies + b'\0'
    files = b'\1\1\xfb\x0e\x0d' + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]) + b'\0' + b'f\0\0\0\0\0'
    head = struct.pack('<HI', 4, len(files)) + files
    line = struct.pack('<I', len(head) + len(line)) + head + line
    return [CODE, (b'.debug_abbrev', 1, 0, unit + abbrevs + b'\0', 0), (b'.debug_line', 1, 0, line, 0),
            (b'.debug_info', 1, 0, struct.pack('<I', len(info)) + info, 0), *others]


FUNCTION = b'\2\x2e\1' + bytes([0x11, 1, 0x12, 7, 3, 8, 0, 0])
A_FUNCTION = b'\2' + struct.pack('<QQ', 0, 1 << 28) + b'f\0'


def dwarf_lines():
    """a line program of a million rows"""
    start = b'\0\x09\2' + struct.pack('<Q', 0x1000)
    return samples_of(write_elf(dwarf(b'', b'', line=start + b'\x20' * 990000)), 30000)


def dwarf_inlines():
    """190,000 inlined functions, each in all of the code"""
    inlined = b'\3\x1d\0' + bytes([0x55, 0x17, 0, 0])
    ranges = (b'.debug_ranges', 1, 0, struct.pack('<QQ', 0, 1 << 28) + bytes(16), 0)
    dies = A_FUNCTION + (b'\3' + bytes(4)) * 190000 + b'\0'
    return samples_of(write_elf(dwarf(FUNCTION + inlined, dies, [ranges])), 100000)


def dwarf_ranges():
    """100,000 inlined functions in 30,000 ranges"""
    inlined = b'\3\x1d\0' + bytes([0x55, 0x17, 0, 0])
    ranges = b''.join(struct.pack('<QQ', 32 * i, 32 * i + 8) for i in range(1, 30000)) + bytes(16)
    dies = A_FUNCTION + (b'\3' + bytes(4)) * 100000 + b'\0'
    return samples_of(write_elf(dwarf(FUNCTION + inlined, dies, [(b'.debug_ranges', 1, 0, ranges, 0)])), 30000)


def dwarf_nesting():
    """900,000 blocks, each within another"""
    block = b'\3\x0b\1\0\0'
    return samples_of(write_elf(dwarf(FUNCTION + block, A_FUNCTION + b'\3' * 900000)), 30000)


def dwarf_attributes():
    """400,000 entries of 250,000 attributes without bytes"""
    wide = b'\3\x0b\0' + b'\x3f\x19' * 250000 + b'\0\0'
    return samples_of(write_elf(dwarf(FUNCTION + wide, A_FUNCTION + b'\3' * 400000)), 30000)


def frames_of(fdes, nr=30000):
    """stack copies at `nr` addresses of a file with `fdes`, of the CIE at 0, as .eh_frame"""
    cie = struct.pack('<IIB', 20, 0, 1) + b'zR\0\1\x78\x10\1\0\x0c\7\x08\x90\1' + bytes(2)
    path = write_elf([CODE, (b'.eh_frame', 1, 2, cie + fdes + bytes(4), 0)])
    p = Perf(True)
    p.comm(10, b'a', True)
    p.map(10, 0x400000, 1 << 28, path)
    for i in range(nr):
        p.cpu(10, [0x401004 + 16 * i])
    return p.bytes()


def fde(at, start, length, ops):
    ops += bytes(-(25 + len(ops)) % 8)
    return struct.pack('<IIQQB', 21 + len(ops), at + 4, start, length, 0) + ops


def frames_states():
    """call frame information of 900,000 states that are remembered, for all addresses"""
    return frames_of(fde(24, 0, 1 << 28, b'\x0a' * 900000), 7000)


def frames_overlaps():
    """30,000 ranges of call frame information that overlap"""
    return frames_of(b''.join(fde(24 + 32 * i, 16 * i, 1 << 27, b'') for i in range(30000)))


def dwarf_units():
    """27,000 units with the lines of one another"""
    line = b'\0\x09\2' + struct.pack('<Q', 0x1000) + b'\x20' * 100000
    sections = dwarf(b'', b'', line=line)
    units = b''.join(struct.pack('<IHIB', 30, 4, 0, 8) + b'\1' +
                     struct.pack('<QQI', 0x1000 + 16 * i, 16, 0) + b'\0\0' for i in range(27000))
    sections[3] = (b'.debug_info', 1, 0, units, 0)
    return samples_of(write_elf(sections), 27000)


EMPTY_MANIFEST = b'{"format_version": 1, "state": "done", "name": "n"}'


def bundle(members, level=9):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED, compresslevel=level) as z:
        for name, content in members.items():
            z.writestr(name, content)
    return out.getvalue()


def rows(nr, line):
    return b''.join(line(i) for i in range(nr))


def zip_rows():
    """600,000 processes"""
    return bundle({'manifest.json': EMPTY_MANIFEST, 'processes.jsonl': rows(600000, lambda i: b'{"pid": 1, "start_ns": 1}\n')})


def zip_rows_of_a_pid():
    """rows of one pid, and a trace with as many processes of it"""
    p = Perf()
    p.repeat(100000, lambda: (p.fork(10, 1), p.exit(10)))
    line = lambda i: b'{"pid": 10, "start_ns": %d, "end_ns": %d}\n' % (i * 10, i * 10 + 5)
    return bundle({'manifest.json': EMPTY_MANIFEST, 'processes.jsonl': rows(100000, line), 'trace.perf.data': p.bytes()})


def zip_wide_rows():
    """processes with many arguments"""
    argv = b'"",' * 9999 + b'""'
    return bundle({'manifest.json': EMPTY_MANIFEST,
                   'processes.jsonl': rows(3000, lambda i: b'{"pid": %d, "start_ns": 1, "argv": [%s]}\n' % (i, argv))})


def zip_chain():
    """processes each of which is the parent of the next"""
    line = lambda i: b'{"pid": %d, "ppid": %d, "start_ns": %d}\n' % (i + 2, i + 1, i)
    return bundle({'manifest.json': EMPTY_MANIFEST, 'processes.jsonl': rows(120000, line)})


def zip_jobs():
    """20,000 compiles: half of them link the others, of which each needs the one before it"""
    p = Perf()
    p.mmap(10, BASE, 4096)

    def line(i):
        argv = ['rustc', '--crate-name', 'a%d' % i, '--extern', 'a=/a%d.rlib' % (min(i, 10000) - 1)]
        return json.dumps({'pid': 10 + i, 'ppid': 1, 'start_ns': 2 * i, 'end_ns': 2 * i + 2, 'role': 'rustc',
                           'crate_type': 'lib' if i < 10000 else 'bin', 'argv': argv}).encode() + b'\n'

    cargo = b'{"pid": 1, "start_ns": 0, "end_ns": 50000, "role": "cargo", "argv": ["cargo", "build", "-j4"]}\n'
    return bundle({'manifest.json': EMPTY_MANIFEST, 'processes.jsonl': cargo + rows(20000, line), 'trace.perf.data': p.bytes()})


def zip_nested():
    """JSON within JSON"""
    deep = b'[' * 2000000
    return bundle({'manifest.json': deep, 'processes.jsonl': b'{"argv": ' + deep + b'\n'})


def zip_trace():
    """a trace with 150 MB of zeros behind its records"""
    p = Perf()
    p.comm(10, b'a', True)
    p.cpu(10, [0x400000])
    return bundle({'manifest.json': EMPTY_MANIFEST, 'processes.jsonl': b'', 'trace.perf.data': p.bytes(False) + bytes(150 << 20)})


def zip_twice():
    """packed records in a packed trace: each would be allowed by itself"""
    p = Perf()
    p.comm(10, b'a', True)
    p.repeat(1000, lambda: p.cpu(10, [0x500000] * 8000))
    p.pack()
    once = bytes(p.records)
    while len(p.records) < 60 << 20 >> 8:
        p.records += once
    return bundle({'manifest.json': EMPTY_MANIFEST, 'processes.jsonl': b'', 'trace.perf.data': p.bytes(False)})


def zip_waiting():
    """samples that wait for later ones, in a trace that the bundle has packed"""
    p = samples_that_wait(7400)
    p.pack()
    noise = random.Random(1).randbytes(700000)
    return bundle({'manifest.json': EMPTY_MANIFEST, 'processes.jsonl': b'',
                   'trace.perf.data': p.bytes(False) + noise + bytes(165 << 20)})


def with_hole(size):
    """A bundle of perf_processes(), which is stored, and a hole before the list of its members"""
    members = {'manifest.json': EMPTY_MANIFEST, 'processes.jsonl': b'', 'trace.perf.data': perf_processes()}
    content = bytearray(bundle(members, 0))
    at, = struct.unpack_from('<I', content, len(content) - 6)
    struct.pack_into('<I', content, len(content) - 6, at + size)
    return Sparse([content[:at], size, content[at:]])


def zip_hole():
    """a bundle with a hole of 3 GB"""
    return with_hole(3 << 30)


def zip_small_hole():
    """a bundle with a hole of 150 MB"""
    return with_hole(150 << 20)


def zip_trace_hole():
    """a trace with 400 MB of zeros, whose compressed size is a hole of 64 MB"""
    p = Perf()
    p.comm(10, b'a', True)
    p.cpu(10, [0x400000])
    content = bytearray(bundle({'manifest.json': EMPTY_MANIFEST, 'processes.jsonl': b'', 'trace.perf.data': p.bytes(False) + bytes(400 << 20)}))
    hole = 64 << 20
    at, = struct.unpack_from('<I', content, len(content) - 6)
    struct.pack_into('<I', content, len(content) - 6, at + hole)
    for mark, place in (b'PK\3\4', 18), (b'PK\1\2', 20):
        header = content.rindex(mark)
        size, = struct.unpack_from('<I', content, header + place)
        struct.pack_into('<I', content, header + place, size + hole)
    return Sparse([content[:at], hole, content[at:]])


def zip_symbols():
    """kept names without end"""
    text = b'stagetrace symbols 1\n' + b'module /bin/a\n' + b'0 1 f\n' * 14000000
    return bundle({'manifest.json': EMPTY_MANIFEST, 'processes.jsonl': b'', 'symbols/functions.txt': text,
                   'symbols/modules.txt': text, 'trace.perf.data': perf_modules()})


def zip_traces():
    """20 traces of 24 MB, each of which would be allowed by itself"""
    content = open(sys.path[0] + '/../data/etl/SelfDescribingSingleEvent.etl', 'rb').read() + bytes(24 << 20)
    return bundle({'%d.etl' % i: content for i in range(20)})


def zip_members():
    """members by the thousands"""
    members = {'manifest.json': EMPTY_MANIFEST, 'processes.jsonl': b''}
    members.update({'%d' % i: b'' for i in range(9000)})
    return bundle(members)


def process_event(kind, time, pid, **more):
    return json.dumps({'event': kind, 'time_ns': time, 'pid': pid, **more}, separators=(',', ':')).encode() + b'\n'


def forks(nr, time=2):
    return b''.join(process_event('fork', time, 1000 + i, ppid=10) for i in range(nr))


def journal_forks():
    """10,000 forks of a process with a command line of 400 KB"""
    return process_event('exec', 1, 10, argv=['x', 'A' * 400000]) + forks(10000)


def journal_crate():
    """the same of one that compiles a crate with a name of 400 KB"""
    return process_event('exec', 1, 10, exe='/b/rustc', argv=['rustc', '--crate-name', 'A' * 400000, 'x.rs']) + forks(10000)


def journal_execs():
    """a process that runs 19,000 programs"""
    return b''.join(process_event('exec', i, 10, argv=['a']) for i in range(19000))


def journal_execs_forks():
    """forks of a process before it ran 9,000 programs"""
    return b''.join(process_event('exec', 10 + i, 10, argv=['a']) for i in range(9000)) + forks(10000, 1)


def journal_execs_dir():
    """7,000 programs of a process with long directories"""
    directory = 'a/' * 120000
    return b''.join(process_event('exec', i, 10, argv=['rustc', 'a.rs']) for i in range(7000)) + process_event(
        'exec', 9999, 10, argv=['rustc', 'a.rs'], cwd=directory, env={'CARGO_TARGET_DIR': directory})


def journal_responses():
    """a response file of 300 KB that is named 100,000 times"""
    return process_event('exec', 1, 10, argv=['@f'] * 100000, responses=['f', 'A' * 300000 + '\n'])


def journal_responses_many():
    """60,000 response files of the same name"""
    return process_event('exec', 1, 10, argv=['@f'] * 100000, responses=['f', ''] * 60000)


def journal_nested():
    """JSON within JSON"""
    return b'[' * SIZE


def etl_event(group, kind, version, time, payload):
    size = 16 + len(payload)
    event = struct.pack('<HBBHBBQ', version, 0x11, 0xc0, size, kind, group, time) + payload
    return event + bytes(-size % 8)


def etl_match(unit, size):
    """`unit` again and again as XPRESS: its bytes, then one match of all that follows"""
    items = [bytes([byte]) for byte in unit]
    items.append(struct.pack('<H', (len(unit) - 1) << 3 | 7) + b'\x0f\xff\0\0' + struct.pack('<I', size - len(unit) - 3))
    out = b''
    for i in range(0, len(items), 32):
        part = items[i:i + 32]
        flags = sum(1 << (31 - k) for k, item in enumerate(part) if len(item) > 1)
        out += struct.pack('<I', flags) + b''.join(part)
    return out


def etl_buffer(body, filled, number, packed):
    header = bytearray(72)
    struct.pack_into('<I', header, 0, 72 + len(body))
    struct.pack_into('<Q', header, 0x18, number)
    struct.pack_into('<I', header, 0x2c, 3)
    struct.pack_into('<IH', header, 0x30, 72 + filled, 0x60 if packed else 0x20)
    return bytes(header) + body


def etl(plain, repeated, times):
    """`plain`: events; `repeated`: one that three buffers of 16 MB have again and again"""
    head = bytearray(open(sys.path[0] + '/../data/etl/SelfDescribingSingleEvent.etl', 'rb').read()[:1024])
    out = bytes(head)
    if plain:
        out += etl_buffer(plain, len(plain), 1, False)
    for i in range(times):
        size = (16 << 20) - 72
        size -= size % len(repeated)
        out += etl_buffer(etl_match(repeated, size), size, 2 + i, True)
    return out


def etl_time():
    data = open(sys.path[0] + '/../data/etl/SelfDescribingSingleEvent.etl', 'rb').read(1024)
    return struct.unpack_from('<Q', data, 88)[0] + 1000


def etl_call(kind, time, address, size, flags):
    return etl_event(2, kind, 2, time, struct.pack('<QQII', address, size, 8, flags))


def etl_decommits():
    """a million decommits over 20,000 ranges"""
    time = etl_time()
    plain = b''.join(etl_call(98, time + i, BASE + 0x2000 * i, 0x1000, 0x1000) for i in range(20000))
    return etl(plain, etl_call(99, time + 30000, BASE, 0x2000 * 20000, 0x4000), 3)


def etl_commits():
    """a million commits of 20,000 ranges that are committed already"""
    time = etl_time()
    plain = b''.join(etl_call(98, time + i, BASE + 0x2000 * i, 0x1000, 0x1000) for i in range(20000))
    return etl(plain, etl_call(98, time + 30000, BASE, 0x2000 * 20000, 0x1000), 3)


def etl_processes():
    """a million starts of one process"""
    time = etl_time()
    body = struct.pack('<QIIIIQI', 1, 8, 4, 0, 0, 0, 0) + bytes(16) + b'a\0' + b'\0\0'
    return etl(b'', etl_event(3, 1, 4, time, body), 3)


def etl_threads():
    """a million starts of one thread"""
    return etl(b'', etl_event(5, 1, 2, etl_time(), struct.pack('<II', 8, 12)), 3)


def etl_images():
    """a million loads of one image"""
    body = struct.pack('<QQII', BASE, 0x1000, 8, 0) + bytes(32) + '\\a\0'.encode('utf-16le')
    return etl(b'', etl_event(20, 10, 3, etl_time(), body), 3)


PDB_PAGE = 1024
IMAGE = 0x400000
IMAGE_ID = bytes.fromhex('d775e6b35425184f830b2762732560de')


def etl_image(time, base, size, pdb, age=0):
    """the load of an image whose PDB is at the path `pdb`"""
    image = struct.pack('<QQIIII', base, size, 8, 0, 0, 0) + bytes(24) + 'C:\\a.exe\0'.encode('utf-16le')
    rsds = struct.pack('<QI', base, 8) + b'\1' * 16 + struct.pack('<I', age) + pdb + b'\0'
    size = 48 + len(rsds)
    return etl_event(20, 10, 3, time, image) + \
        struct.pack('<HBBBBHIIQ', size, 0x14, 0xc0, 36, 0, 2, 12, 8, time) + IMAGE_ID + bytes(8) + rsds + bytes(-size % 8)


def etl_samples(time, images, addresses):
    """CPU samples of a thread, with stacks of the addresses"""
    out = images + etl_event(5, 1, 2, time, struct.pack('<II', 8, 12))
    for i in range(0, len(addresses), 190):
        time += 10
        out += etl_event(15, 46, 2, time, struct.pack('<QIHH', addresses[i], 12, 1, 0))
        frames = addresses[i:i + 190]
        out += etl_event(24, 32, 2, time + 1, struct.pack('<QII%dQ' % len(frames), time, 8, 12, *frames))
    return etl(out, b'', 0)


def etl_image_of(pdb, addresses):
    """the same, in one image"""
    time = etl_time()
    return etl_samples(time, etl_image(time, IMAGE, 1 << 30, pdb), addresses)


def record(kind, content):
    content += bytes(-len(content) % 4)
    return struct.pack('<HH', len(content) + 2, kind) + content


def pdb_table(kind, content):
    return struct.pack('<II', kind, len(content)) + content + bytes(-len(content) % 4)


def write_pdb(symbols=b'', tables=b'', ids=(), names=b'', modules=1, omap=b'', piece=1 << 28):
    """
    A PDB next to the output, whose modules have all the same records and lines, and `piece` bytes of code each. Returns
    its path.
    """
    path = os.path.abspath(sys.argv[2]) + '.pdb'
    symbols = struct.pack('<I', 4) + symbols
    section = b'.text\0\0\0' + struct.pack('<II', 1 << 28, 0) + bytes(20) + struct.pack('<I', 0x60000020)
    ids = b''.join(ids)
    types = lambda content: struct.pack('<IIIIIHH', 20040203, 56, 0x1000, 1 << 28, len(content), 0xffff, 0xffff) + \
        bytes(32) + content
    info = struct.pack('<III', 20000404, 0, 0) + b'\1' * 16 + struct.pack('<I', 7) + b'/names\0' + \
        struct.pack('<IIIIIII', 1, 1, 1, 1, 0, 0, 6)
    units, pieces = b'', struct.pack('<I', 0xeffe0000 + 19970605)
    for i in range(modules):
        units += bytes(34) + struct.pack('<HIII', 5, len(symbols), 0, len(tables)) + bytes(16) + b'm\0o\0'
        pieces += struct.pack('<IIIIIII', 1, piece * i, piece, 0, i, 0, 0)
    debug = [0xffff] * 11
    debug[5] = 7
    if omap:
        debug[3], debug[10] = 8, 7
    dbi = struct.pack('<IIIHHHHHHII', 0xffffffff, 19990903, 0, 0xffff, 0, 0xffff, 0, 0xffff, 0, len(units), len(pieces))
    dbi += bytes(16) + struct.pack('<IIHHI', 22, 0, 0, 0x8664, 0) + units + pieces + struct.pack('<11H', *debug)
    streams = [b'', info, types(b''), dbi, types(ids), symbols + tables,
               struct.pack('<III', 0xeffeeffe, 1, len(names)) + names, section, omap]
    pages, lists = [b''], b''

    def add(content):
        numbers = b''
        for at in range(0, len(content), PDB_PAGE):
            numbers += struct.pack('<I', len(pages))
            pages.append(content[at:at + PDB_PAGE].ljust(PDB_PAGE, b'\0'))
        return numbers

    for stream in streams:
        lists += add(stream)
    directory = struct.pack('<I%dI' % len(streams), len(streams), *[len(stream) for stream in streams]) + lists
    places = add(add(directory))
    head = b'Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0'
    head += struct.pack('<IIIII', PDB_PAGE, 1, len(pages), len(directory), 0) + places
    pages[0] = head.ljust(PDB_PAGE, b'\0')
    with open(path, 'wb') as out:
        out.write(b''.join(pages))
    return path.encode()


def addresses(nr, apart=16):
    return [IMAGE + apart * i for i in range(nr)]


def procedure(start, length):
    return record(0x1110, bytes(12) + struct.pack('<I', length) + bytes(12) + struct.pack('<IHB', start, 1, 0) + b'f\0')


def site(number, program):
    """An inlined function: `number` is that of its id"""
    return record(0x114d, struct.pack('<III', 0, 0, number) + program)


ALL_CODE = bytes([1, 0, 4, 0xcf, 0xff, 0xff, 0xff])  # from 0 on, 256 MB
END = record(0x114e, b'')


def zip_dirs():
    """a compiler in each of 60,000 directories, where the PDBs of 4,000 images may be"""
    time = etl_time()
    images = b''.join(etl_image(time, IMAGE + 4096 * i, 4096, b'C:\\a.pdb', i) for i in range(4000))
    trace = etl_samples(time, images, addresses(4000, 4096))
    line = lambda i: b'{"pid": %d, "start_ns": 1, "role": "rustc", "exe": "/%d/rustc"}\n' % (i, i)
    return bundle({'manifest.json': EMPTY_MANIFEST, 'processes.jsonl': rows(60000, line), 'trace.etl': trace})


def pdb_sites():
    """200 functions, of which each was inlined 16,000 times in all of the code"""
    return etl_image_of(write_pdb(procedure(0, 1 << 28) + (site(1, ALL_CODE * 580) + END) * 200), addresses(90000))


def pdb_nested():
    """120 functions inlined in one another, all in all of the code"""
    symbols = procedure(0, 1 << 28) + site(0x1000, ALL_CODE) * 120
    return etl_image_of(write_pdb(symbols, ids=[record(0x1601, bytes(8) + b'f\0')]), addresses(90000))


def pdb_procedures():
    """9,000 procedures without an end, before inlined functions"""
    symbols = b''.join(procedure(16 * i, 16) for i in range(9000)) + site(1, b'\3\0' * 8000) * 30
    return etl_image_of(write_pdb(symbols), addresses(9000))


def pdb_modules():
    """4,000 modules with the same 60,000 lines"""
    lines = struct.pack('<IHHI', 0, 1, 0, 1 << 28) + struct.pack('<III', 0, 60000, 12 + 480000)
    lines += b''.join(struct.pack('<II', 60000 - i, 5) for i in range(60000))
    return etl_image_of(write_pdb(tables=pdb_table(0xf2, lines), modules=4000, piece=16), addresses(4000))


def pdb_imports():
    """40 functions of another module, the last of 2,000 from which functions were inlined, in all of the code"""
    imports = struct.pack('<II', 0, 0) * 2000 + struct.pack('<III', 0, 1, 1)
    symbols = procedure(0, 1 << 28) + site(0x80000000 | 2000 << 20, ALL_CODE) * 40
    return etl_image_of(write_pdb(symbols, pdb_table(0xf7, imports), names=b'a' * 4000 + b'\0'), addresses(90000))


def pdb_paths():
    """lines of 30,000 files, each of which has the end of the path before as its path"""
    lines = struct.pack('<IHHI', 0, 1, 0, 1 << 28)
    lines += b''.join(struct.pack('<IIIII', 4 * i, 1, 20, 16 * i, 5) for i in range(30000))
    files = b''.join(struct.pack('<I', i) for i in range(30000))
    return etl_image_of(write_pdb(tables=pdb_table(0xf4, files) + pdb_table(0xf2, lines), names=b'a' * 60000 + b'\0'),
                        addresses(30000))


def pdb_ids():
    """15,000 inlined functions in a scope with a name of 60 KB"""
    ids = [record(0x1605, bytes(4) + b'a' * 60000 + b'\0')]
    ids += [record(0x1601, struct.pack('<II', 0x1000, 0) + b'%d\0' % i) for i in range(15000)]
    place = lambda at: struct.pack('>BIB', 3, 0xc0000000 | at, 4) + b'\x10'
    symbols = b''.join(site(0x1001 + i, place(16 * i)) + END for i in range(15000))
    return etl_image_of(write_pdb(procedure(0, 1 << 28) + symbols, ids=ids), addresses(15000))


def pdb_same_line():
    """an image reordered after the link: 60,000 addresses were at one place, which has 40,000 lines"""
    lines = struct.pack('<IHHI', 0, 1, 0, 1 << 28) + struct.pack('<III', 0, 40000, 12 + 320000)
    lines += struct.pack('<II', 15, 5) * 40000
    omap = b''.join(struct.pack('<II', 16 * i, 0 if i == 0 else 1) for i in range(60000))
    return etl_image_of(write_pdb(tables=pdb_table(0xf2, lines), omap=omap), [at - 1 for at in addresses(60000)])


def zip_kinds():
    """events of 110,000 kinds"""
    time = etl_time()
    events = [etl_event(group, kind, 0, time, b'') for group in range(80, 256) for kind in range(256)]
    for number in range(65536):
        event = struct.pack('<HBBHHIIQ', 80, 19, 0xc0, 0, 0, 8, 8, time) + b'\x11' * 16
        events.append(event + struct.pack('<HBBBBHQQ', number, 0, 0, 0, 0, 0, 0, 0) + bytes(16))
    return bundle({'trace.etl': etl(b''.join(events), b'', 0)})


CASES = {name.replace('_', '-'): make for name, make in globals().copy().items()
         if name.split('_')[0] in ('perf', 'elf', 'dwarf', 'frames', 'etl', 'pdb', 'zip', 'journal') and '_' in name and callable(make) and
         name not in ('etl_event', 'etl_match', 'etl_buffer', 'etl_time', 'etl_call', 'etl_image', 'etl_image_of', 'etl_samples', 'frames_of', 'pdb_table')}


def main():
    if sys.argv[1:] == ['--list']:
        for name, make in CASES.items():
            print('%-20s %s' % (name, make.__doc__))
        return
    if len(sys.argv) != 3 or sys.argv[1] not in CASES:
        sys.exit(__doc__)
    content = CASES[sys.argv[1]]()
    with open(sys.argv[2], 'wb') as out:
        for part in content if isinstance(content, Sparse) else [content]:
            if isinstance(part, int):
                out.seek(part, 1)
            else:
                out.write(part)
        out.truncate()


main()
