"""Backups and archives that are encrypted to a certificate: who reads them, and what others hear."""

import os
import pathlib
import subprocess

import grpc

import access_calls
import cluster_nodes
import daemon_test
import wire
from backup_calls import BackupCalls, Somebody, restore
from test_archive import ARCHIVE, ArchiveTest, as_text
from test_backup import ROUNDS, BackupTest, Sender, assert_moment
from wharf.v1 import backups_pb2

SECRET = b"a body that nobody else may read"


class EncryptedTest(BackupTest):

    def setUp(self):
        super().setUp()
        self.somebody = Somebody(self.folder.name, "somebody")

    def make_encrypted(self, label, somebody=None):
        made = self.backups.create(label, (somebody or self.somebody).pem)
        self.assertEqual(made.trouble, "")
        return made

    def assert_not_restored(self, sentence, label, *flags):
        data = f"{self.folder.name}/refused"
        ended = restore(str(self.path_of(label)), data, *flags)
        self.assertEqual(ended.returncode, 1, ended.stdout)
        self.assertRegex(ended.stderr, f"^wharfd restore: .*{sentence}.*\n$")
        self.assertFalse(os.path.exists(data))

    def assert_nowhere(self, secret, folder):
        for path in pathlib.Path(folder).rglob("*"):
            if path.is_file():
                self.assertNotIn(secret, path.read_bytes(), path)


