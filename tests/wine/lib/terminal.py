#!/usr/bin/env python3
"""Run a command in a terminal of its own, where Ctrl-C can be typed.

    terminal.py KEYS COMMAND ARGUMENT...

KEYS is a FIFO; each line that is written to it types Ctrl-C. The terminal's text goes to stdout. Ends as the command
does.
"""
import os
import pty
import select
import sys


def main():
    keys = os.open(sys.argv[1], os.O_RDWR | os.O_NONBLOCK)
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(sys.argv[2], sys.argv[2:])
    while True:
        ready, _, _ = select.select([terminal, keys], [], [])
        if keys in ready:
            for _ in os.read(keys, 4096).splitlines():
                os.write(terminal, b"\x03")
        if terminal not in ready:
            continue
        try:
            text = os.read(terminal, 65536)
        except OSError:  # the last one has closed it
            text = b""
        if not text:
            break
        os.write(1, text)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) if hasattr(os, "waitstatus_to_exitcode") else \
        os.WEXITSTATUS(os.waitpid(pid, 0)[1])


sys.exit(main())
