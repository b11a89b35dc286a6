#!/usr/bin/env python3
"""Counts how often words occur in the records of a perf.data, its compressed records unpacked: a number and the word for each.

usage: count-in-trace.py PERF.DATA WORD...

A word that is divided between two records that are not compressed is not found. Ends with an error if the file is no
perf.data, or zstd cannot unpack its records.
"""
import struct
import subprocess
import sys
import tempfile

COMPRESSED, COMPRESSED2 = 81, 83
PIECE = 1 << 20


def divide(trace, packed, plain):
    """Write the contents of compressed records to one file, the other records to another."""
    head = trace.read(104)
    if head[:8] != b"PERFILE2":
        sys.exit("not a perf.data")
    offset, size = struct.unpack_from("<QQ", head, 40)
    trace.seek(offset)
    done = 0
    while done < size:
        header = trace.read(8)
        if len(header) < 8:
            break
        kind, _, length = struct.unpack("<IHH", header)
        body = trace.read(length - 8)
        done += length
        if kind == COMPRESSED:
            packed.write(body)
        elif kind == COMPRESSED2:
            packed.write(body[8 : 8 + struct.unpack_from("<Q", body)[0]])
        else:
            plain.write(body)


def count(file, words, counts):
    longest = max(map(len, words))
    rest = b""
    while piece := file.read(PIECE):
        piece = rest + piece
        for word in words:
            counts[word] += piece.count(word) - rest.count(word)
        rest = piece[-(longest - 1) :] if longest > 1 else b""


def main():
    words = [word.encode() for word in sys.argv[2:]]
    counts = dict.fromkeys(words, 0)
    with open(sys.argv[1], "rb") as trace, tempfile.TemporaryFile() as packed, tempfile.TemporaryFile() as plain:
        divide(trace, packed, plain)
        has_packed = packed.tell() > 0
        packed.seek(0)
        plain.seek(0)
        count(plain, words, counts)
        if has_packed:
            # perf does not end its last frame: zstd gives all bytes, and then complains.
            unpacked = subprocess.run(["zstd", "-dcq"], stdin=packed, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if not unpacked.stdout:
                sys.exit("zstd: " + unpacked.stderr.decode())
            with tempfile.TemporaryFile() as file:
                file.write(unpacked.stdout)
                file.seek(0)
                count(file, words, counts)
    for word in words:
        print(counts[word], word.decode())


main()
