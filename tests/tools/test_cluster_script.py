#!/usr/bin/python3 -B
"""test_cluster_script: tools/cluster, as somebody uses it who tries what happens when a node dies: cut, heal, kill,
pause, resume and add.

  tests/tools/test_cluster_script.py

One cluster for all of it, with ports and a folder of its own. Needs WHARFD, the path of the daemon that was built
(default: the release build), with the other programs beside it.
"""

import ctypes
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("WHARFD", ROOT / "build/release/bin/wharfd")).resolve().parent
TIMEOUT = 60  # seconds; only a broken script, or broker, takes so long
STANDS_STILL = 3  # seconds: who says nothing for so long
LAST_PORT = 120  # From the first one on.
PR_SET_CHILD_SUBREAPER = 36


def is_free(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def free_ports():
    """A number behind which as many ports are free as a cluster has, below those that connections are given."""
    while True:
        first = random.randrange(20_000, 32_000, LAST_PORT + 1)
        if all(is_free(first + number) for number in range(1, LAST_PORT)):
            return first


@unittest.skipUnless((BIN / "libwharfraft.so").exists(), "built without WHARF_CLUSTER")
class ClusterScriptTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.mkdtemp(prefix="wharf-cluster-")
        cls.environment = {**os.environ, "WHARF_CLUSTER_HOME": cls.home, "WHARF_CLUSTER_PORT": str(free_ports()),
                           "WHARF_CLUSTER_BIN": str(BIN)}
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        # The daemons are this process's children when the script has ended, and it asks for none of those that end: as
        # where no init does.
        assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1) == 0
        cls.addClassCleanup(cls.kill_all)
        said = cls.script("start")
        assert said.returncode == 0, said.stderr
        cls.addresses = said.stdout.split("WHARF_ADDRESS=")[1].split()[0]

    @classmethod
    def kill_all(cls):
        """Whatever a test left: nothing may outlive it."""
        for file in pathlib.Path(cls.home).glob("*.pid"):
            try:
                os.kill(int(file.read_text()), signal.SIGKILL)
            except (OSError, ValueError):
                pass

    @classmethod
    def script(cls, *arguments):
        return subprocess.run([ROOT / "tools/cluster", *map(str, arguments)], env=cls.environment, capture_output=True,
                              text=True, timeout=TIMEOUT, check=False)

    def cluster(self, *arguments):
        said = self.script(*arguments)
        self.assertEqual(said.returncode, 0, (arguments, said.stderr))
        return said.stdout

    def wharf(self, *arguments, addresses=None, timeout=TIMEOUT):
        return subprocess.run([BIN / "wharf", "--address", addresses or self.addresses, *arguments],
                              capture_output=True, text=True, timeout=timeout, check=False)

    def said_by(self, node):
        """What one node knows; nothing: it does not answer."""
        port = int(self.environment["WHARF_CLUSTER_PORT"]) + node
        try:
            said = self.wharf("--connect-timeout", "500ms", "cluster", "status", "--json",
                              addresses=f"127.0.0.1:{port}", timeout=STANDS_STILL)
        except subprocess.TimeoutExpired:
            return {}
        return json.loads(said.stdout) if said.returncode == 0 else {}

    def eventually(self, look, what):
        end = time.monotonic() + TIMEOUT
        while not look():
            self.assertLess(time.monotonic(), end, what)

    def leader(self, *among):
        """The number of a node that leads and says so itself."""
        found = []

        def look():
            found[:] = [node for node in among or (1, 2, 3) if self.said_by(node).get("leader") == f"n{node}"]
            return found
        self.eventually(look, "nobody leads")
        return found[0]

    def others(self, node):
        return [other for other in (1, 2, 3) if other != node]

    def assert_serves(self):
        for command in (("send", "orders", "x"), ("receive", "orders", "--wait", "5s")):
            self.eventually(lambda command=command: self.wharf(*command).returncode == 0, command)

    def test_all_of_it(self):
        self.wharf("queue", "create", "orders")
        self.assert_serves()
        for story in (self.cut_and_heal, self.pause_and_resume, self.kill_and_start, self.refuse, self.add_one,
                      self.stop):
            with self.subTest(story.__name__):
                story()

    def cut_and_heal(self):
        leader = self.leader()
        self.cluster("cut", leader)
        self.leader(*self.others(leader))
        self.assert_serves()
        self.eventually(lambda: self.said_by(leader).get("leader", "") == "", "who is cut off believes that it leads")

        self.cluster("heal")
        self.eventually(lambda: self.said_by(leader).get("leader") not in ("", None, f"n{leader}"),
                        "who was cut off does not hear who leads")

    def pause_and_resume(self):
        leader = self.leader()
        self.cluster("pause", leader)
        self.leader(*self.others(leader))
        self.assertEqual(self.said_by(leader), {}, "who stands still answers")

        self.cluster("resume", leader)
        self.eventually(lambda: self.said_by(leader).get("leader") not in ("", None, f"n{leader}"),
                        "who goes on believes that it leads")
        self.assert_serves()

    def kill_and_start(self):
        leader = self.leader()
        self.cluster("kill", leader)
        self.leader(*self.others(leader))
        self.assert_serves()
        self.assertEqual(self.script("kill", leader).returncode, 1, "a node that does not run is killed")

        self.assertIn("export WHARF_ADDRESS=" + self.addresses, self.cluster("start"))
        self.eventually(lambda: self.said_by(leader).get("leader"), "who was started again finds nobody")

    def refuse(self):
        for arguments in (("kill", 9), ("cut", 0), ("pause",), ("resume", "n1"), ("heel",), ()):
            said = self.script(*arguments)
            self.assertIn(said.returncode, (1, 2), arguments)
            self.assertRegex(said.stderr, "cluster: ", arguments)

    def add_one(self):
        said = self.cluster("add")

        members = self.said_by(self.leader(1, 2, 3, 4))["members"]
        self.assertEqual([member["name"] for member in members if member.get("voter")], ["n1", "n2", "n3", "n4"])
        type(self).addresses = said.split("WHARF_ADDRESS=")[1].split()[0]
        self.assertEqual(self.addresses.count(","), 3)
        self.cluster("kill", self.leader(1, 2, 3, 4))
        self.assert_serves()

    def stop(self):
        self.cluster("stop")

        self.assertEqual([node for node in (1, 2, 3, 4) if self.said_by(node)], [])
        self.cluster("wipe")
        self.assertFalse(os.path.exists(self.home))


if __name__ == "__main__":
    unittest.main()
