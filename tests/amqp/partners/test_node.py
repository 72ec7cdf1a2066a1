"""Clients in Node dial our endpoint: rhea, which Azure's JavaScript SDK is built on, and amqp10. What they do there
stands in node/."""

import fcntl
import filecmp
import pathlib
import shutil
import subprocess
import unittest

from endpoint import TIME, listening

NODE = pathlib.Path(__file__).resolve().parent / "node"
INSTALLED = NODE / "node_modules/.installed-from"


def major_version():
    told = subprocess.run(["node", "--version"], check=True, stdout=subprocess.PIPE, text=True)
    return int(told.stdout.removeprefix("v").split(".")[0])


def install():
    """Once for each lock file, whoever else asks for it meanwhile."""
    lock = NODE / "package-lock.json"
    with open(lock, encoding="utf-8") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not INSTALLED.exists() or not filecmp.cmp(lock, INSTALLED, shallow=False):
            subprocess.run(["npm", "ci", "--loglevel=error", "--no-audit", "--no-fund"], cwd=NODE, check=True)
            shutil.copyfile(lock, INSTALLED)


class NodeDials(unittest.TestCase):
    def tell(self, story, *steps):
        install()
        told = subprocess.run(["node", story, str(listening(self))], cwd=NODE, timeout=TIME, stdout=subprocess.PIPE,
                              text=True)
        self.assertEqual(told.stdout.splitlines(), list(steps))
        self.assertEqual(told.returncode, 0)

    def test_rhea_sends_settles_in_two_phases_releases_drains_and_closes(self):
        self.tell("rhea_story.mjs", "open", "sent", "settled in two phases", "released", "drained", "refused", "closed")

    def test_amqp10_sends_and_receives(self):
        self.tell("amqp10_story.mjs", "open", "sent", "received", "closed")
