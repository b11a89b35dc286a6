"""Writes ETL files, in buffers of 4 KB of one processor. It shares no code with the program."""
import struct

BUFFER = 0x1000
START = 10_000_000  # ticks of 100 ns


def wide(text):
    return (text + "\0").encode("utf-16-le")


class Writer:
    def __init__(self):
        self.events, self.buffers, self.sequence = bytearray(), [], 1

    def event(self, head, group, opcode, version, time, ids, payload):
        marker = (0xC0000000 | head << 16 | version)
        if ids:
            data = struct.pack("<IHBBIIQII", marker, 0, opcode, group, ids[1], ids[0], time, 0, 0) + payload
        else:
            data = struct.pack("<IHBBQ", marker, 0, opcode, group, time) + payload
        size = len(data)
        self.put(data[:4] + struct.pack("<H", size) + data[6:])

    def put(self, data):
        data += b"\0" * (-len(data) % 8)
        if len(self.events) + len(data) > BUFFER - 0x48:
            self.flush()
        self.events += data

    def buffer(self, events, sequence, flags, kind):
        filled = 0x48 + len(events)
        head = bytearray(0x48)
        struct.pack_into("<I", head, 0, BUFFER)
        struct.pack_into("<Q", head, 0x18, sequence)
        struct.pack_into("<I", head, 0x2C, 3)
        struct.pack_into("<IHH", head, 0x30, filled, flags, kind)
        return bytes(head) + bytes(events) + b"\xff" * (BUFFER - filled)

    def flush(self):
        if self.events:
            self.buffers.append(self.buffer(self.events, self.sequence, 0, 0))
            self.sequence += 1
            self.events = bytearray()

    def finish(self, path):
        self.flush()
        payload = bytearray(0x118)
        struct.pack_into("<IIII", payload, 0, BUFFER, 0x0501000A, 22621, 1)
        struct.pack_into("<Q", payload, 16, 133800000100000000)
        struct.pack_into("<III", payload, 36, len(self.buffers) + 1, 8, 0)
        payload[44:48] = struct.pack("<I", 8)
        struct.pack_into("<QQQII", payload, 0xF8, 0, 10_000_000, 133800000000000000, 1, 0)
        payload += wide("Heap") + wide("heap.etl")
        body = struct.pack("<IHBBIIQII", 0xC0020002, 32 + len(payload), 0, 0, 0, 0, START, 0, 0) + payload
        with open(path, "wb") as file:
            file.write(self.buffer(body, 0, 0x21, 4))
            for buffer in self.buffers:
                file.write(buffer)

    def event_of_provider(self, guid, number, version, time, pid, payload):
        """An event of a manifest, numbered by its id."""
        size = 80 + len(payload)
        data = struct.pack("<HBBHHIIQ", size, 19, 0xC0, 0, 0, 0, pid, time) + guid
        data += struct.pack("<HBBBBHQQ", number, version, 0, 0, 0, 0, 0, 0) + bytes(16) + payload
        self.put(data)
