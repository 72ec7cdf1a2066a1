"""Clients in Node dial our endpoint: rhea, which Azure's JavaScript SDK is built on, and amqp10. What they do there
stands in node/."""

import pathlib
import subprocess
import unittest

from endpoint import TIME, listening

NODE = pathlib.Path(__file__).resolve().parent / "node"


def major_version():
    told = subprocess.run(["node", "--version"], check=True, stdout=subprocess.PIPE, text=True)
    return int(told.stdout.removeprefix("v").split(".")[0])


def install():
    subprocess.run([NODE.parents[2] / "node_packages", NODE], check=True, stdout=subprocess.DEVNULL)


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
