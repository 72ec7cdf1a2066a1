"""tools/snapshot --break: a node that joins has the state in the end, however often either side is killed."""

import os
import pathlib
import subprocess
import unittest

SNAPSHOT = pathlib.Path(__file__).resolve().parents[2] / "tools/snapshot"


@unittest.skipUnless(os.path.exists(os.path.dirname(os.environ["WHARFD"]) + "/libwharfraft.so"),
                     "built without WHARF_CLUSTER")
class SnapshotScriptTest(unittest.TestCase):

    def test_a_state_on_its_way_survives_five_kills_of_either_side(self):  # reliability 35
        ended = subprocess.run([SNAPSHOT, "--break", "0.05"], capture_output=True, text=True, timeout=600, check=False)

        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertRegex(ended.stdout, "the receiver was killed 5 times, the sender 5 times: the node votes\n$")

    def test_what_it_does_not_know_does_nothing(self):
        for words in (["--break", "much"], ["1", "2"]):
            ended = subprocess.run([SNAPSHOT, *words], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((ended.returncode, ended.stdout), (2, ""), words)
            self.assertIn("tools/snapshot --break [GIB]", ended.stderr)


if __name__ == "__main__":
    unittest.main()
