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


def diff(source, fault):
    """The fault as a patch."""
    def lines(said):
        return said.encode("latin-1").decode("utf-8").splitlines(keepends=True)

    return "".join(difflib.unified_diff(lines(source), lines(faults.applied(source, fault.changes)),
                                        f"a/{fault.file}", f"b/{fault.file}"))


def _number_and_share(count, of):
    return f"{count:5}  {100 * count / of:5.1f} %" if of else f"{count:5}"


class Report:
    def __init__(self, sample, rows, not_carried, entries, levels):
        self.sample, self.not_carried, self.levels = sample, not_carried, levels
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
        lines = [f"{'kind':28}{'faults':>8}{'caught':>8}{'unseen':>8}"]
        for kind, found in sorted(kinds.items()):
            unseen = found[trial.SURVIVED] + found[trial.UNREACHED]
            lines.append(f"{kind:28}{sum(found.values()):8}{found['caught']:8}{unseen:8}")
        return "\n".join(lines)

    def unseen(self, source_of):
        parts = []
        for what in (trial.SURVIVED, trial.UNREACHED):
            for number in self.numbers(what):
                fault = self.sample[number]
                parts.append(f"# {number}  {fault.kind}, {fault.function}: {what}, {fault.key}\n"
                             f"{diff(source_of(fault.file), fault)}")
        return "\n".join(parts)

    def left_out(self):
        parts = [f"# {number}  not carried, {fault.file} {fault.function}, {fault.kind}: {self.not_carried[number]}"
                 for number, fault in self.sample.items() if number in self.not_carried]
        parts += [f"# {number}  equivalent, {fault.file} {fault.function}: {self.reasons[fault.key]}"
                  for number, fault in self.sample.items()
                  if number not in self.not_carried and self.reasons[fault.key]]
        return "\n".join(parts)
