#!/usr/bin/env python3
"""check-pdb.py ASK-PDB DIRECTORY: compare the output of ask-pdb for the PDB in the directory with expected.tsv[.gz], the output of
llvm-symbolizer 19.

Names must be equal at every address and level, lines and chains of inlined functions in 99 of 100 rows. Each row that differs
must have one of the reasons below, found in the dumps of llvm-pdbutil next to it; else it is an error too.

check-pdb.py ASK-PDB --publics FILE.pdb LIST.tsv[.gz]: compare its public symbols with those that llvm-pdbutil lists.
"""
import collections
import gzip
import os
import re
import subprocess
import sys

TEXT = 0x1000  # where section 1 is in all of them


def lines_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return file.read().splitlines()


def find(directory, start, needed=False):
    names = [name for name in sorted(os.listdir(directory)) if re.fullmatch(start + r"(\.gz)?", name)]
    if needed and not names:
        sys.exit(f"{directory}: no {start}")
    return lines_of(os.path.join(directory, names[0])) if names else []


def run(*command, text=""):
    return subprocess.run(command, input=text, text=True, capture_output=True, check=True).stdout.splitlines()


def chains(rows, columns):
    found = collections.OrderedDict()
    for row in rows:
        fields = row.split("\t")
        found.setdefault(int(fields[0], 16), []).append(tuple(fields[i] for i in columns))
    return found


def first_pieces(lines):
    """Where sites begin that do so without a change of line, and go on with one."""
    procedure, operations = 0, None
    for line in lines:
        match = re.search(r"addr = 0001:(\d+), code size = ", line)
        if match:
            procedure = int(match[1])
        if "inlinee = 0x" in line:
            operations = []
        match = re.match(r" {11}([0-9A-F]+) +(?:code (?:end )?(0x[0-9A-F]+)|line)", line)
        if operations is None or not match:
            continue
        operations.append((match[1][:2], match[2]))
        codes = [int(code, 16) for _, code in operations if code]
        if len(codes) == 2:
            if operations[0][0] == "03" and operations[1][0] in ("06", "0B"):
                yield procedure + codes[0], procedure + codes[1]
            operations = None


class Dumps:
    """What llvm-pdbutil shows of pieces of code, by offset in section 1."""

    def __init__(self, directory):
        self.pieces, self.fragments = [], []
        self.publics = set()
        for line in find(directory, "dump-section-contribs.txt"):
            match = re.search(r"SC\[\.text\].*0001:(\d+), size = (\d+)", line)
            if match:
                self.pieces.append((int(match[1]), int(match[1]) + int(match[2])))
        for line in find(directory, "dump-publics.txt"):
            match = re.search(r"addr = 0001:(\d+)", line)
            if match:
                self.publics.add(int(match[1]))
        for line in find(directory, "dump-lines.txt"):
            match = re.match(r"\s*0001:([0-9A-F]+)-([0-9A-F]+), line/addr", line)
            if match:
                self.fragments.append((int(match[1], 16), int(match[2], 16)))

        self.first_pieces = list(first_pieces(find(directory, "dump-symbols.txt")))

    def is_of_no_public(self, offset):
        """No public symbol stands before it in its piece of code: the name before it is another function's."""
        return not any(start <= offset < end and any(start <= public <= offset for public in self.publics)
                       for start, end in self.pieces)

    def is_folded(self, offset):
        """Equal functions that the linker made one: lines of which are taken is open."""
        return sum(start <= offset < end for start, end in self.fragments) > 1

    def is_first_piece(self, offset):
        """Of an inlined function, at its own first line."""
        return any(start <= offset < end for start, end in self.first_pieces)


def explain(dumps, offset, expected, got):
    """Why a row of lines differs; None: that is not known."""
    if dumps.is_folded(offset):
        return "of functions made one by the linker llvm-symbolizer takes another's line"
    if got and expected[2] == got[2]:
        return "llvm-symbolizer takes a change to the first file for none"
    if dumps.is_first_piece(offset):
        return "of a site's first piece llvm-symbolizer takes the line of the second"
    return None


def check_dir(ask, directory):
    pdb = [name for name in sorted(os.listdir(directory)) if name.endswith(".pdb")][0]
    expected = chains(find(directory, "expected.tsv", True)[1:], (3, 4, 5))
    text = "".join(f"{rva:#x}\n" for rva in expected)
    got = chains(run(ask, os.path.join(directory, pdb), text=text), (2, 3, 4))
    dumps, reasons = Dumps(directory), collections.Counter()
    rows = same = named = wrong = 0
    for rva, levels in expected.items():
        answer = got.get(rva, [])
        rows += len(levels)
        if [level[0] for level in answer] != [level[0] for level in levels]:
            if answer == [("?", "?", "0")] and len(levels) == 1 and dumps.is_of_no_public(rva - TEXT):
                reasons["llvm-symbolizer has the name of another function"] += 1
                same += 1  # there are no lines in such a PDB
                continue
            print(f"{pdb} {rva:#x}: names differ: {levels} {answer}")
            wrong += 1
            continue
        named += 1
        for expected_row, row in zip(levels, answer):
            if row == expected_row:
                same += 1
                continue
            why = explain(dumps, rva - TEXT, expected_row, row)
            reasons[why] += 1
            if not why:
                print(f"{pdb} {rva:#x}: lines differ: {expected_row} {row}")
                wrong += 1
    if same < rows * 0.99:
        print(f"{pdb}: of {rows} rows only {same} have the same line")
        wrong += 1
    print(f"{pdb}: {len(expected)} addresses, {named} named, {same} of {rows} rows with the same line")
    for why, nr in reasons.most_common():
        print(f"  {nr} rows: {why}")
    return not wrong and len(expected) > 100


def check_publics(ask, pdb, listed):
    """llvm-pdbutil lists them by the table of names, where a name stands once: of stubs of one name only one."""
    expected, got = set(lines_of(listed)), run(ask, "--publics", pdb)
    names = {line.split("\t")[3] for line in expected}
    more = set(got) - expected
    missing = expected - set(got)
    others = [line for line in more if line.split("\t")[3] not in names]
    print(f"{os.path.basename(pdb)}: {len(got)} public symbols, {len(expected)} listed, {len(more)} more of the same names")
    if expected and not missing and not others and len(got) == len(set(got)):
        return True
    print("missing:", sorted(missing)[:4], "not listed:", sorted(others)[:4])
    return False


def main():
    if len(sys.argv) == 5 and sys.argv[2] == "--publics":
        return 0 if check_publics(sys.argv[1], *sys.argv[3:]) else 1
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    return 0 if check_dir(*sys.argv[1:]) else 1


sys.exit(main())
