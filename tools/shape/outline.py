"""outline: the classes and the functions of one C++ source, read without a compiler.

Brackets are matched first; then the declarations of namespaces and classes are taken one by one. What stands between
the braces of a function is not looked at.
"""

import bisect
import pathlib
import re
import sys
from dataclasses import dataclass

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "mutate"))

import text  # noqa: E402

TOKEN = re.compile(r"""[A-Za-z_]\w*|\d[\w.']*|"_*"|'_*'|::|->|\S""")
DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w*)")
CLOSING = dict(zip("([{", ")]}"))
CLASS_KEYS = ("class", "struct", "union")
ACCESS = ("public", "protected", "private")
MACRO = re.compile(r"[A-Z][A-Z0-9_]{2,}$")
# What stands before a parenthesis in a declaration and is not the name of what is declared.
NO_NAMES = frozenset("alignas decltype explicit noexcept requires static_assert throw __attribute__ __declspec".split())


class Unreadable(Exception):
    """The brackets of a source do not match."""


@dataclass(frozen=True)
class Function:
    """One that has a body; from the first line of its declaration, remarks apart, to its last brace."""
    name: str
    line: int
    lines: int


@dataclass
class Class:
    name: str
    line: int
    public: list  # The names of its public functions, one for each overload.


def without_directives(code):
    """The same, as long, without the lines of the preprocessor and without what stands between #else and #endif."""
    kept, continued, taken = [], False, [True]
    for line in code.split("\n"):
        directive = None if continued else DIRECTIVE.match(line)
        if directive:
            if directive[1].startswith("if"):
                taken.append(taken[-1])
            elif directive[1].startswith("el"):
                taken[-1] = False
            elif directive[1] == "endif" and len(taken) > 1:
                taken.pop()
        gone = directive or continued
        continued = bool(gone) and line.endswith("\\")
        kept.append(" " * len(line) if gone or not taken[-1] else line)
    return "\n".join(kept)


