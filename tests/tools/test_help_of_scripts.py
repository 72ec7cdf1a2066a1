#!/usr/bin/python3 -B
"""test_help_of_scripts: each script of tools/ says what it is for when it is asked, and does nothing else.

  tests/tools/test_help_of_scripts.py

Needs WHARFD, the path of the daemon that was built (default: the release build).
"""

import os
import pathlib
import subprocess
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
os.environ.setdefault("WHARFD", str(TOOLS.parent / "build/release/bin/wharfd"))
SCRIPTS = sorted(path for path in TOOLS.iterdir() if path.is_file() and os.access(path, os.X_OK))


class HelpOfScriptsTest(unittest.TestCase):

    def test_each_says_what_it_is_for(self):
        self.assertGreater(len(SCRIPTS), 20)
        for script in SCRIPTS:
            with self.subTest(script=script.name), tempfile.TemporaryDirectory() as folder:
                ended = subprocess.run([script, "--help"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                                       text=True, timeout=60)
                self.assertEqual((ended.returncode, ended.stderr), (0, ""))
                self.assertRegex(ended.stdout, rf"^{script.name}: ")
                self.assertIn(f"tools/{script.name}", ended.stdout)
                self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
