"""Contexts that lead to a broker by TLS: all that is needed is kept with their name."""

import json
import pathlib
import re
import tempfile
import unittest

import certificates
import command_line
from command_line import UNREACHABLE, USAGE

NAME = "broker.example.org"  # The certificate of the broker is for it alone.


class TlsContextTest(command_line.CommandLineTest):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="wharf-contexts-")
        self.addCleanup(folder.cleanup)
        self.files = pathlib.Path(folder.name)
        authority = certificates.Authority(folder.name)
        broker = authority.sign("broker", names=f"DNS:{NAME}")
        authority.sign("me")
        self.FLAGS = [*self.FLAGS, "--listen=grpc+tls://127.0.0.1:0", "--tls-cert", str(broker.certificate),
                      "--tls-key", str(broker.key), "--tls-client-ca", str(authority.certificate)]
        super().setUp()
        port = re.search(r"grpc\+tls://127\.0\.0\.1:(\d+)", "".join(self.daemon.log)).group(1)
        (self.files / "far").write_text(f"Endpoint=sb://127.0.0.1:{port}/\n", encoding="ascii")

    def add(self, *options):
        self.run_shell("wharf context add far --connection-string @far " + " ".join(options), cwd=self.files)

    def test_a_context_alone_leads_to_a_broker_with_tls(self):
        self.add("--ca authority.pem --cert me.pem --key me.key", f"--server-name {NAME}")
        self.assertEqual(self.said, "")

        self.assertIn("orders", self.run_wharf("--context", "far", "queue", "list"))

        self.run_wharf("--context", "far", "--server-name", "other", "--connect-timeout", "1s", "stats",
                       code=UNREACHABLE)
        (listed,) = self.run_json("context", "list")["contexts"]
        shown = self.run_json("context", "show", "far")
        self.assertEqual(listed, shown)
        self.assertEqual([shown[field] for field in ("tls", "ca", "cert", "key", "server_name")],
                         [True, *(str(self.files / file) for file in ("authority.pem", "me.pem", "me.key")), NAME])
        self.assertIn(f"\ntls: yes\nca: {self.files}/authority.pem\n", self.run_wharf("context", "show", "far"))
        self.assertRegex(self.run_wharf("context", "list"), r"(?m)^far .* yes +yes$")

    def test_an_option_goes_before_what_is_kept(self):
        self.add("--ca me.pem --cert me.pem --key me.key", f"--server-name {NAME}")

        self.run_wharf("--context", "far", "--connect-timeout", "1s", "queue", "list", code=UNREACHABLE)

        self.run_wharf("--context", "far", "--ca", str(self.files / "authority.pem"), "queue", "list")

    def test_what_cannot_be_used_is_not_kept(self):
        for options, sentence in (("--cert me.pem", "--cert and --key belong together"),
                                  ("--ca gone", "--ca: cannot read gone: No such file or directory")):
            self.add(options)
            self.assertEqual(self.said, f"wharf: {sentence}\n")
        self.assertEqual(self.run_json("context", "list"), {"contexts": []})

    def test_a_file_of_before_is_read_and_one_that_is_damaged_is_not(self):
        self.add()
        file = pathlib.Path(self.config, "wharf/contexts.json")
        kept = json.loads(file.read_text(encoding="ascii"))
        self.assertRegex(kept["contexts"]["far"], "^Endpoint=")  # A text, as it was before there was TLS.
        self.assertFalse(self.run_json("context", "show", "far")["tls"])

        for bad in (7, {}, {"tls": True, "ca": 7}, {"connection_string": "Endpoint=sb://h/"}):
            kept["contexts"]["far"] = bad
            file.write_text(json.dumps(kept), encoding="ascii")
            self.run_wharf("--context", "far", "stats", code=USAGE)
            self.assertRegex(self.said, "contexts.json is damaged: mend it or remove it")


if __name__ == "__main__":
    unittest.main()
