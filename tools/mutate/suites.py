"""suites: what can be run to see a fault, in pieces; how long each takes without one, and what it reaches.

A piece is a GoogleTest program, a file of the tests that drive real daemons, or another test that ctest knows.
"""

import dataclasses
import glob
import json
import os
import re
import subprocess

import process

CPP, DAEMON, CRASH = "C++", "wire", "crash"

# Tests of which each file is run by itself: (its files, what tells the test which).
IN_FILES = {
    "wire_python": ("tests/wire/python/test_*.py", "variable"),
    "wire_node": ("tests/wire/node/*.test.mjs", "variable"),
    "daemon": ("tests/daemon/test_*.py", "argument"),
    "command_line": ("tests/command_line/test_*.py", "argument"),
}
# ctest runs them in parts: those whose files begin with these letters behind "test_".
PART = re.compile(r"(?P<suite>.+)_(?P<first>[a-z])_to_(?P<last>[a-z])")


@dataclasses.dataclass
class Piece:
    name: str
    level: str
    command: list
    folder: str
    environment: dict


@dataclasses.dataclass
class Reach:
    """What a run without a fault told of a piece."""
    piece: Piece
    passed: bool
    seconds: float
    tests: dict  # {number of a fault: names of the tests that come by it; None: the piece, whatever it runs}
    seconds_of_test: dict

    def seconds_for(self, number):
        tests = self.tests[number]
        return self.seconds if tests is None else sum(self.seconds_of_test[test] for test in tests)


def _pieces_of(test, copy):
    properties = {entry["name"]: entry["value"] for entry in test.get("properties", ())}
    environment = dict(entry.split("=", 1) for entry in properties.get("ENVIRONMENT", ()))
    folder, command, name = properties.get("WORKING_DIRECTORY", copy), test["command"], test["name"]
    if name.endswith("_test"):
        return [Piece(name, CPP, command, folder, environment)]
    part = PART.fullmatch(name)
    suite = part["suite"] if part else name
    if suite not in IN_FILES:
        return [Piece(name, CRASH if name.startswith("crash") else DAEMON, command, folder, environment)]
    pattern, told_by = IN_FILES[suite]
    pieces = []
    for path in sorted(glob.glob(os.path.join(copy, pattern))):
        file = os.path.basename(path)
        stem = file.split(".")[0]
        if part and not part["first"] <= stem.removeprefix("test_")[0] <= part["last"]:
            continue
        if told_by == "variable":
            pieces.append(Piece(f"{suite}/{stem}", DAEMON, command, folder, {**environment, "WHARF_WIRE_FILES": file}))
        else:
            pieces.append(Piece(f"{suite}/{stem}", DAEMON, [command[0], stem], folder, environment))
    return pieces


def pieces(copy, only=()):
    """All, or those of the tests that ctest knows by these names."""
    said = subprocess.run(["ctest", "--test-dir", "build/release", "--show-only=json-v1"], cwd=copy, check=True,
                          capture_output=True, text=True).stdout
    return [piece for test in json.loads(said)["tests"] if test["name"] in only or not only and test["name"] != "mutate"
            for piece in _pieces_of(test, copy)]


ROWS = 4096


def _read_rows(rows, width):
    """({number: tests or None}, {test: seconds})"""
    seconds = {}
    if os.path.exists(rows + ".tests"):
        with open(rows + ".tests") as file:
            for line in file:
                test, _, milliseconds = line.partition(" ")
                seconds[test] = int(milliseconds) / 1000
    with open(rows, "rb") as file:
        reached = {number: None for number, mark in enumerate(file.read(width)) if mark}
        for test in seconds:
            for number, mark in enumerate(file.read(width)):
                if mark and reached.get(number, ()) is not None:
                    reached.setdefault(number, []).append(test)
    return reached, seconds


def clean_run(piece, width, folder, timeout=900):
    """Runs it with no fault on. The width is one more than the largest number."""
    rows = os.path.join(folder, piece.name.replace("/", "."))
    with open(rows, "wb") as file:
        file.truncate(ROWS * width)
    ended = process.run(piece, {"WHARF_REACH": rows, "WHARF_REACH_WIDTH": str(width)}, [], timeout, rows + ".log")
    reached, seconds_of_test = _read_rows(rows, width)
    os.remove(rows)
    return Reach(piece, ended.code == 0, ended.seconds, reached, seconds_of_test)


def room_of(path):
    """broker/core/queue/queue.cc -> core; broker/doors/grpc/server.cc -> grpc; storage/base/time.h -> storage."""
    return path.removeprefix("broker/").removeprefix("doors/").split("/")[0]


def words_of(name):
    """broker/core/order/session_book.cc SessionBook::Accept -> broker, core, session, book, accept."""
    return {word.lower().rstrip("s") for word in re.findall(r"[A-Z]?[a-z]{3,}", name)}


def nearest_first(reaches, fault):
    """The own room's test program, then whose name has words of the place, then the quickest."""
    own, words = room_of(fault.file), words_of(f"{fault.file} {fault.function}")

    def distance(reach):
        is_own = re.match(own + r"(?:_test)?\b", reach.piece.name) is not None
        return not is_own, -len(words & words_of(reach.piece.name)), reach.seconds

    return sorted(reaches, key=distance)
