"""source: a copy of the repository with faults written into it, each behind its number."""

import hashlib
import os
import re
import subprocess

import text

SWITCH = '#include "tools/mutate/switch.h"\n#line 1\n'
# Of a fault in a header the compiler would warn where tests include it, and they are built as always.
NO_WARNINGS = "#pragma GCC system_header\n"

# What decides whether a test sees a fault.
MATTERS = re.compile(r"(?:broker|storage|proto|tests(?!/mutants)|tools(?!/mutate))/(?!.*\.md$)")


def instrumented(path, source, numbered):
    """The text of a file with these faults, {number: fault}, in it; its lines keep their numbers."""
    before, after = [], []
    for number, fault in numbered.items():
        switch = f"::wharf_fault::On({number})"
        for begin, end, opening, closing in fault.insertions:
            before.append((begin, -end, number, opening.replace("$", switch)))
            after.append((end, -begin, -number, closing.replace("$", switch)))
    # At one place everything ends before the next thing begins; the inner ends first, the outer begins first.
    inserted = [(at, 0, order, number, words) for at, order, number, words in after]
    inserted += [(at, 1, order, number, words) for at, order, number, words in before]
    pieces, last = [NO_WARNINGS + SWITCH if path.endswith(".h") else SWITCH], 0
    for at, _, _, _, words in sorted(inserted):
        pieces += [source[last:at], words]
        last = at
    return "".join(pieces + [source[last:]])


def files(root):
    """Everything that belongs to the repository, or would."""
    said = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root,
                          check=True, capture_output=True, text=True).stdout
    return sorted({path for path in said.split("\0") if path and os.path.isfile(os.path.join(root, path))})


def _write(path, content, mode):
    """Only what is new: what is built from it depends on its time."""
    if os.path.exists(path) and text.read(path) == content:
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="latin-1", newline="") as file:
        file.write(content)
    os.chmod(path, mode)


def read(root):
    """{path: its text and its mode} of all files as they are now: the places of faults are those of one state of it."""
    paths = ((path, os.path.join(root, path)) for path in files(root))
    return {path: (text.read(place), os.stat(place).st_mode & 0o777) for path, place in paths}


def write(found, copy, numbered):
    """Makes the copy what was read, with these faults."""
    of_file = {}
    for number, fault in numbered.items():
        of_file.setdefault(fault.file, {})[number] = fault
    for path, (source, mode) in found.items():
        if path in of_file:
            source = instrumented(path, source, of_file[path])
        _write(os.path.join(copy, path), source, mode)
    _remove_others(copy, set(found))


def _remove_others(copy, wanted):
    for folder, folders, names in os.walk(copy):
        if folder == copy:
            folders[:] = [name for name in folders if name != "build"]
        folders[:] = [name for name in folders if name not in ("node_modules", "__pycache__")]
        for name in names:
            path = os.path.join(folder, name)
            if os.path.relpath(path, copy) not in wanted:
                os.remove(path)


def fingerprint(found):
    """The same for as long as the sources and the tests are: so long do results hold."""
    known = hashlib.sha256()
    for path, (source, _) in found.items():
        if MATTERS.match(path):
            known.update(f"{path}\0{source}".encode())
    return known.hexdigest()[:12]
