"""report: what became of the faults, in numbers, and as diffs those that nobody saw."""

import collections
import difflib

import equivalent
import faults
import suites
import trial

LEVELS = (suites.CPP, suites.DAEMON, suites.CRASH)
SEEN = (trial.CAUGHT, trial.CRASHED, trial.HUNG)


def outcome(fault, rows, levels):
    """(what, row): caught by a level, survived, not reached, or not yet run."""
    own = [row for row in rows if row["key"] == fault.key]
    for row in own:
        if row["verdict"] in SEEN:
            return "caught", row
    if {row["level"] for row in own} >= set(levels):
        is_reached = any(row["verdict"] == trial.SURVIVED for row in own)
        return (trial.SURVIVED if is_reached else trial.UNREACHED), None
    return "not yet run", None


def _whole_line(source, change):
    """What leaves nothing of its line takes the line with it."""
    begin, end, new = change
    first, last = source.rfind("\n", 0, begin) + 1, source.find("\n", end)
    is_alone = not new and not source[first:begin].strip() and not source[end:last].strip()
    return (first, last + 1, new) if is_alone else change


def diff(source, fault):
    """The fault as a patch."""
    def lines(said):
        return said.encode("latin-1").decode("utf-8").splitlines(keepends=True)

    changes = [_whole_line(source, change) for change in fault.changes]
    return "".join(difflib.unified_diff(lines(source), lines(faults.applied(source, changes)),
                                        f"a/{fault.file}", f"b/{fault.file}"))


def _number_and_share(count, of):
    return f"{count:5}  {100 * count / of:5.1f} %" if of else f"{count:5}"


class Report:
    def __init__(self, sample, rows, not_carried, entries, levels, is_partial=False):
        self.sample, self.not_carried, self.levels, self.is_partial = sample, not_carried, levels, is_partial
        self.reasons = {fault.key: equivalent.reason_for(fault, entries) for fault in sample.values()}
        self.of = {}
        for number, fault in sample.items():
            if number in not_carried:
                self.of[number] = ("not carried", None)
            elif self.reasons[fault.key]:
                self.of[number] = ("equivalent", None)
            else:
                self.of[number] = outcome(fault, rows, levels)

    def numbers(self, what):
        return [number for number, (found, _) in self.of.items() if found == what]

    def counts(self):
        of = len(self.sample)
        lines = [f"{of} faults"]
        for level in self.levels:
            by = [row for _, row in self.of.values() if row and row["level"] == level]
            manners = collections.Counter(row["verdict"] for row in by)
            told = ", ".join(f"{count} {manner}" for manner, count in manners.most_common())
            lines.append(f"{_number_and_share(len(by), of)}  caught by {level} tests" + (f": {told}" if told else ""))
        for what in (trial.SURVIVED, trial.UNREACHED, "equivalent", "not carried", "not yet run"):
            lines.append(f"{_number_and_share(len(self.numbers(what)), of)}  {what}")
        return "\n".join(lines)

    def by_kind(self):
        kinds = collections.defaultdict(collections.Counter)
        for number, (what, _) in self.of.items():
            kinds[self.sample[number].kind][what] += 1
        for number in self.unseen():
            kinds[self.sample[number].kind]["unseen"] += 1
        lines = [f"{'kind':28}{'caught':>8}{'unseen':>8}"]
        lines += [f"{kind:28}{found['caught']:8}{found['unseen']:8}" for kind, found in sorted(kinds.items())]
        return "\n".join(lines)

    def unseen(self):
        """What some programs do not come by, others may."""
        whats = (trial.SURVIVED,) if self.is_partial else (trial.SURVIVED, trial.UNREACHED)
        return [number for what in whats for number in self.numbers(what)]

    def diffs(self, source_of):
        parts = []
        for number in self.unseen():
            fault = self.sample[number]
            parts.append(f"# {number}  {fault.kind}, {fault.function}: {self.of[number][0]}, {fault.key}\n"
                         f"{diff(source_of(fault.file), fault)}")
        return "\n".join(parts)

    def left_out(self):
        parts = [f"# {number}  not carried, {fault.file} {fault.function}, {fault.kind}: {self.not_carried[number]}"
                 for number, fault in self.sample.items() if number in self.not_carried]
        parts += [f"# {number}  equivalent, {fault.file} {fault.function}: {self.reasons[fault.key]}"
                  for number, fault in self.sample.items()
                  if number not in self.not_carried and self.reasons[fault.key]]
        return "\n".join(parts)
