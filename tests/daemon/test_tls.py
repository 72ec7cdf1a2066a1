"""TLS: who is believed, whose certificates are asked for, and what becomes of new ones while it runs."""

import os
import pathlib
import re
import signal
import ssl
import subprocess
import threading
import unittest

import grpc

import certificates
import daemon_test
import operations
import wire

PLACES = "grpc+tls://127.0.0.1:0,operations+tls://127.0.0.1:0"


class TlsClient(wire.Client):
    """As wire.Client, over TLS."""

    def __init__(self, port, authority, identity=None, host="localhost"):
        credentials = grpc.ssl_channel_credentials(
            authority.certificate.read_bytes(), identity and identity.key.read_bytes(),
            identity and identity.certificate.read_bytes())
        insecure = grpc.insecure_channel
        grpc.insecure_channel = lambda address, options: grpc.secure_channel(address, credentials, options)
        try:
            super().__init__(f"127.0.0.1:{port}", [("grpc.ssl_target_name_override", host)])
        finally:
            grpc.insecure_channel = insecure


class TlsTest(daemon_test.DaemonTest):

    def setUp(self):
        super().setUp()
        self.authority = certificates.Authority(self.folder.name)
        self.identity = self.authority.sign("broker")

    def start_tls(self, *flags, places=PLACES, **options):
        files = ["--tls-cert", str(self.identity.certificate), "--tls-key", str(self.identity.key)]
        daemon = wire.Daemon(self.data, places, [*files, *flags], **options)
        self.addCleanup(daemon.kill)
        self.port = int(re.search(r"grpc\+tls://127\.0\.0\.1:(\d+)", daemon.address).group(1))
        self.http_port = operations.port_of(daemon)
        return daemon

    def tls_client(self, *arguments, authority=None, **options):
        client = TlsClient(self.port, authority or self.authority, *arguments, **options)
        self.addCleanup(client.close)
        return client

    def assert_unreachable(self, client):
        with self.assertRaises(grpc.RpcError) as caught:
            client.management.GetBrokerStatistics(wire.management_pb2.GetBrokerStatisticsRequest(), timeout=5)
        self.assertIn(caught.exception.code(), (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED))

    def get(self, path, identity=None, **options):
        context = ssl.create_default_context(cafile=self.authority.certificate)
        if identity:
            context.load_cert_chain(identity.certificate, identity.key)
        return operations.get(self.http_port, path, context=context, **options)

    def serial(self, port):
        return ssl.get_server_certificate(("127.0.0.1", port))

    # Who is believed

    def test_who_has_a_certificate_that_is_believed_is_served(self):
        daemon = self.start_tls()
        client = self.tls_client()
        client.create("orders")
        client.send("orders", b"secret")
        self.assertEqual(client.receive_one("orders").message.body, b"secret")
        self.assertEqual(self.get("/readyz")[2], "ok\n")
        self.assertIn("wharf_ready 1", self.get("/metrics")[2])
        self.assertEqual(self.get("/readyz", headers={"Origin": f"https://127.0.0.1:{self.http_port}"})[0], 200)
        self.assertEqual(self.get("/readyz", headers={"Origin": f"http://127.0.0.1:{self.http_port}"})[0], 403)
        self.assertEqual(daemon.terminate(), 0)

    def test_a_wrong_host_and_a_foreign_authority_are_refused_by_clients(self):
        self.start_tls()
        self.assert_unreachable(self.tls_client(host="wharf.example.org"))
        self.assert_unreachable(self.tls_client(authority=certificates.Authority(self.folder.name, "foreign")))
        plain = wire.Client(f"127.0.0.1:{self.port}")
        self.addCleanup(plain.close)
        self.assert_unreachable(plain)
        self.tls_client().create("orders")

    def test_an_expired_certificate_is_refused_by_clients(self):
        self.identity = self.authority.sign("expired", days=-1)
        self.start_tls()
        self.assert_unreachable(self.tls_client())
        with self.assertRaisesRegex(ssl.SSLError, "expired"):
            self.get("/livez")

    def test_old_versions_are_refused(self):
        self.start_tls()
        for port in (self.port, self.http_port):
            for version, is_spoken in (("-tls1_1", False), ("-tls1_2", True), ("-tls1_3", True)):
                ended = subprocess.run(
                    ["openssl", "s_client", "-connect", f"127.0.0.1:{port}", version, "-cipher", "DEFAULT@SECLEVEL=0",
                     "-CAfile", str(self.authority.certificate), "-verify_return_error", "-alpn", "h2"],
                    stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=wire.TIMEOUT,
                    check=False)
                was_spoken = "Verify return code: 0 (ok)" in ended.stdout and "Cipher is (NONE)" not in ended.stdout
                self.assertEqual(was_spoken, is_spoken, (version, ended.stdout[-800:], ended.stderr))

    # Certificates of clients

    def test_clients_must_prove_who_they_are(self):
        foreign = certificates.Authority(self.folder.name, "foreign").sign("stranger")
        self.start_tls("--tls-client-ca", str(self.authority.certificate))
        good = self.authority.sign("client")
        self.tls_client(good).create("orders")
        self.assertEqual(self.get("/readyz", good)[0], 200)
        for identity in (None, foreign, self.authority.sign("late", days=-1)):
            self.assert_unreachable(self.tls_client(identity))
            with self.assertRaises((ssl.SSLError, ConnectionResetError)):
                self.get("/livez", identity)

    def test_clients_may_prove_who_they_are(self):
        foreign = certificates.Authority(self.folder.name, "foreign").sign("stranger")
        self.start_tls("--tls-client-ca", str(self.authority.certificate), "--tls-client-cert=optional")
        self.tls_client().create("orders")
        self.tls_client(self.authority.sign("client")).create("bills")
        self.assert_unreachable(self.tls_client(foreign))
        self.assertEqual(self.get("/livez")[0], 200)
        with self.assertRaises((ssl.SSLError, ConnectionResetError)):
            self.get("/livez", foreign)

    # New ones while it runs

    def test_new_certificates_are_taken_under_load_without_a_refusal(self):
        daemon = self.start_tls()
        client = self.tls_client()
        client.create("orders")
        load = daemon_test.Load(client, "orders")
        self.addCleanup(load.join)
        load.wait_for(50)
        for number in range(3):
            before = self.serial(self.port)
            self.authority.sign(f"fresh{number}").write_over(self.identity)

            def look(before=before):
                if self.serial(self.port) == before or self.serial(self.http_port) == before:
                    raise LookupError
                self.assertEqual(self.serial(self.port), self.serial(self.http_port))
            daemon_test.wait_for(look, LookupError)
            self.tls_client().send("orders", b"from another connection")
        load.wait_for(len(load.acknowledged) + 50)
        self.assertEqual((load.refused, load.unknown), (set(), set()))
        self.assertEqual(daemon.terminate(), 0)
        said = "".join(daemon.log)
        self.assertEqual(said.count("info certificates are read from"), 3)
        self.assertNotIn("stay as they were", said)

    def test_another_authority_of_clients_is_taken_while_it_runs(self):
        mine = certificates.Authority(self.folder.name, "clients")
        asked = pathlib.Path(self.folder.name, "asked.pem")
        asked.write_bytes(mine.certificate.read_bytes())
        daemon = self.start_tls("--tls-client-ca", str(asked))
        before = mine.sign("before")
        connected = self.tls_client(before)
        connected.create("orders")
        self.assertEqual(self.get("/readyz", before)[0], 200)

        other = certificates.Authority(self.folder.name, "others")
        asked.write_bytes(other.certificate.read_bytes())
        daemon_test.wait_for_line(daemon, "info certificates are read from")

        after = other.sign("after")
        self.tls_client(after).create("bills")
        self.assertEqual(self.get("/readyz", after)[0], 200)
        self.assert_unreachable(self.tls_client(before))
        with self.assertRaises((ssl.SSLError, ConnectionResetError)):
            self.get("/livez", before)
        connected.send("orders", b"over a connection of before")

    def test_what_is_wrong_changes_nothing_and_is_told(self):
        daemon = self.start_tls()
        before = self.serial(self.port)
        key = self.identity.key.read_bytes()

        self.identity.key.write_text("nonsense")
        said = f"error the certificates stay as they were: tls-key: {self.identity.key}: it holds no private key"
        daemon_test.wait_for_line(daemon, said)
        self.assertEqual(self.serial(self.port), before)
        self.tls_client().create("orders")
        self.identity.key.write_bytes(key)
        daemon_test.wait_for_line(daemon, "info certificates are read from")

        daemon.send_signal(signal.SIGHUP)
        daemon_test.wait_for(
            lambda: self.assertEqual("".join(daemon.log).count("info certificates are read"), 2), AssertionError)

    def test_a_reload_takes_all_or_nothing(self):
        file = pathlib.Path(self.folder.name, "wharfd.toml")
        file.write_text("max-entities = 2\n", encoding="ascii")
        daemon = self.start_tls("--config", str(file))
        file.write_text("max-entities = 1\n", encoding="ascii")
        self.identity.key.write_text("nonsense")

        daemon.send_signal(signal.SIGHUP)

        daemon_test.wait_for_line(daemon, f"error nothing is reloaded: {file} has errors")
        client = self.tls_client()
        client.create("orders")
        client.create("payments")
        self.assertNotIn("info reloaded", "".join(daemon.log))

    # At the start

    def assert_refuses_with(self, pattern, *flags):
        ended = subprocess.run([os.environ["WHARFD"], "--data", self.data, "--listen", PLACES, *flags],
                               stderr=subprocess.PIPE, text=True, timeout=wire.TIMEOUT, check=False)
        self.assert_sentence(ended.returncode, ended.stderr.splitlines(), pattern)
        self.assertFalse(os.path.exists(self.data))

    def test_files_that_are_none_are_one_sentence(self):
        other = self.authority.sign("other")
        nonsense = pathlib.Path(self.folder.name, "nonsense")
        nonsense.write_text("nonsense")
        certificate, key = str(self.identity.certificate), str(self.identity.key)
        weak = self.weak_identity()
        a_key = ("--tls-key", key)
        for pattern, flags in (
                ("tls-cert: /gone: No such file", ("--tls-cert", "/gone", *a_key)),
                ("tls-key: /gone: No such file", ("--tls-cert", certificate, "--tls-key", "/gone")),
                ("tls-client-ca: /gone: No such file",
                 ("--tls-cert", certificate, *a_key, "--tls-client-ca", "/gone")),
                ("tls-cert: .*nonsense: it holds no certificate in PEM .*: no start line",
                 ("--tls-cert", str(nonsense), *a_key)),
                ("tls-cert: .*weak.pem: it holds no certificate in PEM that can be used: ee key too small",
                 ("--tls-cert", str(weak.certificate), "--tls-key", str(weak.key))),
                ("tls-key: .*broker.pem: it holds no private key in PEM",
                 ("--tls-cert", certificate, "--tls-key", certificate)),
                ("tls-key: .*other.key: it holds no private key .*, or not that of .*broker.pem: key values mismatch",
                 ("--tls-cert", certificate, "--tls-key", str(other.key))),
                ("tls-client-ca: .*nonsense: it holds no certificate",
                 ("--tls-cert", certificate, *a_key, "--tls-client-ca", str(nonsense)))):
            self.assert_refuses_with(pattern, *flags)

    def weak_identity(self):
        """A key that OpenSSL finds too short."""
        certificate, key = (pathlib.Path(self.folder.name, f"weak.{end}") for end in ("pem", "key"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:1024", "-nodes", "-subj", "/CN=weak", "-keyout",
                        str(key), "-out", str(certificate)], check=True, capture_output=True)
        return certificates.Identity(certificate, key)

    # What works today and will not do

    def test_a_certificate_that_has_ended_or_soon_will_is_told(self):
        said = re.escape(f"warning the certificate in {self.identity.certificate} ")
        when = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: clients refuse it"
        fresh = self.authority.sign("fresh", days=15)
        soon = self.authority.sign("soon", days=13)
        expired = self.authority.sign("expired", days=-1)
        expired.write_over(self.identity)
        daemon = self.start_tls()
        self.assertRegex("".join(daemon.log), f"{said}has expired, at {when}")

        soon.write_over(self.identity)
        daemon.send_signal(signal.SIGHUP)
        daemon_test.wait_for(
            lambda: self.assertRegex("".join(daemon.log), f"{said}ends at {when} then"), AssertionError)
        fresh.write_over(self.identity)
        before = "".join(daemon.log).count("info certificates are read")
        daemon.send_signal(signal.SIGHUP)
        daemon_test.wait_for(
            lambda: self.assertGreater("".join(daemon.log).count("info certificates are read"), before), AssertionError)
        self.assertEqual(daemon.terminate(), 0)
        self.assertEqual("".join(daemon.log).count("clients refuse it"), 2)

    def test_a_key_that_others_can_read_is_told(self):
        said = re.escape(f"warning others can read the key of tls-key, {self.identity.key}: its mode is ")
        self.identity.key.chmod(0o640)  # As the group ssl-cert of a distribution has them.
        daemon = self.start_tls()
        self.assertNotRegex("".join(daemon.log), said)
        self.identity.key.chmod(0o644)
        daemon.send_signal(signal.SIGHUP)
        daemon_test.wait_for(
            lambda: self.assertRegex("".join(daemon.log), f"{said}644; chmod 640 makes it private"), AssertionError)
        self.tls_client().create("orders")

    def test_tls_without_files_is_bad_usage(self):
        ended = subprocess.run([os.environ["WHARFD"], "--data", self.data, "--listen", "grpc+tls://127.0.0.1:0"],
                               stderr=subprocess.PIPE, text=True, timeout=wire.TIMEOUT, check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertEqual(ended.stderr, "--listen: grpc+tls://127.0.0.1:0: TLS needs tls-cert and tls-key\n")

    # The command line

    def wharf(self, *arguments):
        return subprocess.run([daemon_test.WHARF, "--address", f"127.0.0.1:{self.port}", *map(str, arguments)],
                              capture_output=True, text=True, timeout=wire.TIMEOUT, check=False)

    def test_the_command_line_speaks_it(self):
        self.start_tls("--tls-client-ca", str(self.authority.certificate))
        good = self.authority.sign("client")
        mine = ("--ca", self.authority.certificate, "--cert", good.certificate, "--key", good.key)
        self.assertEqual(self.wharf(*mine, "queue", "create", "orders").returncode, 0)
        self.assertEqual(self.wharf(*mine, "send", "orders", "hello").returncode, 0)
        self.assertEqual(self.wharf(*mine, "receive", "orders").stdout, "hello\n")
        for options in ((), ("--tls",), mine[:2]):
            ended = self.wharf(*options, "--connect-timeout=1s", "stats")
            self.assertEqual(ended.returncode, 3, ended)
        for options, sentence in ((mine[:4], "--cert and --key belong together"),
                                  (("--ca", "/gone"), "--ca: cannot read /gone: No such file or directory")):
            ended = self.wharf(*options, "stats")
            self.assertEqual((ended.returncode, ended.stderr), (2, f"wharf: {sentence}\n"))

    def test_it_may_be_opened_to_a_network(self):
        places = "grpc+tls://0.0.0.0:0"
        flags = ["--access=on", "--tls-cert", str(self.identity.certificate), "--tls-key", str(self.identity.key)]
        with self.assertRaisesRegex(AssertionError, "error wharfd ends: advertise must say by which host clients find"):
            wire.Daemon(self.data, places, flags)
        daemon = wire.Daemon(self.data, places, [*flags, "--advertise=localhost"])
        self.addCleanup(daemon.kill)
        self.port = int(re.search(r"grpc\+tls://0\.0\.0\.0:(\d+)", daemon.address).group(1))
        root = pathlib.Path(self.data, "root-connection-string")
        mine = (daemon_test.WHARF, "--ca", self.authority.certificate, "--connection-string", f"@{root}")
        for command in (("queue", "create", "orders"), ("send", "orders", "hello"), ("receive", "orders")):
            ended = subprocess.run([*map(str, mine), *command], capture_output=True, text=True, timeout=wire.TIMEOUT,
                                   check=False)
            self.assertEqual(ended.returncode, 0, ended)
        self.assertEqual(ended.stdout, "hello\n")
        self.assertNotEqual(self.wharf("--ca", self.authority.certificate, "queue", "list").returncode, 0)
        self.assertNotEqual(self.wharf("--connect-timeout=1s", "queue", "list").returncode, 0)
        daemon.kill()
        self.addCleanup(wire.Daemon(self.data, places, flags).kill)  # It tells nobody any more.

    def test_handshakes_that_do_not_end_harm_nobody(self):
        self.start_tls()
        import socket  # pylint: disable=import-outside-toplevel
        plugs = [socket.create_connection(("127.0.0.1", port), wire.TIMEOUT)
                 for port in (self.port, self.http_port) for _ in range(300)]
        for number, plug in enumerate(plugs):
            plug.sendall((b"\x16\x03\x01\x02\x00\x01", b"GET / HTTP/1.1\r\n\r\n", os.urandom(100))[number % 3])
        threads = [threading.Thread(target=lambda: self.assertEqual(self.get("/livez")[0], 200)) for _ in range(4)]
        for thread in threads:
            thread.start()
        self.tls_client().create("orders")
        for thread in threads:
            thread.join()
        for plug in plugs:
            plug.close()


if __name__ == "__main__":
    unittest.main()
