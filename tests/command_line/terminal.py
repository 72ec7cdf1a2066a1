"""terminal: runs a command on a terminal of a given width, and tells what reached it."""

import fcntl
import os
import pty
import select
import signal
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


def open_terminal(columns):
    """Both ends: the screen's, and the program's."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    return ours, theirs


def run(command, environment, columns=80):
    """The exit code, and what stdout and stderr showed on the terminal."""
    process = Running(command, environment, columns)
    code = process.wait()
    process.close()
    return code, process.shown


class Running:
    """A command on a terminal, watched while it works. Its stdout may be elsewhere."""

    def __init__(self, command, environment, columns=80, stdout=None):
        self._ours, theirs = open_terminal(columns)
        environment = {name: value for name, value in environment.items() if name != "COLUMNS"}
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout or theirs, stderr=theirs,
                                         env=environment)
        os.close(theirs)
        self._bytes = b""

    @property
    def shown(self):
        """So far."""
        return self._bytes.decode(errors="replace").replace("\r\n", "\n")

    def read(self):
        """Waits for something to be shown; whether more may come."""
        try:
            part = os.read(self._ours, 65536)
        except OSError:  # Nobody writes any more.
            return False
        self._bytes += part
        return part != b""

    def has_more(self):
        return select.select([self._ours], [], [], 0)[0] != []

    def read_until(self, text):
        while text not in self.shown:
            assert self.read(), self.shown

    def interrupt(self):
        self._process.send_signal(signal.SIGINT)

    def wait(self):
        """For its end; the exit code."""
        while self.read():
            pass
        return self._process.wait(wire.TIMEOUT)

    def close(self):
        self._process.kill()
        self._process.wait()
        os.close(self._ours)
