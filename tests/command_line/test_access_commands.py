"""Who may do what, from the command line: rules, keys, connection strings, contexts."""

import os
import pathlib
import re
import stat
import unittest

import command_line
from command_line import FAILED, OK, UNREACHABLE, USAGE


class AccessCommandsTest(command_line.AccessTest):
    """Who says nothing is root."""

    def test_a_rule_from_its_making_to_its_end(self):
        made = self.run_json("access", "create", "reader", "--entity", "orders", "--listen", "--show-key")
        self.assertEqual((made["entity_path"], made["rights"]), ("orders", "Listen"))
        self.assertEqual(len(made["primary_key"]), 44)
        self.assertNotIn(made["primary_key"], self.run_wharf("access", "show", "reader", "--entity", "orders"))
        self.assertIn(made["primary_key"], self.run_wharf("access", "show", "reader", "--entity", "orders", "--show-key"))
        self.assertEqual([rule["name"] for rule in self.run_json("access", "list", "--entity", "orders")["rules"]],
                         ["reader"])
        reader = self.run_json("connection-string", "reader", "--entity", "orders", "--show-key")["connection_string"]
        self.run_wharf("--connection-string", self.file_of(reader), "peek", "orders")
        self.run_wharf("--connection-string", self.file_of(reader), "send", "orders", "x", code=FAILED)
        self.assertIn("Forbidden: the token gives no right to Send on 'orders'", self.said)

        rotated = self.run_json("access", "rotate", "reader", "--entity", "orders", "--secondary", "--show-key")
        self.assertEqual(rotated["primary_key"], made["primary_key"])
        self.assertNotEqual(rotated["secondary_key"], made["secondary_key"])
        self.run_wharf("--connection-string", self.file_of(reader), "peek", "orders")
        self.run_wharf("access", "rotate", "reader", "--entity", "orders")
        self.run_wharf("--connection-string", self.file_of(reader), "peek", "orders", code=FAILED)
        self.assertIn("Unauthorized", self.said)
        self.run_wharf("access", "remove", "reader", "--entity", "orders")
        self.run_wharf("access", "show", "reader", "--entity", "orders", code=FAILED)

    def test_who_rotates_the_rule_by_which_he_is_connected_sees_the_key(self):
        before = self.run_json("access", "show", "RootManageSharedAccessKey", "--show-key")
        self.run_wharf("access", "rotate", "rootmanagesharedaccesskey", code=USAGE)
        self.assertIn("say --show-key, and keep what is printed", self.said)
        self.assertEqual(self.run_json("access", "show", "RootManageSharedAccessKey", "--show-key"), before)

        rotated = self.run_json("access", "rotate", "RootManageSharedAccessKey", "--secondary", "--show-key")
        self.assertNotEqual(rotated["secondary_key"], before["secondary_key"])

    def test_what_a_first_rule_means_is_said(self):
        del os.environ["WHARF_CONNECTION_STRING"]
        self.daemon.terminate()
        self.FLAGS = []
        self.daemon = command_line.CommandLineTest.start(self, data=f"{self.folder.name}/open")
        self.run_wharf("access", "create", "shop", "--manage")
        self.assertTrue(self.said.startswith("access is off: once the broker starts anew, "), self.said)

    def test_an_address_that_is_said_goes_before_that_of_the_connection_string(self):
        elsewhere = self.file_of(re.sub(r"sb://[^/]*/", "sb://nowhere.invalid:5680/",
                                        self.root.read_text(encoding="ascii")))
        here = self.client.address
        self.run_wharf("--address", here, "--connection-string", elsewhere, "peek", "orders")
        self.run_wharf(f"--address={here}", "--connection-string", elsewhere, "peek", "orders")
        self.run_wharf("--connection-string", elsewhere, "peek", "orders", code=UNREACHABLE)

    def test_a_connection_string_hides_its_key_unless_it_is_asked_for(self):
        hidden = self.run_wharf("connection-string")
        self.assertRegex(hidden, r"^Endpoint=sb://127.0.0.1:\d+/;SharedAccessKeyName=RootManageSharedAccessKey;"
                                 r"SharedAccessKey=\(hidden")
        self.assertEqual(self.run_wharf("connection-string", "--show-key"), self.root.read_text(encoding="ascii"))

    def test_rights_must_be_said(self):
        self.run_wharf("access", "create", "reader", code=USAGE)

    def test_without_a_proof_nothing_is_done(self):
        del os.environ["WHARF_CONNECTION_STRING"]
        try:
            self.run_wharf("queue", "list", code=FAILED)
        finally:
            os.environ["WHARF_CONNECTION_STRING"] = f"@{self.root}"
        self.assertIn("Unauthorized: there is no token: say --connection-string @FILE", self.said)
        self.assertIn("root-connection-string", self.said)

    def test_a_connection_string_in_clear_is_warned_of(self):
        text = self.root.read_text(encoding="ascii").strip()
        self.run_wharf("--connection-string", text, "queue", "list")
        self.assertIn("others can read it", self.said)
        self.assertNotIn(text, self.said)
        self.run_wharf(f"--connection-string=@{self.root}", "queue", "list")
        self.assertEqual(self.said, "")
        shown = self.run_shell(f"wharf --connection-string - queue list < {self.root}")
        self.assertIn("orders", shown)

    def test_a_bad_connection_string_is_told_without_its_secret(self):
        for bad in ("Endpoint=sb://h/;SharedAccesKey=secret", "Endpoint=sb://h/;SharedAccessKey=secret", "secret",
                    "@/nowhere"):
            self.run_wharf("--connection-string", bad, "queue", "list", code=USAGE)
            self.assertNotIn("secret", self.said)

    def test_contexts_are_kept_for_nobody_else(self):
        self.run_wharf("context", "add", "here", "--connection-string", f"@{self.root}")
        file = pathlib.Path(self.config, "wharf/contexts.json")
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        self.assertNotIn("SharedAccessKey=", self.run_wharf("context", "list", "--json"))
        address, secret = os.environ.pop("WHARF_ADDRESS", None), os.environ.pop("WHARF_CONNECTION_STRING")
        try:
            self.run_wharf("queue", "list", "--context", "here")
            self.run_wharf("queue", "list", "--context", "there", code=USAGE)
            self.assertIn('no context "there"', self.said)
            file.chmod(0o640)
            self.run_wharf("queue", "list", "--context", "here", code=USAGE)
            self.assertIn("chmod 600", self.said)
            file.chmod(0o600)
        finally:
            os.environ["WHARF_CONNECTION_STRING"] = secret
            if address is not None:
                os.environ["WHARF_ADDRESS"] = address
        self.run_wharf("context", "use", "here")
        self.run_wharf("context", "remove", "here")
        self.run_wharf("context", "use", "here", code=USAGE)

    def test_what_takes_long_proves_itself_in_each_call(self):
        self.run_wharf("bench", "cycle", "--messages", "100", "--size", "10")
        self.run_wharf("send", "orders", "one", "two")
        self.assertEqual(self.run_wharf("receive", "orders", "--max", "2"), "one\ntwo\n")
        self.assertEqual(OK, 0)


if __name__ == "__main__":
    unittest.main()
