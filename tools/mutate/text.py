"""text: C++ as text: what of it is code, where a bracket closes, which operator binds loosest.

Offsets count bytes, as libclang's do: files are read as Latin-1, in which a byte is a character.
"""

import re

NO_CODE = re.compile(
    r"""(?P<number>\b\d[\w.']*)
      | (?P<comment>//[^\n]* | /\*.*?\*/)
      | (?P<raw>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)")
      | (?P<string>"(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*')""",
    re.VERBOSE | re.DOTALL)

MACRO = re.compile(r"\b(?:assert|[A-Z][A-Z0-9_]{2,})\(|^[ \t]*#(?:[^\n\\]|\\.)*", re.MULTILINE | re.DOTALL)

# From the loosest; the house's formatter puts a space on both sides of each.
PRECEDENCE = (("?", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="), ("||",), ("&&",), ("|",),
              ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("<=>",), ("<<", ">>"), ("+", "-"),
              ("*", "/", "%"))
RANK = {operator: rank for rank, operators in enumerate(PRECEDENCE) for operator in operators}
OPERATOR = re.compile(
    r"(?<=\s)(?:" + "|".join(map(re.escape, sorted(RANK, key=len, reverse=True))) + r")(?=\s)")

OPENING, CLOSING = "([{", ")]}"


def read(path):
    with open(path, encoding="latin-1", newline="") as file:
        return file.read()


def _blank(match):
    found = match.group()
    if match["number"]:
        return found
    if match["comment"]:
        return re.sub(r"[^\n]", " ", found)
    return found[0] + re.sub(r"[^\n]", "_", found[1:-1]) + found[-1]


def masked(text):
    """The same, as long, with comments blank and nothing in the strings."""
    return NO_CODE.sub(_blank, text)


def closing(code, opening):
    """Where the bracket closes that opens here, in masked text."""
    depth = 0
    for at in range(opening, len(code)):
        if code[at] in OPENING:
            depth += 1
        elif code[at] in CLOSING:
            depth -= 1
            if depth == 0:
                return at
    return len(code)


def outside_brackets(code, begin, end):
    """The same stretch, with what stands in brackets blank."""
    kept, depth = [], 0
    for character in code[begin:end]:
        if character in CLOSING:
            depth -= 1
        kept.append(character if depth == 0 else "_")
        if character in OPENING:
            depth += 1
    return "".join(kept)


def loosest_operator(code, begin, end):
    """(operator, from, to) of the one that is evaluated last; None without one."""
    found = list(OPERATOR.finditer(outside_brackets(code, begin, end)))
    if not found:
        return None
    last = min(reversed(found), key=lambda match: RANK[match.group()])
    return last.group(), begin + last.start(), begin + last.end()


def macros(code):
    """The stretches that the preprocessor makes something else of."""
    found = []
    for match in MACRO.finditer(code):
        end = match.end() if code[match.end() - 1] != "(" else closing(code, match.end() - 1) + 1
        found.append((match.start(), end))
    return found


def on_one_line(text):
    """The same code without comments and line feeds."""
    bare = NO_CODE.sub(lambda match: " " if match["comment"] else match.group(), text)
    return re.sub(r"\s*\n\s*", " ", bare).strip()
