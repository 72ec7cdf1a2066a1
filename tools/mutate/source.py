"""source: a copy of the repository with faults written into it, each behind its number."""

import hashlib
import os
import re
import subprocess

import text

SWITCH = '#include "tools/mutate/switch.h"\n#line 1\n'

# What decides whether a test sees a fault.
MATTERS = re.compile(r"(?:broker|storage|proto|tests(?!/mutants)|tools(?!/mutate))/(?!.*\.md$)")


def instrumented(source, numbered):
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
    pieces, last = [SWITCH], 0
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


def write(root, copy, numbered):
    """Makes the copy what the repository is now, with these faults."""
    of_file = {}
    for number, fault in numbered.items():
        of_file.setdefault(fault.file, {})[number] = fault
    wanted = files(root)
    for path in wanted:
        source = text.read(os.path.join(root, path))
        if path in of_file:
            source = instrumented(source, of_file[path])
        _write(os.path.join(copy, path), source, os.stat(os.path.join(root, path)).st_mode & 0o777)
    _remove_others(copy, set(wanted))


def _remove_others(copy, wanted):
    for folder, folders, names in os.walk(copy):
        if folder == copy:
            folders[:] = [name for name in folders if name != "build"]
        folders[:] = [name for name in folders if name not in ("node_modules", "__pycache__")]
        for name in names:
            path = os.path.join(folder, name)
            if os.path.relpath(path, copy) not in wanted:
                os.remove(path)


def fingerprint(root):
    """The same for as long as the sources and the tests are: so long do results hold."""
    known = hashlib.sha256()
    for path in files(root):
        if MATTERS.match(path):
            known.update(f"{path}\0{text.read(os.path.join(root, path))}".encode())
    return known.hexdigest()[:12]
