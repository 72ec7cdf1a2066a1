"""commands: what `wharf help --json` says that there is, for tests that must leave no command out."""

import json
import subprocess

import daemon_test
import wire


def table():
    """Of the program, with those of its commands in it, and of theirs."""
    told = subprocess.run([daemon_test.WHARF, "help", "--json"], stdout=subprocess.PIPE, timeout=wire.TIMEOUT,
                          check=True)
    return json.loads(told.stdout)


def parents(of):
    """Those that have commands below them, this one first."""
    if of["commands"]:
        yield of
    for each in of["commands"]:
        yield from parents(each)


def leaves(of):
    """The commands that do something, without the program's name."""
    if not of["commands"]:
        return [of["command"].removeprefix("wharf ")]
    return [command for each in of["commands"] for command in leaves(each)]


def names_below(of):
    return [each["command"].split()[-1] for each in of["commands"]]
