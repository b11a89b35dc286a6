#!/usr/bin/env python3
"""Print a trace of the stand-ins or of the tests' writer, one event per line: read-etl.py [--counts] FILE.

It shares no code with the writer, and fails if the file is not consistent. --counts: print the number of events of each
kind.
"""
import collections
import struct
import sys

GUIDS = {
    "b4bf1dce7e13a64d87b03f59aa102cbc": "perfinfo",
    "d775e6b35425184f830b2762732560de": "imageid",
    "91ee799bfdb5c041a2434248e266e9d0": "sysconfig",
}
where = sys.argv[-1]


def need(condition, what):
    if not condition:
        sys.exit("%s: %s" % (where, what))


def utf16(data):
    end = 0
    while data[end:end + 2] != b"\0\0":
        need(end + 2 <= len(data), "text without an end")
        end += 2
    return data[:end].decode("utf-16-le"), data[end + 2:]


def text8(data):
    need(b"\0" in data, "text without an end")
    text, _, rest = data.partition(b"\0")
    return text.decode(), rest


def unpack(data, size):
    """Plain XPRESS, [MS-XCA] 2.4."""
    out, at, nibble_at = bytearray(), 0, None
    flags, left = 0, 0
    while len(out) < size:
        if not left:
            flags, = struct.unpack_from("<I", data, at)
            at, left = at + 4, 32
        left -= 1
        if not flags >> left & 1:
            out.append(data[at])
            at += 1
            continue
        match, = struct.unpack_from("<H", data, at)
        at += 2
        length, distance = match & 7, (match >> 3) + 1
        if length == 7:
            if nibble_at is None:
                nibble_at = at
                length = data[at] & 15
                at += 1
            else:
                length = data[nibble_at] >> 4
                nibble_at = None
            if length == 15:
                length = data[at]
                at += 1
                if length == 255:
                    length, = struct.unpack_from("<H", data, at)
                    at += 2
                    need(length >= 22, "bad length of a match")
                    length -= 22
                length += 15
            length += 7
        need(distance <= len(out), "a match before the start")
        for _ in range(length + 3):
            out.append(out[-distance])
    need(len(out) == size, "unpacked to more than it says")
    return bytes(out)


def show_header(payload, count, buffer_size):
    size, version = struct.unpack_from("<II", payload)
    written, pointer, lost = struct.unpack_from("<I4xII", payload, 36)
    mode, = struct.unpack_from("<I", payload, 32)
    need(size == buffer_size and pointer == 8, "bad header event")
    need(version == (0x0002000A if mode & 0x04000000 else 0x0501000A), "bad version")
    need(written == count, "%d buffers, and the header says %d" % (count, written))
    frequency, start, clock, lost_buffers = struct.unpack_from("<QQII", payload, 0x100)
    need(frequency >= 10000000 and clock == 1 and start >= 116444736000000000, "bad clock")
    session, rest = utf16(payload[0x118:])
    yield "header build=%d lost=%d%s session=%s file=%s" % (
        struct.unpack_from("<I", payload, 8)[0], lost, " buffers=%d" % lost_buffers if lost_buffers else "",
        session, utf16(rest)[0])


def show_process(opcode, payload):
    pid, parent, session, status = struct.unpack_from("<IIII", payload, 8)
    need(payload[52] == 1 and payload[53] == 1, "bad SID")
    need(opcode == 2 or status == 0x103, "a status before the end")
    name, rest = text8(payload[64:])
    command, rest = utf16(rest)
    need(utf16(utf16(rest)[1])[1] == b"", "bad end of a process")
    return "process %d parent=%s %s %s" % (opcode, parent == 4, name, command)


def show_thread(opcode, payload):
    pid, tid = struct.unpack_from("<II", payload)
    if opcode == 72:
        return "thread-name %d %d %s" % (pid, tid, utf16(payload[8:])[0])
    name, rest = utf16(payload[72:])
    need(rest == b"", "bad end of a thread")
    return "thread %d %d %d %s" % (opcode, pid, tid, name)


def show_image(opcode, payload):
    base, size, pid = struct.unpack_from("<QQI", payload)
    need(size, "an empty image")
    path, rest = utf16(payload[56:])
    need(rest == b"", "bad end of an image")
    return "image %d %d %x+%x %s" % (opcode, pid, base, size, path)


def show_image_id(opcode, payload):
    if opcode == 36:
        base, pid = struct.unpack_from("<QI", payload)
        age, = struct.unpack_from("<I", payload, 28)
        return "pdb %d %x %s %x %s" % (pid, base, payload[12:28].hex(), age, text8(payload[32:])[0])
    base, size, pid, stamp = struct.unpack_from("<QQII", payload)
    return "image-id %d %x+%x %x %s" % (pid, base, size, stamp, utf16(payload[24:])[0])


def show_stack(opcode, payload):
    if opcode in (34, 35, 36):
        key, = struct.unpack_from("<Q", payload)
        rest, text = payload[8:], "key %d %x" % (opcode, key)
    else:
        stamp, pid, tid = struct.unpack_from("<QII", payload)
        rest, text = payload[16:], "stack %d @%d %d/%d" % (opcode, stamp, pid, tid)
    need(len(rest) % 8 == 0, "a cut address")
    return text + "".join(" %x" % address for address, in struct.iter_unpack("<Q", rest))


def show_memory(opcode, payload):
    need(len(payload) == 24, "bad VirtualAlloc")
    base, size, pid, flags = struct.unpack("<QQII", payload)
    need(size, "VirtualAlloc of nothing")
    return "%s %d %x+%x %x" % ({98: "alloc", 99: "free"}[opcode], pid, base, size, flags)


