"""dockerfile: the instructions of deploy/container/Dockerfile."""

import json
import pathlib
import re
import shlex

CONTAINER = pathlib.Path(__file__).resolve().parents[2] / "deploy/container"


def instructions():
    """Each as its name and what stands behind it, in their order."""
    text = re.sub(r"\\\n", " ", (CONTAINER / "Dockerfile").read_text())
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [line.split(None, 1) for line in lines]


def only(name):
    """What stands behind the one instruction of this name."""
    (found,) = [rest for instruction, rest in instructions() if instruction == name]
    return found


def variables(rest):
    """Of an ENV."""
    return dict(word.split("=", 1) for word in shlex.split(rest))


def command(rest):
    """Of an ENTRYPOINT, or behind CMD."""
    return json.loads(rest.split("CMD ")[-1])
