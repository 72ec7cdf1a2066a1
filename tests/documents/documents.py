"""documents: what a reader would type, out of a page of Markdown.

A fenced block belongs to one of these languages:

  sh        commands, run in one shell from the top of the page to its end; each line must succeed
  console   the same, with what they print: lines behind `$ ` are run, and the others must come, in this order. `...` stands
            for any text within a line, and alone on a line for any lines
  python    a program, run where the shell stands
  js        a program, run by node
  cpp       must stand, line by line, in tests/documents/library.cc, which is compiled and run
  (none)    a picture; nothing is done with it

A comment in the line before a block says what is special about it:

  <!-- not run: why -->          it cannot be run by a test; its reason is told
  <!-- interrupted -->           its commands go on until Ctrl-C: each gets one when it has had time to work
"""

import dataclasses
import re

LANGUAGES = ("sh", "console", "python", "js", "cpp", "")
NOTE = re.compile(r"<!-- (not run: .+|interrupted) -->")


class DocumentError(Exception):
    """The page itself is wrong."""


@dataclasses.dataclass
class Block:
    language: str
    line: int  # Of its first line of text, counted from 1.
    lines: list
    note: str = ""

    @property
    def reason(self):
        """Why it is not run; empty if it is."""
        return self.note.removeprefix("not run: ") if self.note.startswith("not run: ") else ""

    @property
    def is_interrupted(self):
        return self.note == "interrupted"

    @property
    def text(self):
        return "".join(line + "\n" for line in self.lines)


@dataclasses.dataclass
class Step:
    """A command of a transcript, and what it shall print."""
    line: int
    command: str
    wanted: list


def blocks_of(text):
    """All fenced blocks of a page, in their order."""
    blocks, block, note = [], None, ""
    for number, line in enumerate(text.splitlines(), start=1):
        if block is not None:
            if line.strip() == "```":
                blocks.append(block)
                block = None
            else:
                block.lines.append(line)
            continue
        if line.startswith("```"):
            language = line[3:].strip()
            if language not in LANGUAGES:
                raise DocumentError(f"line {number}: a block of '{language}'; there are {', '.join(LANGUAGES[:-1])}")
            block, note = Block(language, number + 1, [], note), ""
        else:
            found = NOTE.fullmatch(line.strip())
            note = found.group(1) if found else ""
    if block is not None:
        raise DocumentError(f"line {block.line - 1}: a block that is not closed")
    return blocks


def steps_of(block):
    """The commands of a transcript; one that ends with a backslash goes on in the next line."""
    steps, goes_on = [], False
    for number, line in enumerate(block.lines, start=block.line):
        if goes_on:
            steps[-1].command += "\n" + line
        elif line.startswith("$ "):
            steps.append(Step(number, line[2:], []))
        elif steps:
            steps[-1].wanted.append(line)
        else:
            raise DocumentError(f"line {number}: a transcript begins with a command behind '$ '")
        goes_on = bool(steps) and steps[-1].command.endswith("\\") and not steps[-1].wanted
    return steps


def is_as_shown(wanted, printed):
    """Whether lines are what a transcript shows."""
    pattern = ""
    for line in wanted:
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += r"[^\n]*".join(map(re.escape, line.rstrip().split("..."))) + r"[^\S\n]*\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None
