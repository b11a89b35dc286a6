"""Regions of memory, as lines of the program's CSV: there are millions in a large recording."""
import hashlib

COLUMNS = "pid,address,size_bytes,commit_time_ns,freed_time_ns,ended,flow"
BIGGEST = 5


def line(span, base, flow):
    """Of a simulated span."""
    return "%d,0x%012x,%d,%d,%s,%s,%s" % (span.commit.instance.pid, span.address, span.bytes, span.commit.time - base,
                                          "" if span.freed is None else span.freed - base, span.ended, flow or "")


def lines_of(ledger, spans, base, at):
    """Of what is held in the range, or with `at` at that moment."""
    if at is not None:
        return [line(span, base, ledger.flow(span)) for span in ledger.held]
    return [line(span, base, ledger.flow(span)) for span in spans if ledger.flow(span)]


def size(one):
    return int(one.split(",", 3)[2])


def digest(lines):
    return {"rows": len(lines), "size_bytes": sum(map(size, lines)),
            "biggest": sorted(lines, key=lambda one: (-size(one), one))[:BIGGEST],
            "hash": hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()}


def lines_of_program(program, options):
    text = program.text("memory", "--by", "region", "--format", "csv", "--columns", COLUMNS, "-q", *options)
    return text.splitlines()[1:]