class EncryptToTest(EncryptedTest):

    def test_only_the_private_key_reads_it(self):  # SEC-2
        self.start_with_backups()
        self.client.create("orders")
        large = SECRET * 20_000
        self.client.send("orders", SECRET, *[b"%d" % number for number in range(100)])
        self.client.send_large("orders", large)
        made = self.make_encrypted("one")
        self.assertEqual(made.encrypted_to, "CN=somebody")
        self.client.send("orders", b"later")

        self.assert_nowhere(SECRET, self.folder_of_backups)
        self.assertEqual([each.encrypted_to for each in self.backups.list()], ["CN=somebody"])
        self.assertEqual(self.backups.verify("one").trouble, "")
        self.start_restored("one", "--decrypt-with", self.somebody.key)

        received = self.client.receive_all("orders", 102)
        self.assertEqual(wire.bodies(received), [SECRET, *[b"%d" % number for number in range(100)], large])

    def test_it_is_opened_by_hand_with_openssl(self):
        rsa = Somebody(self.folder.name, "rsa", "-newkey", "rsa:2048", "-noenc")
        self.start_with_backups()
        self.client.create("orders")
        self.client.send("orders", SECRET)
        for somebody in (self.somebody, rsa):
            label = os.path.basename(somebody.key).split(".", maxsplit=1)[0]
            self.make_encrypted(label, somebody)
            for sealed in self.path_of(label).glob("*.enc"):
                plain = f"{self.folder.name}/plain"
                subprocess.run(["openssl", "cms", "-decrypt", "-binary", "-inform", "DER", "-in",
                                str(sealed.with_suffix(".cms")), "-content", str(sealed), "-inkey", somebody.key,
                                "-out", plain], check=True, capture_output=True)
                self.assertEqual(os.path.getsize(plain), sealed.stat().st_size)
                if sealed.name == "CURRENT.enc":
                    self.assertRegex(pathlib.Path(plain).read_bytes(), rb"^MANIFEST-\d+\n$")

    def test_a_wrong_key_a_missing_one_and_what_is_none_are_one_sentence(self):
        self.start_with_backups()
        self.client.create("orders")
        self.make_encrypted("one")
        other = Somebody(self.folder.name, "other")

        self.assert_not_restored("one is encrypted to the key of CN=somebody: --decrypt-with must name", "one")
        self.assert_not_restored("what --decrypt-with names is another one", "one", "--decrypt-with", other.key)
        self.assert_not_restored("somebody.pem is no private key in PEM", "one", "--decrypt-with",
                                 self.somebody.certificate)
        self.assert_not_restored("/no/such cannot be read", "one", "--decrypt-with", "/no/such")

        self.start_restored("one", "--decrypt-with", other.key, "--decrypt-with", self.somebody.key)

    def test_a_key_with_a_passphrase_asks_for_it(self):
        locked = f"{self.folder.name}/locked"
        subprocess.run(["openssl", "pkey", "-in", self.somebody.key, "-aes256", "-passout", "pass:word", "-out",
                        locked], check=True, capture_output=True)
        self.start_with_backups()
        self.make_encrypted("one")
        for word, code in (("word", 0), ("wrong", 1)):
            data = f"{self.folder.name}/{word}"
            # Without a terminal it is read from the standard input.
            ended = subprocess.run([os.environ["WHARFD"], "restore", str(self.path_of("one")), data, "--decrypt-with",
                                    locked], input=word + "\n", capture_output=True, text=True, timeout=wire.TIMEOUT,
                                   start_new_session=True, check=False)
            self.assertEqual(ended.returncode, code, ended.stderr)
            self.assertEqual(os.path.exists(data), code == 0)
        self.assertIn("its passphrase is another one", ended.stderr)

    def test_what_is_cut_or_changed_is_found_without_the_key(self):
        self.start_with_backups()
        self.client.create("orders")
        self.client.send("orders", SECRET)
        self.make_encrypted("one")
        for name in sorted(path.name for path in self.path_of("one").glob("*.*")):
            path = self.path_of("one", name)
            whole = path.read_bytes()
            if not whole:
                continue
            for bad in (whole[:-1], bytes([whole[0] ^ 1]) + whole[1:]):
                path.write_bytes(bad)
                self.assertIn(f"{name} is damaged", self.backups.verify("one").trouble)
                self.assert_not_restored(f"{name} is damaged", "one", "--decrypt-with", self.somebody.key)
            path.write_bytes(whole)
        self.assertEqual(self.backups.verify("one").trouble, "")

    def test_a_certificate_that_is_none_is_refused(self):
        self.start_with_backups()
        with open(self.somebody.key, encoding="ascii") as file:
            key = file.read()
        edwards = Somebody(self.folder.name, "edwards", "-newkey", "ed25519", "-noenc")
        for text, sentence in (("hello", "is no certificate in PEM"), (key, "is no certificate in PEM"),
                               ("x" * 70_000, "too long"), (edwards.pem, "nothing is encrypted to")):
            self.assertIn(sentence, self.assert_code(grpc.StatusCode.INVALID_ARGUMENT, self.backups.begin, "one", text))
        self.assertEqual(self.backups.list(), [])

    def test_what_is_there_is_not_written_again_for_the_same_key(self):
        daemon = self.start_with_backups()
        self.client.create("orders")
        for _ in range(10):
            self.client.send("orders", *[os.urandom(100_000) for _ in range(10)])
        self.make_encrypted("one")
        self.assertEqual(daemon.terminate(), 0)
        self.start_with_backups()
        renewed = Somebody(self.folder.name, "renewed", "-key", self.somebody.key)
        renewed.key = self.somebody.key

        made = self.make_encrypted("two", renewed)

        self.assertGreater(made.shared_byte_count, 9_000_000)
        self.assertLess(made.byte_count - made.shared_byte_count, 4_000_000)
        other = Somebody(self.folder.name, "other")
        self.assertEqual(self.make_encrypted("three", other).shared_byte_count, 0)
        self.assertEqual(self.backups.create("four").shared_byte_count, 0)
        self.assertEqual(list(self.backups.prune(3).removed), ["one"])
        for label, flags in (("two", ("--decrypt-with", renewed.key)), ("three", ("--decrypt-with", other.key)),
                             ("four", ())):
            self.assertEqual(self.backups.verify(label).trouble, "")
            restored = self.start_restored(label, *flags)
            self.assertEqual(self.client.runtime("orders").active_message_count, 100)
            restored.kill()

    def test_each_under_load_is_a_moment(self):  # reliability 63
        self.start_with_backups()
        self.client.create("orders")
        sender = Sender(self, self.connect_again())
        expected = {}
        for number in range(ROUNDS):
            least = sender.acknowledged
            self.make_encrypted(f"b{number}")
            expected[f"b{number}"] = (least, sender.begun)
        sender.end()

        for label, (least, most) in expected.items():
            daemon = self.start_restored(label, "--decrypt-with", self.somebody.key)
            assert_moment(self, self.client, least, most)
            daemon.kill()

    def connect_again(self):
        client = wire.Client(self.client.address)
        self.addCleanup(client.close)
        return client

    def test_a_kill_while_it_is_made_leaves_none(self):  # reliability 12
        daemon = self.start_with_backups("--backup-rate", "1MiB")
        self.client.create("orders")
        for _ in range(10):
            self.client.send("orders", *[os.urandom(100_000) for _ in range(10)])
        self.backups.begin("one", self.somebody.pem)
        self.wait_until(lambda: self.backups.look().byte_count > 0)
        daemon.kill()
        daemon.start()
        self.client = self.connect(daemon)
        self.backups = BackupCalls(self.client.channel)

        self.assertEqual(self.backups.list(), [])
        self.assertEqual(self.backups.prune(1).trouble, "")
        self.assertFalse(self.path_of(".unfinished").exists())

    def test_a_kill_of_a_restore_leaves_what_is_refused(self):
        self.start_with_backups()
        self.client.create("orders")
        for _ in range(10):
            self.client.send("orders", *[os.urandom(100_000) for _ in range(10)])
        self.make_encrypted("one")
        self.assert_killed_restores_are_refused(100, "--decrypt-with", self.somebody.key)


