"""trial: turns one fault on and looks for a test that sees it."""

import os
import re

import process
import suites

CAUGHT, CRASHED, HUNG, SURVIVED, UNREACHED = "caught", "crashed", "hung", "survived", "not reached"

# Who failed first, as each kind of test says it.
FAILED = re.compile(r"^\[  FAILED  \] (\S+?)(?:,| \(|$)|^(?:FAIL|ERROR): (.+)$|^FAIL +[\d.]+ s  (\S+)|^ *✖ (.+)$",
                    re.MULTILINE)
RUNNING = re.compile(r"^\[ RUN      \] (\S+)", re.MULTILINE)
# An argument of a program can be no longer than 128 KiB.
FILTER_CHARACTERS_MAX = 100_000


def _arguments(piece, tests):
    if piece.level != suites.CPP:
        return []
    chosen = ":".join(tests or ())
    is_named = 0 < len(chosen) <= FILTER_CHARACTERS_MAX
    return ["--gtest_fail_fast", *([f"--gtest_filter={chosen}"] if is_named else [])]


def who_failed(said):
    failed = FAILED.search(said)
    if failed:
        return next(filter(None, failed.groups()))
    running = RUNNING.findall(said)
    return running[-1] if running else (said.strip().split("\n") or [""])[-1][:100]


def _verdict(ended):
    if ended.code == 0:
        return SURVIVED
    if ended.is_late:
        return HUNG
    return CRASHED if ended.code < 0 else CAUGHT


def run(number, fault, reaches, level, folder):
    """One row of the results: what the tests of a level see of a fault."""
    near = [reach for reach in reaches if reach.piece.level == level and number in reach.tests]
    row = {"key": fault.key, "level": level, "verdict": SURVIVED if near else UNREACHED, "seconds": 0.0, "pieces": 0}
    for reach in suites.nearest_first(near, fault):
        log = os.path.join(folder, f"{number}.{reach.piece.name.replace('/', '.')}.log")
        limit = 5 * reach.seconds_for(number) + 10
        ended = process.run(reach.piece, {"WHARF_FAULT": str(number)}, _arguments(reach.piece, reach.tests[number]),
                            limit, log)
        row["seconds"] = round(row["seconds"] + ended.seconds, 1)
        row["pieces"] += 1
        row["verdict"] = _verdict(ended)
        if row["verdict"] != SURVIVED:
            with open(log, encoding="utf-8", errors="replace") as file:
                row["by"], row["test"] = reach.piece.name, who_failed(file.read())
            break
        os.remove(log)
    return row