def show_perfinfo(opcode, payload):
    if opcode == 46:
        address, tid, count, flags = struct.unpack("<QIHH", payload)
        need(count == 1, "a sample that counts more than once")
        return "sample %d %x" % (tid, address)
    need(opcode in (72, 73, 74), "unknown event of the profiler")
    return "interval %d %d" % (opcode, struct.unpack_from("<I", payload, 4)[0])


def show_sysconfig(opcode, payload):
    if opcode == 32:
        lab, rest = utf16(payload[8:])
        return "build %s, %s" % (lab, utf16(rest)[0])
    need(opcode == 35, "unknown event of the system")
    device, rest = utf16(payload)
    return "volume %s %s" % (device, utf16(rest)[0])


def show_heap(opcode, payload):
    need(opcode in (32, 33, 36) and len(payload) == 8 * {32: 1, 33: 3, 36: 2}[opcode] + 4, "bad call of a heap")
    return "heap %d" % opcode + "".join(" %x" % field for field, in struct.iter_unpack("<Q", payload[:-4]))


def show_snapshot(event):
    need(event[24:40].hex() == "fa2a1d90f64fd7468d0e53645e1a47f5", "unknown provider")
    pid, time = struct.unpack_from("<IQ", event, 12)
    number, version = struct.unpack_from("<HB", event, 40)
    instance, second = struct.unpack_from("<II", event, 80)
    need(version == 1 and number in (100, 200), "unknown event of heap snapshots")
    if number == 100:
        need(struct.unpack_from("<I", event, 88)[0] == len(event) - 92, "bad part of a heap snapshot")
        return time, ["heap-snapshot %d %d part %d of %d" % (pid, instance, second, len(event) - 92)]
    return time, ["heap-snapshot %d %d total %d" % (pid, instance, second)]


GROUPS = {16: show_heap, 2: show_memory, 5: show_thread, 15: show_perfinfo, 20: show_image, 24: show_stack}


def show_event(event, count, buffer_size):
    kind, typed = event[2], event[3]
    need(typed == 0xC0, "untyped event")
    if kind == 20:
        provider, payload = GUIDS.get(event[24:40].hex()), event[48:]
        need(provider, "unknown provider")
        if provider == "imageid":
            return struct.unpack_from("<Q", event, 16)[0], [show_image_id(event[4], payload)]
        if provider == "sysconfig":
            return struct.unpack_from("<Q", event, 16)[0], [show_sysconfig(event[4], payload)]
        need(event[4] == 34, "bad mark")
        return struct.unpack_from("<Q", event, 16)[0], ["mark " + payload.rstrip(b"\0").decode()]
    if kind == 19:
        return show_snapshot(event)
    need(kind in (2, 17), "unknown kind of header")
    opcode, group = event[6], event[7]
    payload, time = event[32:] if kind == 2 else event[16:], 16 if kind == 2 else 8
    time, = struct.unpack_from("<Q", event, time)
    if (group, opcode) == (0, 0):
        return time, show_header(payload, count, buffer_size)
    if group == 0:
        need(opcode in (5, 32) and len(payload) == 36, "bad masks")
        return time, ["masks %d %s" % (opcode, " ".join("%x" % m for m in struct.unpack("<8I", payload[:32])))]
    if group == 3:
        return time, [show_image(opcode, payload) if opcode == 10 else show_process(opcode, payload)]
    need(group in GROUPS, "unknown event")
    return time, [GROUPS[group](opcode, payload)]


def find_buffers(data):
    buffers, at = [], 0
    while at < len(data):
        need(at + 72 <= len(data), "not whole buffers")
        size, = struct.unpack_from("<I", data, at)
        need(72 < size <= len(data) - at, "bad size of a buffer")
        buffers.append(data[at:at + size])
        at += size
    return buffers


def open_buffer(buffer, number, usual):
    size, saved = struct.unpack_from("<II", buffer)
    filled, flags, kind = struct.unpack_from("<IHH", buffer, 0x30)
    need(filled == saved and filled > 72, "bad buffer")
    need(struct.unpack_from("<Q", buffer, 0x18)[0] == number, "bad sequence")
    need(kind == (4 if number == 0 else 0) and flags in (0x20, 0x60), "bad kind of buffer")
    if flags == 0x60:
        return buffer[:72] + unpack(buffer[72:], filled - 72), filled
    need(size == usual and filled <= size, "bad size of a buffer")
    need(set(buffer[filled:]) <= {0xFF}, "bad rest of a buffer")
    return buffer, filled


def main():
    with open(where, "rb") as file:
        buffers = find_buffers(file.read())
    need(buffers, "not whole buffers")
    usual, = struct.unpack_from("<I", buffers[0])
    counts = collections.Counter()
    last = collections.defaultdict(int)
    for number, buffer in enumerate(buffers):
        buffer, filled = open_buffer(buffer, number, usual)
        cpu, = struct.unpack_from("<H", buffer, 0x28)
        at = 72
        while at < filled:
            length, = struct.unpack_from("<H", buffer, at if buffer[at + 2] in (19, 20) else at + 4)
            need(length and at + length <= filled, "bad event")
            time, lines = show_event(buffer[at:at + length], len(buffers), usual)
            need(time >= last[cpu], "time goes back on processor %d" % cpu)
            last[cpu] = time
            for line in lines:
                if "--counts" in sys.argv:
                    words = line.split()
                    counts[" ".join(words[:2]) if words[0] in ("process", "thread", "image", "interval", "stack", "key")
                           else words[0]] += 1
                else:
                    print(line)
            at += (length + 7) // 8 * 8
    for what, count in sorted(counts.items()):
        print("%-14s %d" % (what, count))


main()
