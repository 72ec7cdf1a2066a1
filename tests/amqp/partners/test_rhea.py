"""rhea, which Azure's JavaScript SDK is built on, dials our endpoint; the story itself is node/rhea_story.mjs."""

import filecmp
import pathlib
import shutil
import subprocess
import unittest

from endpoint import TIME, listening

NODE = pathlib.Path(__file__).resolve().parent / "node"
INSTALLED = NODE / "node_modules/.installed-from"


def install():
    """Once for each lock file."""
    lock = NODE / "package-lock.json"
    if not INSTALLED.exists() or not filecmp.cmp(lock, INSTALLED, shallow=False):
        subprocess.run(["npm", "ci", "--loglevel=error", "--no-audit", "--no-fund"], cwd=NODE, check=True)
        shutil.copyfile(lock, INSTALLED)


class RheaDials(unittest.TestCase):
    def test_it_sends_settles_in_two_phases_releases_drains_and_closes(self):
        install()
        story = subprocess.run(["node", "rhea_story.mjs", str(listening(self))], cwd=NODE, timeout=TIME,
                               stdout=subprocess.PIPE, text=True)
        self.assertEqual(story.stdout.splitlines(), ["open", "sent", "settled in two phases", "released", "drained",
                                                     "refused", "closed"])
        self.assertEqual(story.returncode, 0)
