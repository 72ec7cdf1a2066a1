"""shape: how large the classes, headers, folders and functions of a tree are."""

import collections
from dataclasses import dataclass

import outline

# As a guide, not a law. What is larger says in its head why.
PUBLIC_FUNCTIONS_MAX, HEADER_LINES_MAX, FOLDER_FILES_MAX = 25, 250, 30


@dataclass(frozen=True)
class Measure:
    """How large something is, and where it stands."""
    size: int
    place: str = ""


@dataclass
class Shape:
    """Of each kind: {name: measure}. Of several with one name the largest is "f", the next "f #2"."""
    classes: dict
    headers: dict
    folders: dict
    functions: dict
    unreadable: list


def _named(measures):
    """{name: measure} of (name, measure)."""
    named, seen = {}, {}
    for name, measure in sorted(measures, key=lambda row: -row[1].size):
        seen[name] = seen.get(name, 0) + 1
        named[name if seen[name] == 1 else f"{name} #{seen[name]}"] = measure
    return named


def of(files, rooms):
    """The shape of {path: bytes}; of the classes, headers and functions in these folders."""
    classes, functions, unreadable = [], [], []
    sources = {path: content for path, content in sorted(files.items()) if path.endswith((".h", ".cc"))
               and any(path.startswith(room.rstrip("/") + "/") for room in rooms)}
    for path, content in sources.items():
        try:
            read = outline.Outline(content.decode(errors="replace"))
        except outline.Unreadable as error:
            unreadable.append(f"{path}: {error}")
            continue
        classes += [(made.name, Measure(len(made.public), path)) for made in read.classes]
        functions += [(made.name, Measure(made.lines, f"{path}:{made.line}")) for made in read.functions]
    headers = {path: Measure(content.count(b"\n")) for path, content in sources.items() if path.endswith(".h")}
    folders = collections.Counter(path.rpartition("/")[0] or "." for path in files)
    return Shape(_named(classes), headers, {folder: Measure(count) for folder, count in folders.items()},
                 _named(functions), unreadable)


def percentile(sizes, percent):
    """The smallest size that so many in a hundred do not exceed; 0 of nothing."""
    ordered = sorted(sizes)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)] if ordered else 0
