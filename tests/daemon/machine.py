"""machine: the clock and the disk of one daemon, which fail as a test says (tools/crash/machine)."""

import mmap
import os
import pathlib
import struct

# As in machine_board.h: by how much the clock is ahead; the disk is held, full, broken; how long a sync takes.
_BOARD = struct.Struct("<q???5xq")


class Machine:
    """What is set is in force at once, also while the daemon runs, and over its starts."""

    def __init__(self, folder):
        self._folder = folder
        os.makedirs(f"{folder}/synced")
        with open(f"{folder}/board", "w+b") as file:
            file.write(_BOARD.pack(0, False, False, False, 0))
            file.flush()
            self._board = mmap.mmap(file.fileno(), _BOARD.size)

    def environment(self):
        """Of a daemon that runs on it."""
        return {**os.environ, "LD_PRELOAD": os.environ["FAILING_MACHINE"], "WHARF_MACHINE": self._folder}

    def set_clock_ahead(self, seconds):
        struct.pack_into("<q", self._board, 0, round(seconds * 1_000_000))

    def hold_disk(self, is_held):
        """Whoever syncs a file waits meanwhile."""
        struct.pack_into("<?", self._board, 8, is_held)

    def cut_power(self, data):
        """Of the files below this folder only what was synced is left. Its daemon has ended."""
        for path in pathlib.Path(data).rglob("*"):
            status = path.lstat()
            synced = pathlib.Path(f"{self._folder}/synced/{status.st_ino}")
            # Else it was not written since there is this machine.
            if path.is_file() and not path.is_symlink() and synced.exists():
                self._take_back(path, pathlib.Path(f"{synced}.old"))
                (size,) = struct.unpack("<q", synced.read_bytes())
                if size < status.st_size:
                    os.truncate(path, size)

    def _take_back(self, path, old):
        """What stood where the file was written over and not synced, the last first."""
        told = old.read_bytes() if old.exists() else b""
        records, at = [], 0
        while at + 16 <= len(told):
            begin, count = struct.unpack_from("<qq", told, at)
            at += 16 + count
            # Else a kill came before all of it was kept, and so before the write.
            if at <= len(told):
                records.append((begin, told[at - count:at]))
        with path.open("r+b") as file:
            for begin, content in reversed(records):
                file.seek(begin)
                file.write(content)
        old.unlink(missing_ok=True)
