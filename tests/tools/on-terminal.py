#!/usr/bin/env python3
"""Run a command on a terminal of its own, and print what that shows.

    on-terminal.py [--columns N] [--interrupt-at TEXT] COMMAND ARGUMENT...

--columns is the terminal's width; --interrupt-at presses Ctrl-C as soon as TEXT is shown, while the command is
stopped. It ends with the command's exit code, 128 and more for a signal.

The terminal is held open until all is read: reading it after the last program has closed it may end early.
"""
import argparse
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import threading

END = b"\0end of the command\0"


def start(command, columns):
    """The command's process, the terminal's two sides."""
    terminal, programs_side = pty.openpty()
    if columns:
        fcntl.ioctl(programs_side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    pid = os.fork()
    if pid == 0:
        os.setsid()
        fcntl.ioctl(programs_side, termios.TIOCSCTTY, 0)
        for stream in range(3):
            os.dup2(programs_side, stream)
        os.execvp(command[0], command)
    return pid, terminal, programs_side


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--columns", type=int)
    arguments.add_argument("--interrupt-at", type=os.fsencode)
    arguments.add_argument("command", nargs=argparse.REMAINDER)
    arguments = arguments.parse_args()
    pid, terminal, programs_side = start(arguments.command, arguments.columns)
    ended = os.pidfd_open(pid)
    watched = [terminal, ended]
    shown, press_at = b"", arguments.interrupt_at
    while not shown.endswith(END):
        ready, _, _ = select.select(watched, [], [])
        if ended in ready:
            watched.remove(ended)
            threading.Thread(target=os.write, args=(programs_side, END)).start()
        if terminal in ready:
            shown += os.read(terminal, 65536)
        if press_at and press_at in shown:
            os.kill(pid, signal.SIGSTOP)
            os.write(terminal, b"\x03")
            os.kill(pid, signal.SIGCONT)
            press_at = None
    sys.stdout.buffer.write(shown[:-len(END)].replace(b"\r\n", b"\n"))
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return code if code >= 0 else 128 - code


sys.exit(main())
