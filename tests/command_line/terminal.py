"""terminal: runs a command on a terminal of a given width, and tells what reached it."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import unicodedata

import wire

CLEAR_LINE = "\r\x1b[K"  # Of our own progress bars; nothing else of the kind is ours.


def width_of(line):
    """Columns on the terminal."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else not unicodedata.combining(letter)
               for letter in line)


def run(command, environment, columns=80):
    """The exit code, and what stdout and stderr showed on the terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {name: value for name, value in environment.items() if name != "COLUMNS"}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 65536):
                shown += part
        except OSError:  # Nobody writes any more.
            pass
        os.close(ours)
        code = process.wait(wire.TIMEOUT)
    return code, shown.decode().replace("\r\n", "\n")