class ConfiguredTest(EncryptedTest):

    def test_all_are_encrypted_to_that_of_the_configuration_unless_they_name_another(self):
        other = Somebody(self.folder.name, "other")
        self.start_with_backups("--backup-encrypt-to", self.somebody.certificate)
        self.client.create("orders")
        self.client.send("orders", SECRET)

        self.make("one")
        self.make_encrypted("two", other)

        self.assertEqual([each.encrypted_to for each in self.backups.list()], ["CN=somebody", "CN=other"])
        self.assert_nowhere(SECRET, self.folder_of_backups)
        self.start_restored("one", "--decrypt-with", self.somebody.key)
        self.assertEqual(self.client.receive_one("orders").message.body, SECRET)

    def test_one_without_a_folder_for_backups_is_refused(self):
        ended = subprocess.run([os.environ["WHARFD"], "--data", self.data, "--backup-encrypt-to",
                                self.somebody.certificate], capture_output=True, text=True, timeout=wire.TIMEOUT,
                               check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("--backup-encrypt-to: backup-encrypt-to needs backup-folder", ended.stderr)

    def test_a_file_that_is_no_certificate_refuses_the_start(self):
        for path, sentence in (("/no/such", "cannot be read"), ("/dev/null", "is no certificate in PEM"),
                               (self.somebody.key, "has a private key in it, which must not lie on this machine")):
            self.assert_refuses(f"backup-encrypt-to: {path} {sentence}", env={
                **os.environ, "WHARFD_BACKUP_FOLDER": self.folder_of_backups, "WHARFD_BACKUP_ENCRYPT_TO": path})


class EncryptedArchiveTest(EncryptedTest, ArchiveTest):

    def start_encrypted(self, *flags):
        return self.start_archiving("--backup-encrypt-to", self.somebody.certificate, *flags)

    def test_moments_come_back_with_the_key_and_are_in_the_clear_nowhere(self):
        daemon = self.start_encrypted()
        self.make_entities()
        self.client.send("orders", SECRET)
        self.make("one")
        for number in range(30):
            self.client.send("orders", SECRET + b"%d" % number)
        everything = self.everything()
        listed = self.listed()
        self.assertTrue(listed.archived[0].encrypted)
        self.assertEqual(self.backups.verify("one").trouble, "")
        daemon.kill()
        daemon.start()
        self.client = self.connect(daemon)
        self.client.send("orders", b"last")
        self.assertEqual(daemon.terminate(), 0)

        self.assert_nowhere(SECRET, self.folder_of_backups)
        flags = ("--decrypt-with", self.somebody.key)
        for moment in self.draw_moments(everything, 5, 4):
            _, _, found = self.restore_to("one", "--until", as_text(moment), *flags)
            self.assert_is_moment(found, everything, moment)
        _, _, found = self.restore_to("one", "--until", "latest", *flags)
        self.assertEqual(found["orders"][:-1], everything["orders"])
        self.assertEqual(found["orders"][-1][1], b"last")
        self.assert_refused("--decrypt-with must name that private key", "one", "--until", "latest")

    def test_a_backup_for_another_key_needs_both(self):
        other = Somebody(self.folder.name, "other")
        daemon = self.start_encrypted()
        self.client.create("orders")
        self.make_encrypted("one", other)
        self.client.send("orders", b"x")
        self.assertEqual(daemon.terminate(), 0)

        self.assert_refused("the archive of this backup is encrypted, and --decrypt-with names no private key", "one",
                            "--until", "latest", "--decrypt-with", other.key)
        _, _, found = self.restore_to("one", "--until", "latest", "--decrypt-with", other.key, "--decrypt-with",
                                      self.somebody.key)
        self.assertEqual([body for _, body in found["orders"]], [b"x"])

    def test_a_backup_is_not_encrypted_beside_an_archive_in_the_clear(self):
        self.start_archiving()
        said = self.assert_code(grpc.StatusCode.FAILED_PRECONDITION, self.backups.begin, "one", self.somebody.pem)
        self.assertIn("archived beside the backups in the clear: backup-encrypt-to must name a certificate", said)
        self.assertEqual(self.backups.list(), [])

    def test_encrypting_from_now_on_begins_a_run_and_says_what_is_in_the_clear(self):
        daemon = self.start_archiving()
        self.client.create("orders")
        self.make("before")
        self.client.send("orders", b"a")
        self.assertEqual(daemon.terminate(), 0)

        daemon = self.start_encrypted()
        self.make("one")
        self.client.send("orders", b"b")
        self.wait_until(lambda: len(self.listed().archived) == 2)

        self.assertEqual([run.encrypted for run in self.listed().archived], [False, True])
        daemon_test.wait_for_line(
            daemon, r"\d+ files of the archive .* are of before it was encrypted, and in the clear")
        self.assertEqual(daemon.terminate(), 0)
        _, _, found = self.restore_to("before", "--until", "latest")
        self.assertEqual([body for _, body in found["orders"]], [b"a"])
        _, _, found = self.restore_to("one", "--until", "latest", "--decrypt-with", self.somebody.key)
        self.assertEqual([body for _, body in found["orders"]], [b"a", b"b"])


class CommandTest(EncryptedTest):

    def wharf(self, daemon, *arguments):
        return subprocess.run([daemon_test.WHARF, "--address", daemon.address, *arguments], capture_output=True,
                              text=True, timeout=wire.TIMEOUT, check=False)

    def test_the_command_line_encrypts_lists_and_refuses(self):
        daemon = self.start_with_backups()
        made = self.wharf(daemon, "backup", "create", "one", "--encrypt-to", self.somebody.certificate)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("it is encrypted, and restored with the private key of CN=somebody alone", made.stdout)
        self.assertRegex(self.wharf(daemon, "backup", "list").stdout, r"ENCRYPTED TO[^\n]*\none .*CN=somebody")
        self.assertRegex(self.wharf(daemon, "backup", "verify", "one").stdout, "^one is whole: ")
        for path, sentence in ((self.somebody.key, "has a private key in it, which stays where it is"),
                               ("/no/such", "cannot be read"), (__file__, "is no certificate in PEM")):
            refused = self.wharf(daemon, "backup", "create", "two", "--encrypt-to", path)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn(sentence, refused.stderr)
            self.assertEqual(len(refused.stderr.splitlines()), 1, refused.stderr)
        self.assertEqual(self.backups.labels(), ["one"])


class RightsTest(EncryptedTest):

    def test_who_may_not_manage_the_namespace_makes_none(self):  # SEC-2
        flags = ("--access=on", "--backup-folder", self.folder_of_backups)
        daemon = wire.Daemon(self.data, flags=flags)
        self.addCleanup(daemon.kill)
        root = access_calls.connection_of(pathlib.Path(self.data, "root-connection-string").read_text("ascii"))
        token = access_calls.make_token("sb://h/", "RootManageSharedAccessKey", root["SharedAccessKey"])
        client = access_calls.AccessClient(daemon.address, token)
        self.addCleanup(client.close)
        client.create("orders")
        rule = client.make_rule("orders", "manager", "Manage", "Listen", "Send")
        weak = access_calls.make_token("sb://h/orders", "manager", rule.primary_key)
        backups = BackupCalls(grpc.intercept_channel(
            client.channel, access_calls._Metadata(lambda: weak)))  # pylint: disable=W0212
        calls = [lambda: backups.begin("one"), lambda: backups.begin("one", self.somebody.pem),
                 lambda: backups.verify("one"), lambda: backups.prune(1), backups.look, backups.list]
        for call in calls:
            said = self.assert_code(grpc.StatusCode.PERMISSION_DENIED, call)
            self.assertIn("Manage", said)
        self.assertFalse(os.path.exists(self.folder_of_backups))


class ClusterEncryptedTest(cluster_nodes.ClusterTest):

    def test_a_followers_is_a_moment_and_its_archive_brings_it_on(self):  # reliability 63
        somebody = Somebody(self.folder.name, "somebody")
        folder = f"{self.folder.name}/backups"
        self.start_cluster(flags=("--backup-folder", folder, "--backup-encrypt-to", somebody.certificate, *ARCHIVE))
        leader = self.leader_of(self.nodes)
        leader.client.create("orders")
        follower = next(node for node in self.nodes if not node.leads())
        backups = BackupCalls(follower.client.channel)
        sender = Sender(self, leader.client)
        self.assertEqual(backups.create("one").trouble, "")
        most = sender.begun
        sender.end()
        last = leader.status().committed_index
        self.eventually(lambda: follower.status().applied_index >= last)

        def has_all():
            listed = backups.stub.List(backups_pb2.ListBackupsRequest(), timeout=wire.TIMEOUT)
            return listed.archived and listed.archived[-1].encrypted
        self.eventually(has_all)
        data = f"{self.folder.name}/restored"
        ended = restore(f"{folder}/one", data, "--decrypt-with", somebody.key)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        daemon = self.start(data=data)
        assert_moment(self, self.client, 0, most)
        daemon.kill()
