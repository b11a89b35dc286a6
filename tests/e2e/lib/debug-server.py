#!/usr/bin/env python3
"""A debuginfod server with one file, that answers well or badly.

    debug-server.py FILE BUILD-ID PORT-FILE LOG

Its URL is http://127.0.0.1:PORT/MODE, with the port that is written to PORT-FILE. All but "good" are bad answers: see below. It
has no other build ids. Each request is a line of LOG.
"""
import gzip
import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import local_server  # noqa: E402

FILE, BUILD_ID, PORT_FILE, LOG = sys.argv[1:]


class Handler(local_server.Handler):
    def send(self, body, length=None, headers=()):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        with open(LOG, "a") as log:
            log.write(self.path + "\n")
        mode, rest = self.path.lstrip("/").split("/", 1)
        with open(FILE, "rb") as file:
            body = file.read()
        if rest != f"buildid/{BUILD_ID}/debuginfo" or mode == "none":
            self.send_error(404)
        elif mode == "good":
            self.send(body)
        elif mode == "steady":  # in two seconds
            self.send(body[:100], len(body))
            for at in range(100, len(body), len(body) // 7):
                self.wfile.flush()
                time.sleep(0.3)
                self.wfile.write(body[at : at + len(body) // 7])
        elif mode == "other":  # the file of another program
            at = body.index(bytes.fromhex(BUILD_ID))
            self.send(body[:at] + b"\xff" + body[at + 1:])
        elif mode == "cut":
            self.send(body[: len(body) // 2])
        elif mode == "text":
            self.send(b"<html>sorry</html>")
        elif mode == "broken":  # the connection ends before the file
            self.send(body[: len(body) // 2], len(body))
        elif mode == "bomb":
            self.send(gzip.compress(bytes(64 << 20)), None, [("Content-Encoding", "gzip")])
        elif mode == "silent":
            time.sleep(60)
        elif mode == "slow":
            self.send(body[:100], len(body))
            time.sleep(60)


local_server.serve(Handler, PORT_FILE)