class Outline:
    def __init__(self, source):
        code = without_directives(text.masked(source))
        found = list(TOKEN.finditer(code))
        self._words = [match.group() for match in found]
        self._places = [match.start() for match in found]
        self._line_ends = [match.start() for match in re.finditer("\n", code)]
        self._closing = self._matched()
        self.classes, self.functions = [], []
        self._scope(0, len(self._words), ())

    def _line(self, at):
        return bisect.bisect_left(self._line_ends, self._places[at]) + 1

    def _matched(self):
        """Of each bracket that opens: where it closes."""
        closing, opened = {}, []
        for at, word in enumerate(self._words):
            if word in CLOSING:
                opened.append(at)
            elif word in CLOSING.values():
                if not opened or CLOSING[self._words[opened[-1]]] != word:
                    raise Unreadable(f"line {self._line(at)}: {word} closes nothing")
                closing[opened.pop()] = at
        if opened:
            raise Unreadable(f"line {self._line(opened[-1])}: {self._words[opened[-1]]} is never closed")
        return closing

    def _scope(self, at, end, names, owner=None, public=False):
        """What is declared in a namespace, or between the braces of the class `owner`."""
        head = at
        while at < end:
            word = self._words[at]
            if word == ";":
                self._declared(head, at, owner if public else None)
                head = at = at + 1
            elif at == head and word in ACCESS and self._words[at + 1] == ":":
                public = word == "public"
                head = at = at + 2
            elif word == "{":
                over = self._braces(head, at, names, owner if public else None)
                at = self._closing[at] + 1
                head = at if over else head
            else:
                at = self._closing.get(at, at) + 1

    def _braces(self, head, at, names, owner):
        """Goes into what opens here; whether its declaration ends with it."""
        flat = self._flat(head, at)
        words = [word for word, _ in flat]
        begin, end = at + 1, self._closing[at]
        if "namespace" in words[:2] or words[:1] == ["extern"] and words[-1][0] == '"':
            self._scope(begin, end, names)
            return True
        if "=" in words:
            return False
        name = self._function_name(flat, with_body=True)
        if name is None and "enum" not in words and set(CLASS_KEYS) & set(words):
            self._class(flat, begin, end, names)
        if name is None or words[-1] == "requires" or words[-2:] == ["requires", "()"]:
            return False
        if ":" in words and words[-1] not in ("()", "{}"):
            return False  # The constructor's list: `: size_{0}`.
        self.functions.append(Function("::".join((*names, name)), self._line(head),
                                       self._line(end) - self._line(head) + 1))
        self._member(owner, name, words)
        return True

    def _class(self, flat, begin, end, names):
        words = [word for word, _ in flat]
        key = next(i for i, word in enumerate(words) if word in CLASS_KEYS)
        bases = words.index(":") if ":" in words else len(words)
        called = [word for word in words[key + 1:bases] if re.match(r"\w|::", word) and not MACRO.match(word)
                  and word not in ("final", "alignas")]
        name = "::".join((*names, "".join(called) or "(unnamed)"))
        self.classes.append(Class(name, self._line(flat[key][1]), []))
        self._scope(begin, end, (name,), self.classes[-1], public=words[key] != "class")

    def _declared(self, begin, end, owner):
        """What ends with a semicolon: of interest where it is a public function."""
        if owner is not None:
            flat = self._flat(begin, end)
            self._member(owner, self._function_name(flat), [word for word, _ in flat])

    @staticmethod
    def _member(owner, name, words):
        if owner is None or name is None or "friend" in words or words[-2:] == ["=", "delete"]:
            return
        if name.lstrip("~") != owner.name.rpartition("::")[2] and not name.startswith("operator "):
            owner.public.append(name)

    def _flat(self, begin, end):
        """(word, place) of a declaration, with what stands in brackets left out: `()`, `<>`."""
        flat, at = [], begin
        while at < end:
            word = self._words[at]
            if word in CLOSING:
                flat.append((word + CLOSING[word], at))
                at = self._closing[at] + 1
            elif word == "<" and flat and (angle := self._angle(at, end)):
                flat.append(("<>", at))
                at = angle + 1
            elif word == "operator":
                name_end = at + 3 if self._words[at + 1] == "(" else self._next("(", at, end)
                flat.append(("operator " + "".join(self._words[at + 1:name_end]), at))
                at = name_end
            else:
                flat.append((word, at))
                at += 1
        return flat

    def _next(self, word, at, end):
        return next((i for i in range(at, end) if self._words[i] == word), end)

    def _angle(self, at, end):
        """Where the angle bracket closes; None: it is the operator."""
        depth = 0
        while at < end:
            depth += {"<": 1, ">": -1}.get(self._words[at], 0)
            if depth == 0:
                return at
            at = self._closing.get(at, at) + 1
        return None

    def _function_name(self, flat, with_body=False):
        """What the declaration calls its function; None if it declares something else."""
        for i, (word, at) in enumerate(flat):
            if word == "=":
                return None
            if word != "()" or i == 0:
                continue
            name = i - 1
            if flat[name][0] == "<>" and name > 1:  # f<int>(...)
                name -= 1
            called = flat[name][0]
            if called.startswith("operator "):
                return _qualified(flat, name)
            if not re.match(r"[A-Za-z_]", called) or called in NO_NAMES or self._words[at + 1] in ("*", "&"):
                continue
            if MACRO.match(called):
                if name == 0 and with_body and i == len(flat) - 1:  # TEST(Suite, Name) {
                    return called + "(" + "".join(self._words[at + 1:self._closing[at]]).replace(",", ", ") + ")"
                continue
            return _qualified(flat, name)
        return None


def _qualified(flat, at):
    """The name that ends here, with its classes before it: `Lane::Image::size`, `Lane::~Lane`."""
    name = flat[at][0]
    at -= 1
    if at >= 0 and flat[at][0] == "~":
        name = "~" + name
        at -= 1
    while at > 0 and flat[at][0] == "::":
        at -= 1
        if flat[at][0] == "<>":
            at -= 1
        if not re.match(r"[A-Za-z_]\w*$", flat[at][0]):
            break
        name = flat[at][0] + "::" + name
        at -= 1
    return name
