"""faults: the kinds of small faults, and what each writes into the copy.

A fault is carried by insertions alone, so that faults nest: before and after a stretch of code goes
text in which $ stands for "this fault is on". What a reader sees of it are the changes: stretches, and what a
person would have written there.
"""

import dataclasses
import hashlib
import re

import text

CONDITION = "condition turned round"
LOGIC = "and for or"
BOUNDARY = "boundary"
EQUALITY = "equality turned round"
ONE_OFF = "one off"
FLIPPED = "flag flipped"
CALL = "call left out"
CHANGE = "change not pushed"
ROW = "row not written"
WAKE = "wake-up not given"
CHECK = "check left out"
ASSIGNMENT = "assignment left out"
JUMP = "way out left out"
NEIGHBOUR = "neighbour's argument"

OTHER_OPERATOR = {
    "&&": (LOGIC, "||"), "||": (LOGIC, "&&"),
    "<": (BOUNDARY, "<="), "<=": (BOUNDARY, "<"), ">": (BOUNDARY, ">="), ">=": (BOUNDARY, ">"),
    "==": (EQUALITY, "!="), "!=": (EQUALITY, "=="),
}

# A statement that calls one of these, or names one of these, has a better name than "call left out".
NAMED_CALLS = (
    (CHANGE, re.compile(r"\bchanges_?(?:\.|->)(?:push_back|emplace_back|insert)\(")),
    (ROW, re.compile(r"\b(?:Put|Delete|DeleteRange|SingleDelete)\(|\bbatch\b|\brows?_?\b")),
    (WAKE, re.compile(r"[Nn]otify|[Ww]ake|[Ss]tir|[Kk]ick|[Aa]rm\(|Post\(|Schedule\(|Signal|\bRing")),
)


@dataclasses.dataclass(frozen=True)
class Fault:
    file: str
    function: str
    kind: str
    insertions: tuple  # (begin, end, before, after)
    changes: tuple  # (begin, end, text)
    before: str = ""  # The lines that change, as one, and what becomes of them: see named().
    after: str = ""
    twin: int = 0  # How many of the same words come before it in the function.

    @property
    def begin(self):
        return self.changes[0][0]

    @property
    def key(self):
        """The same for as long as its line and its function are."""
        words = "\0".join((self.file, self.function, self.kind, self.before, self.after, str(self.twin)))
        return hashlib.sha256(words.encode()).hexdigest()[:12]

    def lines(self, source):
        """The first and the last line it touches."""
        begins, ends = zip(*(stretch[:2] for stretch in self.changes))
        return source.count("\n", 0, min(begins)) + 1, source.count("\n", 0, max(ends)) + 1


def _words(source):
    return re.sub(r"\s+", " ", source).strip()


def applied(source, changes):
    for begin, end, new in sorted(changes, reverse=True):
        source = source[:begin] + new + source[end:]
    return source


def named(faults, source):
    """The faults of one file, each with its words and, where several have the same, its number among them."""
    seen = {}
    for fault in sorted(faults, key=lambda fault: (fault.begin, fault.kind, fault.changes)):
        begin = source.rfind("\n", 0, min(change[0] for change in fault.changes)) + 1
        end = source.find("\n", max(change[1] for change in fault.changes) - 1)
        moved = [(first - begin, last - begin, new) for first, last, new in fault.changes]
        before, after = source[begin:end], applied(source[begin:end], moved)
        words = (fault.function, fault.kind, _words(before), _words(after))
        twin = seen[words] = seen.get(words, -1) + 1
        yield dataclasses.replace(fault, before=words[2], after=words[3], twin=twin)


class Maker:
    """Makes the faults of one file."""

    def __init__(self, file, source, code):
        self.file, self.source, self.code = file, source, code

    def _fault(self, function, kind, insertions, changes):
        return Fault(self.file, function, kind, tuple(insertions), tuple(changes))

    def _one(self, function, kind, stretch, before, after, faulty):
        return self._fault(function, kind, [(*stretch, before, after)], [(*stretch, faulty)])

    def _said(self, begin, end):
        return text.on_one_line(self.source[begin:end])

    def _not(self, begin, end):
        said = self.source[begin:end]
        if said in ("true", "false"):
            return "false" if said == "true" else "true"
        if text.loosest_operator(self.code, begin, end):
            return f"!({said})"
        return said[1:] if said.startswith("!") else f"!{said}"

    def condition(self, function, begin, end):
        return self._one(function, CONDITION, (begin, end), "($ != static_cast<bool>(", "))", self._not(begin, end))

    def operator(self, function, begin, end):
        """Of an expression that is true or false; None when it is no comparison."""
        found = text.loosest_operator(self.code, begin, end)
        if not found or found[0] not in OTHER_OPERATOR:
            return None
        operator, first, last = found
        left, right = self._said(begin, first), self._said(last, end)
        if not left or not right:
            return None
        kind, other = OTHER_OPERATOR[operator]
        faulty = f"({left}) {other} ({right})" if kind == LOGIC else f"{left} {other} {right}"
        return self._fault(function, kind, [(begin, end, f"($ ? ({faulty}) : (", "))")], [(first, last, other)])

    def one_off(self, function, begin, end):
        said = self.source[begin:end]
        return self._one(function, ONE_OFF, (begin, end), "::wharf_fault::More($, ", ")", f"{said} + 1")

    def flipped(self, function, begin, end):
        return self._one(function, FLIPPED, (begin, end), "($ != static_cast<bool>(", "))", self._not(begin, end))

    def left_out(self, function, kind, begin, end, stands_alone):
        """A whole statement with its semicolon. An `else` behind it still belongs to the `if` before it."""
        if kind == CALL:
            said = self._said(begin, end)
            kind = next((name for name, words in NAMED_CALLS if words.search(said)), CALL)
        faulty = "" if stands_alone else ";"
        return self._one(function, kind, (begin, end), "if ($) {} else ", "", faulty)

    def exchanged(self, function, first, second):
        """Two neighbouring arguments."""
        left, right = self._said(*first), self._said(*second)
        return self._fault(
            function, NEIGHBOUR,
            [(*first, f"($ ? ({right}) : (", "))"), (*second, f"($ ? ({left}) : (", "))")],
            [(*first, right), (*second, left)])
