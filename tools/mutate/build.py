"""build: compiles the copy, and takes out the faults that do not compile."""

import json
import os
import re
import subprocess
import sys

import source
import text

ERROR = re.compile(r"^(\S+?):(\d+):\d+: (?:fatal )?error: (.*)$", re.MULTILINE)
# Where the compiler came from when it complained of somebody else's header.
ON_THE_WAY = re.compile(r"^(\S+?):(\d+):\d+: +(required from.*)$", re.MULTILINE)
# Headers that the build makes, and that libclang needs to read ours.
GENERATED = re.compile(r"^((?:proto|broker)/\S+\.(?:pb\.h|hh)):", re.MULTILINE)
# What is compiled of ours: a file, or a piece that includes several; no source that the build made.
OURS = re.compile(r"(?:build/release/(?:broker|storage)/\S*/Unity|broker|storage)/")


def units(root):
    """What the release build compiles of the rooms, several files as one, as libclang shall read them."""
    folder = os.path.join(root, "build/release")
    subprocess.run(["cmake", "--preset", "release", "--log-level=WARNING"], cwd=root, check=True,
                   stdout=subprocess.DEVNULL)
    headers = subprocess.run(["ninja", "-t", "targets", "all"], cwd=folder, check=True, capture_output=True,
                             text=True).stdout
    subprocess.run(["ninja", "--quiet", *GENERATED.findall(headers)],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "compile_commands.json")) as file:
        commands = json.load(file)
    return [unit for unit in commands if OURS.match(os.path.relpath(unit["file"], root))]


def _compile(copy, targets, log):
    jobs = os.environ.get("WHARF_JOBS", str(os.cpu_count()))
    plain = {**os.environ, "LC_ALL": "C"}
    with open(log, "w") as file:
        subprocess.run(["cmake", "--preset", "release", "--log-level=WARNING", "-DWHARF_TESTS=ON", "-DWHARF_FAULTS=ON"],
                       cwd=copy, check=True, stdout=file, stderr=file)
        built = subprocess.run(["ninja", "-C", "build/release", "-k", "0", "-j", jobs, *targets], cwd=copy, env=plain,
                               stdout=file, stderr=file)
    return built.returncode == 0


def _refused(found, copy, numbered, places):
    """{number: what the compiler says} of the faults on the lines that it complains of."""
    refused = {}
    for path, line, said in places:
        path = os.path.relpath(os.path.join(copy, "build/release", path), copy)
        for number, fault in numbered.items():
            if fault.file != path:
                continue
            first, last = fault.lines(found[path][0])
            if first <= int(line) <= last:
                refused.setdefault(number, said)
    return refused


def build(found, copy, numbered, targets, log):
    """Builds the targets, or all without any; {number: reason} of what had to be taken out again. `found`: what was
    read of the repository (source.read)."""
    not_carried = {}
    while True:
        kept = {number: fault for number, fault in numbered.items() if number not in not_carried}
        source.write(found, copy, kept)
        if _compile(copy, targets, log):
            return not_carried
        said = text.read(log)
        refused = (_refused(found, copy, kept, ERROR.findall(said)) or
                   _refused(found, copy, kept, ON_THE_WAY.findall(said)))
        if not refused:
            sys.exit(f"mutate: the copy does not build, and not for a fault in it; see {log}")
        not_carried.update(refused)
