"""`wharf cluster` at a broker that runs by itself, and several addresses of which one leads to a broker."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import command_line
from command_line import FAILED, OK, UNREACHABLE, USAGE

ALONE = "this broker runs by itself: to found a cluster with it, or to join one, start wharfd with --node NAME and " \
        "--peer-listen HOST:PORT"
COMMANDS = (["init"], ["status"], ["add", "n2", "127.0.0.1:5692"], ["remove", "n2"], ["transfer", "n2"],
            ["set-address", "n2", "127.0.0.1:5682"], ["verify"])
NOWHERE = "127.0.0.1:1"


class AloneTest(command_line.SharedBrokerTest):

    def test_every_command_says_what_to_do(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                ended = self.wharf("cluster", *command)
                self.assertEqual((ended.returncode, ended.stdout, ended.stderr),
                                 (FAILED, "", f"wharf: InvalidOperation: {ALONE}\n"))
                refused = json.loads(self.wharf("cluster", *command, "--json").stderr)
                self.assertEqual(refused, {"error": "InvalidOperation", "message": ALONE, "outcome": "not-done"})

    def test_names_and_addresses_that_are_none(self):
        for command, sentence in ((["add", "N2", "n2:1"], "no name of a node"), (["add", "n2", "n2"], "no address"),
                                  (["set-address", "n2", "n2:0"], "no address"), (["remove", ""], "no name of a node")):
            with self.subTest(command=command):
                ended = self.wharf("cluster", *command)
                self.assertEqual(ended.returncode, FAILED, ended.stderr)
                self.assertIn(sentence, ended.stderr)

    def test_what_is_missing(self):
        for command in ([], ["add", "n2"], ["remove"], ["transfer"], ["set-address", "n2"], ["recover"],
                        ["recover", "--data", "d"]):
            with self.subTest(command=command):
                self.assertEqual(self.wharf("cluster", *command).returncode, USAGE)


class RecoverTest(command_line.SharedBrokerTest):

    def test_it_is_done_by_the_program_of_the_daemon(self):
        with tempfile.TemporaryDirectory(prefix="wharf-recover-") as folder:
            ended = self.wharf("cluster", "recover", "--data", folder, "--node", "n1", "--accept-loss")

        self.assertEqual((ended.returncode, ended.stdout), (FAILED, ""))
        self.assertRegex(ended.stderr, "^wharfd recover: ")


class CertificateTest(command_line.SharedBrokerTest):

    def certificate(self, *arguments):
        return self.wharf("cluster", "certificate", *arguments, "--folder", f"{self.folder}/keys")

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory(prefix="wharf-keys-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_nodes_get_files_that_nobody_else_reads(self):
        made = self.certificate("n1", "n2")

        self.assertEqual(made.returncode, OK, made.stderr)
        keys = f"{self.folder}/keys"
        self.assertEqual(made.stdout.splitlines()[1],
                         f"--node n2 --peer-ca {keys}/peer-ca.pem --peer-cert {keys}/n2.pem --peer-key {keys}/n2.key")
        for name in ("peer-ca.pem", "peer-ca.key", "n1.pem", "n1.key", "n2.pem", "n2.key"):
            self.assertEqual(os.stat(f"{keys}/{name}").st_mode & 0o777, 0o600, name)
        said = subprocess.run(["openssl", "verify", "-CAfile", f"{keys}/peer-ca.pem", f"{keys}/n1.pem"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 0, said.stderr)

    def test_again_the_node_is_renewed_and_the_authority_is_not(self):
        self.certificate("n1")
        files = [pathlib.Path(f"{self.folder}/keys/{name}.pem") for name in ("peer-ca", "n1")]
        before = [file.read_bytes() for file in files]

        self.assertEqual(json.loads(self.certificate("n1", "--json").stdout)["node"], "n1")

        after = [file.read_bytes() for file in files]
        self.assertEqual(before[0], after[0])
        self.assertNotEqual(before[1], after[1])

    def test_without_a_folder_they_are_where_wharfd_finds_them(self):
        made = self.wharf("cluster", "certificate", "n1", XDG_CONFIG_HOME=self.folder)

        self.assertEqual(made.returncode, OK, made.stderr)
        keys = f"{self.folder}/wharf/peers"
        self.assertEqual(made.stdout, f"--node n1 --peer-ca {keys}/peer-ca.pem --peer-cert {keys}/n1.pem "
                                      f"--peer-key {keys}/n1.key\n")
        os.chmod(keys, 0o777)
        for variables, sentence in (({"XDG_CONFIG_HOME": self.folder}, f"others can write in {keys}"),
                                    ({"XDG_CONFIG_HOME": "", "HOME": ""}, "neither XDG_CONFIG_HOME nor HOME says")):
            refused = self.wharf("cluster", "certificate", "n1", **variables)
            self.assertEqual((refused.returncode, refused.stdout), (FAILED, ""))
            self.assertIn(sentence, refused.stderr)

    def test_what_is_no_name_makes_nothing(self):
        self.assertEqual(self.certificate("N 1").returncode, USAGE)
        self.assertFalse(os.path.exists(f"{self.folder}/keys"))


class AddressesTest(command_line.SharedBrokerTest):

    def test_the_address_that_has_a_broker_is_found(self):
        for addresses in (f"{self.daemon.address},{NOWHERE}", f"{NOWHERE},{self.daemon.address}"):
            self.assertEqual(self.wharf("--address", addresses, "queue", "list").returncode, OK)
            self.assertEqual(self.wharf("queue", "list", WHARF_ADDRESS=addresses).returncode, OK)

    def test_a_connection_string_has_several(self):
        endpoint = f"Endpoint=sb://{NOWHERE},{self.daemon.address}/"
        added = self.wharf("context", "add", "three", "--connection-string", endpoint)
        self.assertEqual(added.returncode, OK, added.stderr)

        listed = self.wharf("--context", "three", "queue", "list")

        self.assertEqual(listed.returncode, OK, listed.stderr)

    def test_where_none_of_them_has_one(self):
        ended = self.wharf("--address", f"{NOWHERE},127.0.0.1:2", "--connect-timeout", "300ms", "queue", "list")

        self.assertEqual(ended.returncode, UNREACHABLE, ended.stderr)

    def test_one_that_is_none(self):
        for addresses in (f"{self.daemon.address},", f",{self.daemon.address}", f"{self.daemon.address},n2"):
            ended = self.wharf("--address", addresses, "queue", "list")
            self.assertEqual(ended.returncode, USAGE, addresses)
            self.assertIn("write host:port", ended.stderr)


if __name__ == "__main__":
    unittest.main()
