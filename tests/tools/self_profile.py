"""Reads the events that rustc -Zself-profile writes (CRATE-PID.mm_profdata, of measureme 10 to 12): for tests, as a
second opinion on what a compiler did, and when."""

import json
import re
import struct

EVENTS, STRINGS, INDEX = range(3)
MAGIC = {EVENTS: b"MMES", STRINGS: b"MMSD", INDEX: b"MMSI"}

# Ids of strings: up to VIRTUAL_MAX a table has their addresses, then comes that of the metadata, then addresses.
VIRTUAL_MAX = 100_000_000
METADATA = VIRTUAL_MAX + 1
FIRST_ADDRESS = METADATA + 2

# Values of an event's second time that say that it is none.
INSTANT, INTEGER = (1 << 48) - 1, (1 << 48) - 2

REFERENCE, ARGUMENT = 0xFE, b"\x1e"
PART_ENDS, LABEL_ENDS = re.compile(b"[\xff\xfe]"), re.compile(b"[\xff\xfe\x1e]")


class Profile:
    """`metadata` is the dictionary that rustc wrote: cmd, process_id, start_time (ns since 1970)."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        if data[:4] != b"MMPD":
            raise ValueError("%s: not a self-profile" % path)
        self.version = struct.unpack_from("<I", data, 4)[0]
        if self.version not in (8, 9):
            raise ValueError("%s: version %d is not known" % (path, self.version))
        self._id = struct.Struct("<I" if self.version == 8 else "<Q")
        streams = [bytearray(), bytearray(), bytearray()]
        at = 8
        while at < len(data):
            tag, length = struct.unpack_from("<BI", data, at)
            streams[tag] += data[at + 5 : at + 5 + length]
            at += 5 + length
        for tag, magic in MAGIC.items():
            if streams[tag][:4] != magic:
                raise ValueError("%s: no stream %s" % (path, magic.decode()))
        self._events, self._strings = bytes(streams[EVENTS]), bytes(streams[STRINGS])
        pair = "<II" if self.version == 8 else "<QQ"
        self._index = dict(struct.iter_unpack(pair, streams[INDEX][8:]))
        self._labels = {}
        self.metadata = json.loads(self.text(METADATA))

    def text(self, string):
        """The text of a string's id."""
        return b"".join(self._parts(string, PART_ENDS)).decode()

    def label(self, string):
        """The text without arguments, which nearly each event has of its own."""
        if string not in self._labels:
            self._labels[string] = b"".join(self._parts(string, LABEL_ENDS)).split(ARGUMENT, 1)[0].decode()
        return self._labels[string]

    def _parts(self, string, ends):
        """The pieces of the text, as far as to the first of these ends that is no reference."""
        at = self._index[string] if string <= METADATA else string - FIRST_ADDRESS
        while True:
            end = ends.search(self._strings, at).start()
            yield self._strings[at:end]
            if self._strings[end] != REFERENCE:
                return
            yield from self._parts(self._id.unpack_from(self._strings, end + 1)[0], PART_ENDS)
            at = end + 1 + self._id.size

    def intervals(self):
        """(thread, kind, label, start, end) of each event that lasts, as they ended: those within one come before it."""
        form = "<IIIIII" if self.version == 8 else "<QQIIII"
        for kind, label, thread, low, low_end, high in struct.iter_unpack(form, self._events[8:]):
            end = low_end | (high & 0xFFFF) << 32
            if end < INTEGER:
                start = low | (high & 0xFFFF0000) << 16
                yield thread, self.label(kind), self.label(label), start, end
