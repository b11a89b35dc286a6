#!/usr/bin/env python3
"""Write an ETL file about a made-up machine: make-machine-etl.py config|snapshots|reused FILE

config: each event of SystemConfig that is known, as wpr writes them. snapshots: heap snapshots in parts, a whole one, one that
lacks a byte and one whose only part is truncated; and the memory of the machine, with and without its commit charge. reused:
two processes with one pid, each with a whole snapshot of the same number. It shares no code with the program.
"""
import os
import struct
import sys
from struct import pack

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from etl_writer import START, Writer, wide  # noqa: E402

CONFIG, PAGE_FAULT, MEM_INFO, PROCESS = 11, 2, 112, 3
SNAPSHOT = bytes.fromhex("fa2a1d90f64fd7468d0e53645e1a47f5")


def fixed(text, units):
    return text.encode("utf-16-le").ljust(units * 2, b"\0")


def wides(*texts):
    return b"".join(wide(text) for text in texts)


# Opcode, version, payload.
def config():
    cpu = pack("<5I", 3200, 2, 32768, 4096, 65536) + fixed("MACHINE", 256) + fixed("example.org", 134)
    yield 10, 3, (cpu + pack("<QQHHHBBI", 0, 0x7FFFFFFEFFFF, 9, 6, 0x9E0A, 1, 1, 2933)).ljust(828, b"\0")
    disk = pack("<4IQ4I", 0, 512, 63, 255, 1000, 1, 0, 0, 0) + fixed("A disk", 256) + pack("<IBB", 2, 1, 0) + fixed("C:", 3)
    yield 11, 2, disk.ljust(568, b"\0")
    volume = pack("<QQIII", 1 << 20, 1 << 38, 0, 112, 2) + fixed("C:", 4) + bytes(4) + pack("<III", 1, 8, 512) + bytes(4)
    yield 12, 2, (volume + pack("<qq", 1000, 2000) + fixed("NTFS", 16) + pack("<I", 0)).ljust(112, b"\0")
    yield 13, 2, bytes([2, 0, 0, 0, 0, 1, 0, 0]) + pack("<III", 6, 1, 2) + wides("A network card", "192.0.2.7;2001:db8::7", "192.0.2.1")
    yield 14, 2, pack("<5I", 1 << 30, 1920, 1080, 32, 60) + b"".join(fixed(text, 256) for text in (
        "A chip", "A converter", "An adapter", "A BIOS", "An id")) + pack("<I", 1)
    yield 15, 3, pack("<III", 500, 4, 7) + wides("svc", "A service", "svchost.exe", "group", "svcgroup")
    yield 16, 2, bytes([1, 0, 1, 0, 1, 1, 0, 0])
    yield 17, 2, pack("<4I", 16, 512, 65534, 240)
    yield 18, 2, pack("<4H5Q3I2H", 0, 1, 2, 3, 1, 2, 3, 4, 5, 1, 2, 2048, 0, 1) + wides("D:", "CDFS") + b"a drive\0a maker\0"
    yield 19, 2, pack("<II", 0, 1)
    yield 21, 3, pack("<QHHII", 3, 0, 0, 9, 14) + wide("A timer")
    device = bytes([0x11] * 16) + pack("<IIII", 1, 1, 0, 0)
    yield 22, 5, device + wides("PCI\\1", "A bridge", "A friendly name", "\\Device\\1", "pci", "upper", "lower")
    yield 22, 3, pack("<III", 6, 18, 14) + wides("AB", "An older", "A name", "\\Device\\2")
    yield 23, 2, pack("<4I", 0, 1, 2, 10) + wide("An IDE")
    yield 24, 2, pack("<IQHHI", 1, 3, 0, 0, 0)
    yield 25, 2, wides("A maker", "A model", "01/02/2020", "1.2.3")
    yield 26, 2, pack("<IQ", 1, 3)
    yield 27, 2, pack("<IHBBHBB", 2, 0, 0, 0, 0, 1, 0)
    yield 28, 2, pack("<II", 96, 144)
    yield 29, 2, pack("<I", 1)
    yield 30, 2, bytes(range(16))
    yield 31, 2, bytes(14 * 8 + 23 * 4) + bytes([0x33] * 16) + wide("C:")
    yield 33, 2, pack("<QII", 10 << 48 | 22621 << 16, 3, 1)
    yield 34, 2, wides("flight 1", "flight 2")
    for i in range(2):
        yield 35, 2, (pack("<III", i, 0x4000, 3200) + fixed("A processor", 64) + fixed("Family 6", 128) + fixed("AMaker", 16)).ljust(428, b"\0")
    yield 36, 2, bytes([1, 1, 0, 0])
    yield 37, 2, pack("<QIBBBB", 1, 2, 1, 1, 0, 0)


def write_config(writer):
    for opcode, version, payload in config():
        without_ids = opcode in (17, 24, 26, 27)
        writer.event(17 if without_ids else 2, CONFIG, opcode, version, START + 1, None if without_ids else (8, 4), payload)


def write_snapshots(writer):
    for instance, says in ((1, 120), (2, 121)):
        for part in range(3):
            writer.event_of_provider(SNAPSHOT, 100, 1, START + 10_000 * instance + part, 100, pack("<III", instance, part, 40) + bytes(40))
        writer.event_of_provider(SNAPSHOT, 200, 1, START + 10_000 * instance + 9, 100, pack("<II", instance, says))
    writer.event_of_provider(SNAPSHOT, 100, 1, START + 90_000, 100, pack("<III", 3, 0, 500) + bytes(20))
    # The commit charge is the last of 26 numbers of pages; before Windows 8 there are 22.
    pages = list(range(1000, 1026))
    writer.event(17, PAGE_FAULT, MEM_INFO, 3, START + 100_000, None, struct.pack("<26Q", *pages))
    writer.event(17, PAGE_FAULT, MEM_INFO, 3, START + 200_000, None, struct.pack("<22Q", *pages[:22]))


def write_reused(writer):
    def process(opcode, time):
        payload = pack("<QIIIIQII", 100, 100, 4, 1, 0, 0, 0, 0) + b"rustc.exe\0" + wides("rustc", "", "")
        writer.event(2, PROCESS, opcode, 4, time, (100, 101), payload)

    for start, size in ((START, 40), (START + 500_000, 60)):
        process(1, start)
        for part in range(2):
            writer.event_of_provider(SNAPSHOT, 100, 1, start + 10_000 + part, 100, pack("<III", 1, part, size) + bytes(size))
        writer.event_of_provider(SNAPSHOT, 200, 1, start + 10_009, 100, pack("<II", 1, 2 * size))
        process(2, start + 400_000)


def main():
    kinds = {"config": write_config, "snapshots": write_snapshots, "reused": write_reused}
    if len(sys.argv) != 3 or sys.argv[1] not in kinds:
        sys.exit(__doc__)
    writer = Writer()
    kinds[sys.argv[1]](writer)
    writer.finish(sys.argv[2])


main()
