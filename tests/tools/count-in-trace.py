#!/usr/bin/env python3
"""Counts how often words occur in a perf.data, or in all members of a bundle: a number and the word for each.

usage: count-in-trace.py [--any] PERF.DATA|BUNDLE.zip WORD...

With --any it ends when each word was found: what it prints is how often it had been by then. Stack copies unpacked are gigabytes.
Compressed records are unpacked. Words are found in any case, as UTF-8, as UTF-16 and as hexadecimal text; names of members count
too. A word that is divided between two records that are not compressed is not found. Ends with an error if a trace is no
perf.data, or zstd cannot unpack its records.
"""
import io
import struct
import subprocess
import sys
import tempfile
import zipfile

COMPRESSED, COMPRESSED2 = 81, 83
PIECE = 1 << 20


class Found(Exception):
    """Each word was found, and no more is asked for."""


def divide(trace, packed, plain):
    """Write the contents of compressed records to one file, all else to another."""
    head = trace.read(104)
    if head[:8] != b"PERFILE2":
        sys.exit("not a perf.data")
    offset, size = struct.unpack_from("<QQ", head, 40)
    plain.write(trace.read(offset - len(head)))
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
    plain.write(trace.read())


def forms(word):
    lower = word.lower()
    return {lower.encode(), lower.encode("utf-16-le"), lower.encode().hex().encode()}


def count(file, counts, any_is_enough):
    """Adds what is found to the counts; the number of bytes read."""
    longest = max(len(form) for word in counts for form in forms(word))
    rest = b""
    size = 0
    while piece := file.read(PIECE):
        size += len(piece)
        piece = rest + piece.lower()
        for word in counts:
            counts[word] += sum(piece.count(form) - rest.count(form) for form in forms(word))
        if any_is_enough and all(counts.values()):
            raise Found
        rest = piece[-(longest - 1) :] if longest > 1 else b""
    return size


def count_trace(trace, counts, any_is_enough):
    with tempfile.TemporaryFile() as packed, tempfile.TemporaryFile() as plain:
        divide(trace, packed, plain)
        has_packed = packed.tell() > 0
        packed.seek(0)
        plain.seek(0)
        count(plain, counts, any_is_enough)
        if not has_packed:
            return
        # perf does not end its last frame: zstd gives all bytes, and then complains.
        with subprocess.Popen(["zstd", "-dcq"], stdin=packed, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as zstd:
            if not count(zstd.stdout, counts, any_is_enough):
                sys.exit("zstd: " + zstd.stderr.read().decode())


def count_all(path, counts, any_is_enough):
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as bundle:
            count(io.BytesIO("\n".join(bundle.namelist()).encode()), counts, any_is_enough)
            for name in bundle.namelist():
                with bundle.open(name) as member:
                    if name.endswith(".perf.data"):
                        count_trace(member, counts, any_is_enough)
                    else:
                        count(member, counts, any_is_enough)
    else:
        with open(path, "rb") as trace:
            count_trace(trace, counts, any_is_enough)


def main():
    any_is_enough = sys.argv[1] == "--any"
    path, *words = sys.argv[1 + any_is_enough :]
    counts = dict.fromkeys(words, 0)
    try:
        count_all(path, counts, any_is_enough)
    except Found:
        pass
    for word in counts:
        print(counts[word], word)


main()
