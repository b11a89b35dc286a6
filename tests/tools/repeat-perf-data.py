#!/usr/bin/env python3
"""Make a longer perf.data from one: its records N times, each time later.

    repeat-perf-data.py N IN OUT

The time of every sample and of every other record (its sample_id) is moved on by the length of the recording, and a
millisecond. Records that perf synthesizes are kept once: those without a time, except FINISHED_ROUND, and those of time
0, which describe the state before the recording. Little-endian files of `perf record` (not pipes, not -z) whose events agree on
where the time stands. Needs as much memory as IN is large.

Format: tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h of Linux.
"""
import array
import struct
import sys

MAGIC = b"PERFILE2"
HEADER = struct.Struct("<8sQQ QQ QQ QQ 4Q")  # magic, size, attr_size, attrs, data, event_types, features
SECTION = struct.Struct("<QQ")
RECORD = struct.Struct("<IHH")  # type, misc, size
TIME = struct.Struct("<Q")
RECORD_SAMPLE, FIRST_OWN, FINISHED_ROUND, COMPRESSED, AUXTRACE = 9, 64, 68, 81, 71
IP, TID, TIMED, ID, STREAM_ID, CPU, IDENTIFIER = 1 << 0, 1 << 1, 1 << 2, 1 << 6, 1 << 9, 1 << 7, 1 << 16
SAMPLE_ID_ALL = 1 << 18
GAP_NS = 1000000


def time_places(attrs):
    """Where the time is: from a sample's start, from the end of another record."""
    places = set()
    for sample_type, flags in attrs:
        if not sample_type & TIMED or not flags & SAMPLE_ID_ALL:
            raise SystemExit("an event has no time in all of its records")
        before = 8 + 8 * sum(bool(sample_type & bit) for bit in (IDENTIFIER, IP, TID))
        behind = 8 + 8 * sum(bool(sample_type & bit) for bit in (ID, STREAM_ID, CPU, IDENTIFIER))
        places.add((before, behind))
    if len(places) != 1:
        raise SystemExit("the events differ in where their time is")
    return places.pop()


def read_attrs(file, offset, size, attr_size):
    attrs = []
    for at in range(offset, offset + size, attr_size):
        file.seek(at)
        attr = file.read(48)
        attrs.append((struct.unpack_from("<Q", attr, 24)[0], struct.unpack_from("<Q", attr, 40)[0]))
    return attrs


class Data:
    """The records, and where in them the times are; `again`: which parts come more than once."""

    def __init__(self, data, before, behind):
        self.data, self.times, self.again = data, array.array("Q"), []
        self.first, self.last = None, 0
        at, start, end = 0, 0, len(data)
        unpack, unpack_time, times = RECORD.unpack_from, TIME.unpack_from, self.times
        while at + 8 <= end:
            kind, _, size = unpack(data, at)
            if size < 8 or at + size > end or kind in (COMPRESSED, AUXTRACE):
                raise SystemExit("record of type %d, size %d at 0x%x of the data" % (kind, size, at))
            if kind < FIRST_OWN:
                place = at + before if kind == RECORD_SAMPLE else at + size - behind
                time = unpack_time(data, place)[0]
                once = not time
                if time:
                    times.append(place)
                    if self.first is None or time < self.first:
                        self.first = time
                    if time > self.last:
                        self.last = time
            else:
                once = kind != FINISHED_ROUND
            if once:
                self.again.append((start, at))
                start = at + size
            at += size
        self.again.append((start, at))
        self.end = at

    def shift(self, by):
        data, pack, unpack = self.data, TIME.pack_into, TIME.unpack_from
        for place in self.times:
            pack(data, place, unpack(data, place)[0] + by)


def repeat(times, source, target):
    header = list(HEADER.unpack(source.read(HEADER.size)))
    if header[0] != MAGIC:
        raise SystemExit("no little-endian perf.data file")
    attr_size, (attrs_offset, attrs_size, data_offset, data_size) = header[2], header[3:7]
    attrs = read_attrs(source, attrs_offset, attrs_size, attr_size)
    source.seek(data_offset)
    data = Data(bytearray(source.read(data_size)), *time_places(attrs))
    features = source.read()
    source.seek(0)
    target.write(source.read(data_offset))
    view = memoryview(data.data)
    target.write(view[:data.end])
    for _ in range(times - 1):
        data.shift(data.last - data.first + GAP_NS)
        for start, end in data.again:
            target.write(view[start:end])
    end = target.tell()
    sections = sum(bin(word).count("1") for word in header[9:])
    target.write(move_features(features, sections, end - data_offset - data_size))
    header[6] = end - data_offset
    target.seek(0)
    target.write(HEADER.pack(*header))


def move_features(features, nr, by):
    """The table of sections behind the data, and the sections."""
    features = bytearray(features)
    for at in range(0, nr * SECTION.size, SECTION.size):
        offset, size = SECTION.unpack_from(features, at)
        SECTION.pack_into(features, at, offset + by, size)
    return features


def main():
    if len(sys.argv) != 4 or not sys.argv[1].isdigit() or sys.argv[1] == "0":
        raise SystemExit(__doc__.split("\n\n")[1].strip())
    with open(sys.argv[2], "rb") as source, open(sys.argv[3], "w+b") as target:
        repeat(int(sys.argv[1]), source, target)


main()
