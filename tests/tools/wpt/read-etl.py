#!/usr/bin/env python3
"""What a trace of the stand-ins says, one event a line: read-etl.py FILE.

It shares nothing with their writer but the format, and fails on what does not hold together.
"""
import struct
import sys


def need(condition, what):
    if not condition:
        sys.exit("%s: %s" % (sys.argv[1], what))


def utf16(data):
    end = 0
    while data[end:end + 2] != b"\0\0":
        need(end + 2 <= len(data), "text without an end")
        end += 2
    return data[:end].decode("utf-16-le"), data[end + 2:]


def show_header(payload, count):
    size, version = struct.unpack_from("<II", payload)
    written, pointer, lost = struct.unpack_from("<I4xII", payload, 36)
    need(size == 8192 and version == 0x0501000A and pointer == 8, "bad header event")
    need(written == count, "%d buffers, and the header says %d" % (count, written))
    frequency, start, clock = struct.unpack_from("<QQI", payload, 0x100)
    need(frequency == 10000000 and clock == 1 and start > 125911584000000000, "bad clock")
    session, rest = utf16(payload[0x118:])
    print("header build=%d lost=%d session=%s file=%s"
          % (struct.unpack_from("<I", payload, 8)[0], lost, session, utf16(rest)[0]))


def show_process(opcode, payload):
    pid, parent = struct.unpack_from("<II", payload, 8)
    need(payload[52] == 1 and payload[53] == 1, "bad SID")
    name, _, rest = payload[64:].partition(b"\0")
    command, rest = utf16(rest)
    need(utf16(utf16(rest)[1])[1] == b"", "bad end of a process")
    print("process %d parent=%s %s %s" % (opcode, parent == 4, name.decode(), command))


def show_event(event, count):
    kind, typed = event[2], event[3]
    need(typed == 0xC0, "untyped event")
    if kind == 20:
        need(event[24:40].hex() == "b4bf1dce7e13a64d87b03f59aa102cbc" and event[4] == 34, "bad mark")
        print("mark " + event[48:].rstrip(b"\0").decode())
        return
    opcode, group = event[6], event[7]
    if (kind, group, opcode) == (2, 0, 0):
        show_header(event[32:], count)
    elif (kind, group) == (2, 3):
        show_process(opcode, event[32:])
    elif (kind, group) == (17, 15):
        print("interval %d %d" % (opcode, struct.unpack_from("<I", event, 20)[0]))
    else:
        need(False, "unknown event")


def main():
    data = open(sys.argv[1], "rb").read()
    need(data and len(data) % 8192 == 0, "not whole buffers")
    count = len(data) // 8192
    for number in range(count):
        buffer = data[number * 8192:][:8192]
        size, saved = struct.unpack_from("<II", buffer)
        filled, flags, kind = struct.unpack_from("<IHH", buffer, 0x30)
        need(size == 8192 and filled == saved and 72 < filled <= size, "bad buffer")
        need(struct.unpack_from("<Q", buffer, 0x18)[0] == number, "bad sequence")
        need(kind == (4 if number == 0 else 0) and flags == 0x20, "bad kind of buffer")
        need(set(buffer[filled:]) <= {0xFF}, "bad rest of a buffer")
        at = 72
        while at < filled:
            length, = struct.unpack_from("<H", buffer, at if buffer[at + 2] == 20 else at + 4)
            need(length and at + length <= filled, "bad event")
            show_event(buffer[at:at + length], count)
            at += (length + 7) // 8 * 8


main()
