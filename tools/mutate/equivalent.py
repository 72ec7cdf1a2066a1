"""equivalent: the faults that were judged to change nothing that anybody is promised.

A block in the list:

    broker/core/queue/lane.cc Lane::Insert
    - if (a < b) {
    + if (a <= b) {
    Two of them are never equal: numbers are unique.

The lines are those of the file, with single spaces, so a block is good wherever in the function they stand.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    file: str
    function: str
    before: str
    after: str
    reason: str

    def fits(self, fault):
        return (self.file, self.function, self.before, self.after) == (
            fault.file, fault.function, fault.before, fault.after)


def parse(words):
    entries = []
    for block in words.split("\n\n"):
        lines = [line for line in block.split("\n") if line and not line.startswith("#")]
        if not lines:
            continue
        place, before, after, *reason = lines
        file, _, function = place.partition(" ")
        if not before.startswith("-") or not after.startswith("+") or not reason:
            raise ValueError(f"an entry of {place} has no line before, line after and reason")
        entries.append(Entry(file, function, before[1:].strip(), after[1:].strip(), " ".join(reason)))
    return entries


def read(path):
    with open(path) as file:
        return parse(file.read())


def reason_for(fault, entries):
    return next((entry.reason for entry in entries if entry.fits(fault)), None)


def stale(entries, faults):
    """Those that fit no fault any more."""
    return [entry for entry in entries if not any(entry.fits(fault) for fault in faults)]
