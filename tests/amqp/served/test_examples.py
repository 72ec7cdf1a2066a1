"""The programs for SDKs that pages show stand in files of their own, and do what they say."""

import pathlib
import subprocess
import sys
import unittest

import daemon_test
import served
import test_node
import wire
from test_served import HAS_SDK

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Examples(served.ServedTest):

    def assert_shown(self, page, program):
        """Word for word."""
        language = {".mjs": "js", ".py": "python"}[program.suffix]
        self.assertIn(f"```{language}\n{program.read_text(encoding='utf-8')}```\n",
                      (ROOT / page).read_text(encoding="utf-8"))

    def run_changed(self, interpreter, program, folder, changes):
        """With the places and keys of this run."""
        text = program.read_text(encoding="utf-8")
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        changed = pathlib.Path(folder, f"example{program.suffix}")
        self.addCleanup(changed.unlink)
        changed.write_text(text, encoding="utf-8")
        told = subprocess.run([*interpreter, changed], cwd=folder, timeout=wire.TIMEOUT, stdout=subprocess.PIPE,
                              text=True)
        self.assertEqual((told.stdout, told.returncode), ("one coffee\n", 0))
        self.assertEqual(daemon_test.stored(self.client, "orders"), {})

    @unittest.skipUnless(HAS_SDK, "the SDK's packages need Node 20")
    def test_in_javascript(self):
        program = ROOT / "tests/wire/node/service_bus.mjs"
        self.assert_shown("README.md", program)
        self.serve()
        self.client.create("orders")
        test_node.install()
        # Where the packages are.
        self.run_changed(["node"], program, test_node.NODE, [("127.0.0.1:5672", f"127.0.0.1:{self.port}")])

    def test_in_python(self):
        program = ROOT / "tests/wire/python/service_bus.py"
        self.assert_shown("broker/doors/amqp/AZURE.md", program)
        self.serve_secured(f"amqp+tls://{served.OWN_HOST}:5671", f"IP:{served.OWN_HOST}")
        self.client.create("orders")
        name, key = self.root
        # Its file is called as the page says.
        self.assertEqual(self.authority.certificate, pathlib.Path(self.folder.name, "authority.pem"))
        self.run_changed([sys.executable, "-B"], program, self.folder.name, [
            ("sb://127.0.0.1;", f"sb://{served.OWN_HOST};"), ("=RootManageSharedAccessKey;", f"={name};"),
            ("SharedAccessKey=...", f"SharedAccessKey={key}")])


if __name__ == "__main__":
    unittest.main()
