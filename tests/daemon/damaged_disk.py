"""damaged_disk: a bit that flips beneath a broker that has ended."""

import pathlib


def flip(data, text, table=""):
    """A bit of this text, wherever it stands first in a table or a blob file of the data folder; if a table is named, in
    one of its own, whose name stands among the properties of each."""
    of_table = f"name{table}".encode() if table else b""
    for path in sorted(pathlib.Path(data).rglob("*")):
        content = path.read_bytes() if path.suffix in (".sst", ".blob") else b""
        if text in content and of_table in content:
            damaged = bytearray(content)
            damaged[content.index(text)] ^= 1
            path.write_bytes(damaged)
            return
    raise AssertionError("no file has the text")
