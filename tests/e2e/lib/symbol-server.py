#!/usr/bin/env python3
"""A symbol server, and a debuginfod server, that answer well or badly.

    symbol-server.py PORT-FILE LOG NAME=FILE...

Its URL is http://127.0.0.1:PORT/MODE, with the port that is written to PORT-FILE. FILE is at MODE/NAME. All but "good" are bad answers:
see below. Each request is a line of LOG: its path, the range that is asked for, and the port of the connection.
"""
import os
import re
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cabinet  # noqa: E402
import local_server  # noqa: E402

PORT_FILE, LOG = sys.argv[1:3]
FILES = dict(arg.split("=", 1) for arg in sys.argv[3:])

# PDBs of other kinds.
NET = b"BSJB" + bytes(1000)
OLD = b"Microsoft C/C++ program database 2.00\r\n\x1aJG\0\0"

# Cabinets of a file, which are at NAME with "_" for its last letter: good ones, then bad ones.
CABINETS = {
    "mszip": cabinet.write,
    "stored": lambda body: cabinet.write(body, cabinet.NONE),
    "lzx": lambda body: cabinet.write(body, cabinet.LZX, b"..\\..\\x.pdb"),
    "cab-of-others": lambda body: cabinet.write(other(body)),
    "cab-of-text": lambda body: cabinet.write(b"<html>sorry</html>" * 10000),
    "cab-of-cab": lambda body: cabinet.write(cabinet.write(body)),
    "cab-of-net": lambda body: cabinet.write(NET),
    "cab-of-two": lambda body: cabinet.write(body, files=2),
    "cab-of-none": lambda body: cabinet.write(body, files=0),
    "cab-of-set": lambda body: cabinet.write(body, flags=2),
    "cab-spoiled": lambda body: cabinet.write(body, spoil=True),
    "cab-damaged": lambda body: damage(cabinet.write(body)),
    "cab-of-more": lambda body: cabinet.write(body, says=len(body) - 100),
    "cab-of-less": lambda body: cabinet.write(body, says=len(body) + 100),
    "cab-of-much": lambda body: cabinet.write(body, says=0xFFFFFFFF),
    "cab-short": lambda body: cabinet.write(body)[:-100],
    "cab-text": lambda body: b"<html>sorry</html>" * 10,
}


def other(body):
    at = body.index(bytes.fromhex(os.environ["ID"]))
    return body[:at] + b"\xff" + body[at + 1:]


# Its sums are left out, so that nothing but the data is wrong.
def damage(packed):
    at = packed.index(b"CK") - 8
    return packed[:at] + bytes(4) + packed[at + 4:at + 12] + b"\xff" * 200 + packed[at + 212:]


class Handler(local_server.Handler):
    def send(self, body, first=0, whole=None, cut=None, status=None):
        status = status or (206 if first else 200)
        self.send_response(status)
        whole = len(body) if whole is None else whole
        if status == 206:
            self.send_header("Content-Range", f"bytes {first}-{whole - 1}/{whole}")
        self.send_header("Content-Length", str(whole - first))
        self.end_headers()
        self.wfile.write(body[first:cut])

    def do_GET(self):
        span = self.headers.get("Range", "")
        with open(LOG, "a") as log:
            log.write(f"{self.path} {span} {self.client_address[1]}\n")
        mode, name = self.path.lstrip("/").split("/", 1)
        first = int(re.fullmatch(r"bytes=(\d+)-", span)[1]) if span else 0
        kind = mode.partition("-then-")[0]
        packed = kind in CABINETS
        if packed:
            name = {known[:-1] + "_": known for known in FILES}.get(name)
        if mode in ("kept", "folded"):  # it has nothing, and the connection stays
            self.wfile.write(b"HTTP/1.1 404 Not Found\r\n")
            self.wfile.write(b" folded: yes\r\n" if mode == "folded" else b"Server: this\r\n")
            self.wfile.write(b"Content-Length: 2\r\n\r\nno")
            self.close_connection = False
            return
        if name not in FILES or mode == "none":
            self.send_error(404)
            return
        with open(FILES[name], "rb") as file:
            body = file.read()
        if packed:
            body = CABINETS[kind](body)
        if first >= len(body):
            self.send_error(416)
        elif mode == "good" or mode in CABINETS:
            self.send(body, first)
        elif mode in ("cut", "mszip-then-cut"):  # a third at a time
            self.send(body, first, None, first + len(body) // 3 + 1)
        elif mode == "once":  # a half, and nothing more
            self.send(body, first, None, len(body) // 2 if not first else first)
        elif mode == "norange":  # it always begins at the start, and the first time not to the end
            with open(LOG) as log:
                asked = sum(1 for line in log if line.startswith(self.path + " "))
            self.send(body, 0, None, len(body) // 2 if asked == 1 else None, 200)
        elif mode == "shifted":  # another part than was asked for
            self.send(body, 16 if first else 0, None, len(body) // 2, 206 if first else 200)
        elif mode == "other":  # the file of another build
            self.send(other(body))
        elif mode == "short":
            self.send(body[: len(body) // 2])
        elif mode == "text":
            self.send(b"<html>sorry</html>" * 1000)
        elif mode in ("net", "net-short"):
            self.send(NET[:20] if mode == "net-short" else NET)
        elif mode in ("old", "old-short"):
            self.send(OLD + (b"" if mode == "old-short" else bytes(1000)))
        elif mode == "cabinet":  # at the name of the file itself
            self.send(cabinet.write(body), first)
        elif mode == "huge":  # that is what it says
            self.send(body, 0, 1 << 40)
        elif mode in ("endless", "mszip-then-endless"):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)
            while True:
                self.wfile.write(bytes(1 << 20))
        elif mode == "grown":  # what goes on is longer than its first page says
            self.send(body + bytes(1 << 23) if first else body, first, None, None if first else len(body) // 2)
        elif mode == "unsaid":  # a cabinet of 4 GB
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"MSCF" + bytes(4) + b"\xff" * 4)
            while True:
                self.wfile.write(bytes(1 << 20))
        elif mode == "away":
            self.send_response(302)
            self.send_header("Location", f"/good/{name}")
            self.end_headers()
        elif mode == "around":
            self.send_response(302)
            self.send_header("Location", self.path)
            self.end_headers()
        elif mode == "local":
            self.send_response(302)
            self.send_header("Location", f"file://{os.path.abspath(FILES[name])}")
            self.end_headers()
        elif mode == "denied":
            self.send_error(403)
        elif mode.startswith("silent"):
            time.sleep(60)
        elif mode == "slow":
            self.send(body, 0, None, 100)
            self.wfile.flush()
            time.sleep(60)


local_server.serve(Handler, PORT_FILE)
