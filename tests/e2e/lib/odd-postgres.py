"""A server that speaks PostgreSQL's protocol, and does something odd: odd-postgres.py PORT_FILE KIND [SQL]

It answers as KIND says from the first query on that has SQL in it (by default the first one), and before that as a history
without runs. "made-meanwhile" is odd for three answers: other programs make the tables after the first one."""
import os
import socketserver
import struct
import sys
import time

KIND = sys.argv[2]
SQL = sys.argv[3].encode() if len(sys.argv) > 3 else b""


def message(kind, body=b""):
    return kind + struct.pack("!i", len(body) + 4) + body


def row(*values):
    cells = b"".join(struct.pack("!i", -1) if value is None else struct.pack("!i", len(value)) + value for value in values)
    return message(b"D", struct.pack("!h", len(values)) + cells)


def columns(nr):
    return message(b"T", struct.pack("!h", nr) + b"".join(b"c%d\0" % i + struct.pack("!ihihih", 0, 0, 25, -1, -1, 0) for i in range(nr)))


def error(text, state=b"XX000"):
    return message(b"E", b"SERROR\0VERROR\0C" + state + b"\0M" + text + b"\0\0")


def rows(nr, *all_rows):
    return columns(nr) + b"".join(row(*values) for values in all_rows) + message(b"C", b"SELECT %d\0" % len(all_rows))


DONE = message(b"C", b"SELECT 0\0")
READY = message(b"Z", b"I")
BEGUN = message(b"1") + message(b"2")
COPY = struct.pack("!bh", 0, 0)
ANSWERS = {
    "no-rows": rows(1),
    "no-columns": rows(0, ()),
    "few-columns": rows(1, (b"1",)),
    "many-columns": rows(60, [b"1"] * 60),
    "null": rows(1, (None,)),
    "two-rows": rows(1, (b"1",), (b"1",)),
    "text": rows(1, (b"many",)),
    "negative": rows(1, (b"-5",)),
    "copy-in": message(b"G", COPY),
    "copy-out": message(b"H", COPY),
    "copy-both": message(b"W", COPY),
    "empty": message(b"I"),
    "nothing": b"",
    "error": error(b"it is\x1b[31m odd"),
    "lost": error(b"the server ends", b"57P01"),
}


class Client(socketserver.StreamRequestHandler):
    def body(self):
        return self.rfile.read(struct.unpack("!i", self.rfile.read(4))[0] - 4)

    def begin(self):
        while True:
            if struct.unpack("!i", self.body()[:4])[0] == 196608:
                return
            self.wfile.write(b"N")  # neither SSL nor GSSAPI

    def get_password(self):
        self.wfile.write(message(b"R", struct.pack("!i", 3)))
        self.rfile.read(1)
        return self.body()[:-1]

    def get_query(self):
        """The text of a query, which is five messages, or None."""
        sql = None
        while (kind := self.rfile.read(1)) not in (b"S", b"X", b""):
            body = self.body()
            if kind == b"P":
                sql = body.split(b"\0")[1]
        if kind:
            self.body()
        return sql if kind == b"S" else None

    def answer_well(self, sql):
        one = any(part in sql for part in (b"SELECT count", b"max(version)", b"id FROM setup", b"RETURNING id"))
        self.wfile.write(BEGUN + (rows(1, (b"1",)) if one else DONE) + READY)

    def answer(self):
        if KIND == "silent":
            time.sleep(1000)
        if KIND == "forever":
            self.wfile.write(BEGUN)
            while True:
                self.wfile.write(DONE * 100)
        if KIND == "rows-forever":
            self.wfile.write(BEGUN + columns(1))
            while True:
                self.wfile.write(row(b"1") * 100)
        self.wfile.write(BEGUN + ANSWERS[KIND] + READY)
        if KIND == "lost":
            self.connection.shutdown(2)

    def handle(self):
        if KIND == "mute":
            time.sleep(1000)
        self.begin()
        password = self.get_password()
        if KIND == "echo":
            self.wfile.write(error(b"no " + password + b"\nis right, and " + password[:6] + b" neither"))
            return
        self.wfile.write(message(b"R", struct.pack("!i", 0)) + READY)
        counts = [b"0", b"6", b"1"] if KIND == "made-meanwhile" else []
        while (sql := self.get_query()) and (SQL not in sql or counts):
            if SQL in sql:
                self.wfile.write(BEGUN + rows(1, (counts.pop(0),)) + READY)
            else:
                self.answer_well(sql)
        while sql:
            self.answer()
            sql = self.get_query()


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


with Server(("127.0.0.1", 0), Client) as server:
    with open(sys.argv[1] + ".new", "w") as port:
        port.write(str(server.server_address[1]))
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    server.serve_forever()
