"""Writes cabinets ([MS-CAB]), good ones and bad ones."""
import struct
import zlib

BLOCK = 32768
NONE, MSZIP, LZX = 0, 1, 0x0F03  # LZX with a window of 32 KB


def checksum(data, seed=0):
    whole = len(data) // 4 * 4
    for (word,) in struct.iter_unpack("<I", data[:whole]):
        seed ^= word
    # The last bytes, the first of them highest.
    rest = data[whole:]
    return seed ^ int.from_bytes(rest, "big")


def pack_none(blocks):
    return list(blocks)


def pack_mszip(blocks):
    """Each block by itself, but with the one before as a dictionary."""
    packed, before = [], b""
    for block in blocks:
        options = {"zdict": before} if before else {}
        one = zlib.compressobj(9, zlib.DEFLATED, -15, **options)
        packed.append(b"CK" + one.compress(block) + one.flush())
        before = block
    return packed


def pack_lzx(blocks):
    """One block without compression, of at most 16 MB, over all frames."""
    size = sum(len(block) for block in blocks)
    bits = 0 << 31 | 3 << 28 | size << 4  # no translation of calls; uncompressed; its size
    head = struct.pack("<HH", bits >> 16, bits & 0xFFFF) + struct.pack("<III", 1, 1, 1)
    packed = [bytes(block) for block in blocks]
    packed[0] = head + packed[0]
    packed[-1] += bytes(size % 2)
    return packed


PACK = {NONE: pack_none, MSZIP: pack_mszip, LZX: pack_lzx}


def write(data, how=MSZIP, name=b"any.pdb", says=None, files=1, flags=0, spoil=False):
    """A cabinet of a file. says: its size there; files: how often it is there; flags: 1, 2: of a set; spoil: a wrong sum."""
    blocks = [data[at:at + BLOCK] for at in range(0, len(data), BLOCK)]
    content = b""
    for plain, packed in zip(blocks, PACK[how](blocks)):
        lengths = struct.pack("<HH", len(packed), len(plain))
        total = checksum(lengths, checksum(packed)) ^ (1 if spoil else 0)
        content += struct.pack("<I", total) + lengths + packed
    # Names of the cabinets before and after it, and of their disks.
    others = b"x.cab\0x\0" * bin(flags & 3).count("1")
    entry = struct.pack("<IIHHHH", len(data) if says is None else says, 0, 0, 0x5B7B, 0, 0x20) + name + b"\0"
    at_files = 36 + len(others) + 8
    at_data = at_files + len(entry) * files
    head = b"MSCF" + struct.pack("<IIIIIBBHHHHH", 0, at_data + len(content), 0, at_files, 0, 3, 1, 1, files, flags, 7, 0)
    folder = struct.pack("<IHH", at_data, len(blocks), how)
    return head + others + folder + entry * files + content


if __name__ == "__main__":
    import sys

    FROM, TO, HOW = sys.argv[1:]
    with open(FROM, "rb") as source, open(TO, "wb") as target:
        target.write(write(source.read(), {"none": NONE, "mszip": MSZIP, "lzx": LZX}[HOW]))
