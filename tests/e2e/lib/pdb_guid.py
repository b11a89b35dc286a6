#!/usr/bin/env python3
"""The GUID of a PDB.

    pdb_guid.py PDB              print it, in hexadecimal
    pdb_guid.py PDB FIRST COPY   write a copy whose GUID has another first byte
"""
import sys


def find(data):
    """Where it is: after version, time and age, at the begin of a page of the stream of information."""
    page = int.from_bytes(data[32:36], "little")
    at = next(at for at in range(0, len(data), page) if data[at:at + 4] == (20000404).to_bytes(4, "little")) + 12
    guid = data[at:at + 16]
    assert guid.strip(b"\0") and data.count(guid) == 1
    return at


def main(pdb, first=None, copy=None):
    with open(pdb, "rb") as file:
        data = file.read()
    at = find(data)
    if copy is None:
        print(data[at:at + 16].hex())
        return
    with open(copy, "wb") as file:
        file.write(data[:at] + bytes([int(first)]) + data[at + 1:])


if __name__ == "__main__":
    main(*sys.argv[1:])
