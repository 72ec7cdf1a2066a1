"""Clients that prove who they are with a certificate, and what is for operators alone."""

import base64
import hashlib
import hmac
import json
import os
import pathlib
import re
import signal
import ssl
import subprocess
import threading
import time
import unittest

import grpc

import certificates
import daemon_test
import operations
import wire
from access_calls import AccessClient, connection_of, make_token
from wharf.v1 import messaging_pb2

SECOND = 1.0
PLACES = "grpc+tls://127.0.0.1:0,operations+tls://0.0.0.0:0"


class ClientsTest(daemon_test.DaemonTest):
    """A daemon with TLS and access, a file that can be reloaded, and `self.root`, who may do everything."""

    def setUp(self):
        super().setUp()
        self.authority = certificates.Authority(self.folder.name)
        self.identity = self.authority.sign("broker")
        self.file = pathlib.Path(self.folder.name, "wharfd.toml")

    def start_with(self, *rules, wanted="optional", flags=()):
        self.write_rules(*rules)
        self.daemon = wire.Daemon(self.data, PLACES, [
            "--config", str(self.file), "--access=on", "--tls-cert", str(self.identity.certificate), "--tls-key",
            str(self.identity.key), "--tls-client-ca", str(self.authority.certificate), "--tls-client-cert", wanted,
            *flags])
        self.addCleanup(self.daemon.kill)
        (ready,) = [line for line in self.daemon.log if "wharfd ready on " in line]
        self.port = int(re.search(r"grpc\+tls://127\.0\.0\.1:(\d+)", ready).group(1))
        self.http_port = self.http_port_of(self.daemon)
        root = pathlib.Path(self.data, "root-connection-string").read_text(encoding="ascii")
        self.root_key = connection_of(root)["SharedAccessKey"]
        self.root_token = make_token("sb://host/", "RootManageSharedAccessKey", self.root_key)
        self.root = self.client(token=self.root_token, identity=self.authority.sign("root"))

    @staticmethod
    def http_port_of(daemon):
        (ready,) = [line for line in daemon.log if "wharfd ready on " in line]
        return int(re.search(r"operations\+tls://0\.0\.0\.0:(\d+)", ready).group(1))

    def write_rules(self, *rules):
        said = ", ".join(f"'{rule}'" for rule in rules)
        self.file.write_text(f"client-rules = [{said}]\n", encoding="ascii")

    def client(self, identity=None, token=None):
        """Over TLS, with this certificate and token."""
        credentials = grpc.ssl_channel_credentials(
            self.authority.certificate.read_bytes(), identity and identity.key.read_bytes(),
            identity and identity.certificate.read_bytes())
        insecure = grpc.insecure_channel
        grpc.insecure_channel = lambda address, options: grpc.secure_channel(
            address, credentials, [*options, ("grpc.ssl_target_name_override", "localhost")])
        try:
            client = AccessClient(f"127.0.0.1:{self.port}", token)
        finally:
            grpc.insecure_channel = insecure
        self.addCleanup(client.close)
        return client

    def assert_code(self, code, call, *arguments, **options):
        with self.assertRaises(grpc.RpcError) as raised:
            call(*arguments, **options)
        self.assertEqual(raised.exception.code(), code, raised.exception)
        return raised.exception.details()


class CertificateTest(ClientsTest):

    def test_a_certificate_is_as_good_as_a_token_of_its_rule(self):
        self.start_with("certificate:CN=shop -> orders#shop")
        self.root.create("orders")
        self.root.create("payments")
        shop = self.client(self.authority.sign("shop"))
        details = self.assert_code(grpc.StatusCode.UNAUTHENTICATED, shop.send, "orders", b"too early")
        self.assertIn("the rule that client-rules gives the client is not there", details)
        rule = self.root.make_rule("orders", "shop", "Send")

        shop.send("orders", b"from a certificate")

        self.assertEqual(len(self.root.peek("orders").messages), 1)
        details = self.assert_code(grpc.StatusCode.PERMISSION_DENIED, shop.peek, "orders")
        self.assertIn("gives no right to Listen on 'orders'", details)
        self.assert_code(grpc.StatusCode.PERMISSION_DENIED, shop.send, "payments", b"x")
        for nobody in (self.client(self.authority.sign("stranger")), self.client()):
            self.assert_code(grpc.StatusCode.UNAUTHENTICATED, nobody.send, "orders", b"x")
        for slot in (1, 2):
            self.root.rotate("orders", "shop", slot)
        shop.send("orders", b"after a rotation")
        self.assertNotIn(rule.primary_key, "".join(self.daemon.log))

    def test_where_there_is_a_token_it_counts(self):
        self.start_with("certificate:CN=shop -> shop")
        self.root.create("orders")
        self.root.make_rule("", "shop", "Send")
        reader = self.root.make_rule("orders", "reader", "Listen")
        identity = self.authority.sign("shop")

        with_token = self.client(identity, make_token("orders", "reader", reader.primary_key))
        with_token.peek("orders")
        self.assert_code(grpc.StatusCode.PERMISSION_DENIED, with_token.send, "orders", b"x")
        for token in ("", "SharedAccessSignature sr=x", make_token("orders", "reader", "k" * 44)):
            self.assert_code(grpc.StatusCode.UNAUTHENTICATED, self.client(identity, token).send, "orders", b"x")

    def test_the_subject_is_what_openssl_prints(self):
        identity = self.authority.sign("odd", subject="/O=Fools, Inc./OU=a;b/CN=K\\/\u00e4\\>x")
        printed = subprocess.run(["openssl", "x509", "-in", str(identity.certificate), "-noout", "-subject", "-nameopt",
                                  "RFC2253"], capture_output=True, text=True, check=True).stdout
        subject = printed.strip().removeprefix("subject=")
        self.assertIn("\\,", subject)
        self.start_with(f"certificate:{subject} -> RootManageSharedAccessKey")

        self.client(identity).create("orders")
        self.assertEqual(self.get("/metrics", identity)[0], 200)

    def test_reflection_takes_a_certificate_too(self):
        from grpc.reflection.v1alpha import reflection_pb2, reflection_pb2_grpc  # pylint: disable=C0415
        self.start_with("certificate:CN=shop -> RootManageSharedAccessKey")

        def reflect(client):
            request = reflection_pb2.ServerReflectionRequest(list_services="")
            call = reflection_pb2_grpc.ServerReflectionStub(client.channel).ServerReflectionInfo(
                iter([request]), timeout=wire.TIMEOUT)
            return [service.name for answer in call for service in answer.list_services_response.service]

        self.assertIn("wharf.v1.Messaging", reflect(self.client(self.authority.sign("shop"))))
        self.assert_code(grpc.StatusCode.CANCELLED, reflect, self.client(self.authority.sign("stranger")))

    def get(self, path, identity=None, headers=None):
        context = ssl.create_default_context(cafile=self.authority.certificate)
        if identity:
            context.load_cert_chain(identity.certificate, identity.key)
        return operations.get(self.http_port, path, headers, context=context)


class EndingTest(ClientsTest):
    """What a certificate proved ends within a second when its rule or its line is gone."""

    def setUp(self):
        super().setUp()
        self.start_with("certificate:CN=shop -> orders#worker", "certificate:CN=other -> orders#worker")
        self.root.create("orders")
        self.root.make_rule("orders", "worker", "Send", "Listen")
        self.shop, self.other = (self.open(name) for name in ("shop", "other"))
        time.sleep(2 * 0.25)  # The gate has looked at them.
        self.assertEqual((self.shop, self.other), ({}, {}))

    def open(self, name):
        """How and when a stream of this client ended."""
        client = self.client(self.authority.sign(name))
        stop, ended = threading.Event(), {}
        self.addCleanup(stop.set)

        def requests():
            yield messaging_pb2.ReceiveStreamRequest(start={"entity_path": "orders"})
            stop.wait(wire.TIMEOUT)

        def follow():
            try:
                for _ in client.messaging.ReceiveStream(requests()):
                    pass
            except grpc.RpcError as error:
                ended.update(code=error.code(), when=time.monotonic())

        threading.Thread(target=follow).start()
        client.send("orders", b"it stands")
        return ended

    def assert_ends(self, ended, since):
        daemon_test.wait_for(lambda: ended["when"], KeyError)
        self.assertEqual(ended["code"], grpc.StatusCode.UNAUTHENTICATED)
        self.assertLess(ended["when"] - since, SECOND)

    def test_a_removed_rule(self):
        since = time.monotonic()
        self.root.remove_rule("orders", "worker")
        self.assert_ends(self.shop, since)
        self.assert_ends(self.other, since)

    def test_a_reload_that_takes_it_away(self):
        self.write_rules("certificate:CN=other -> orders#worker")
        since = time.monotonic()
        self.daemon.send_signal(signal.SIGHUP)

        self.assert_ends(self.shop, since)
        self.assert_code(grpc.StatusCode.UNAUTHENTICATED, self.client(self.authority.sign("shop")).send, "orders", b"x")
        self.assertEqual(self.other, {})

        self.write_rules("nonsense")
        self.daemon.send_signal(signal.SIGHUP)
        daemon_test.wait_for_line(self.daemon, "nothing is reloaded")
        self.client(self.authority.sign("other")).send("orders", b"still there")


class OperatorsTest(ClientsTest):
    """/metrics beyond loopback, as Prometheus asks for it."""

    def get(self, path, authorization=None, identity=None):
        context = ssl.create_default_context(cafile=self.authority.certificate)
        if identity:
            context.load_cert_chain(identity.certificate, identity.key)
        headers = {"Authorization": authorization} if authorization is not None else {}
        status, answered, body = operations.get(self.http_port, path, headers, context=context)
        self.assertEqual(status == 401, "WWW-Authenticate" in answered)
        return status, body

    @staticmethod
    def basic(rule, key):
        return "Basic " + base64.b64encode(f"{rule}:{key}".encode()).decode()

    def test_who_manages_the_namespace_sees_the_numbers(self):
        self.start_with("certificate:CN=scraper -> RootManageSharedAccessKey")
        reader = self.root.make_rule("", "reader", "Listen")
        self.root.create("orders")
        chief = self.root.make_rule("orders", "chief", "Manage")
        for good in (self.basic("RootManageSharedAccessKey", self.root_key), self.root_token,
                     f"Bearer {self.root_token}"):
            status, body = self.get("/metrics", good)
            self.assertEqual(status, 200, body)
            self.assertIn("wharf_ready 1", body)
        self.assertEqual(self.get("/metrics", identity=self.authority.sign("scraper"))[0], 200)
        for status, bad in ((403, self.basic("reader", reader.primary_key)),
                            (403, make_token("sb://h/", "reader", reader.primary_key)),
                            (401, self.basic("chief", chief.primary_key)), (401, None), (401, "Basic x"),
                            (401, self.basic("RootManageSharedAccessKey", reader.primary_key)),
                            (401, make_token("sb://h/", "RootManageSharedAccessKey", self.root_key, -1))):
            found, body = self.get("/metrics", bad)
            self.assertEqual((found, body.count("\n")), (status, 1), bad)
        self.assertEqual(self.get("/metrics", identity=self.authority.sign("stranger"))[0], 401)
        for path in ("/livez", "/readyz"):
            self.assertEqual(self.get(path), (200, "ok\n"))
        statistics = self.root.statistics()
        self.assertEqual((statistics.unauthorized_count, statistics.forbidden_count), (6, 2))
        self.daemon.terminate()
        self.assertNotIn(self.root_key, "".join(self.daemon.log))
        self.assertNotIn(reader.primary_key, "".join(self.daemon.log))

    def test_a_certificate_that_all_must_have_is_no_right(self):
        self.start_with("certificate:CN=scraper -> RootManageSharedAccessKey", "certificate:CN=shop -> reader",
                        wanted="required")
        self.root.make_rule("", "reader", "Listen")
        for status, who in ((200, "scraper"), (403, "shop"), (401, "anybody")):
            self.assertEqual(self.get("/metrics", identity=self.authority.sign(who))[0], status, who)
        self.assertEqual(self.get("/readyz", identity=self.authority.sign("somebody")), (200, "ok\n"))

    def test_where_access_is_off_a_certificate_that_all_must_have_is_enough(self):
        daemon = wire.Daemon(self.data, PLACES, [
            "--tls-cert", str(self.identity.certificate), "--tls-key", str(self.identity.key), "--tls-client-ca",
            str(self.authority.certificate)])
        self.addCleanup(daemon.kill)
        self.http_port = self.http_port_of(daemon)
        self.assertEqual(self.get("/metrics", identity=self.authority.sign("anybody"))[0], 200)

    def test_who_comes_from_this_machine_is_not_asked(self):
        daemon = wire.Daemon(f"{self.folder.name}/here", operations.PLACES, ["--access=on"])
        self.addCleanup(daemon.kill)
        self.assertEqual(operations.get(operations.port_of(daemon), "/metrics")[0], 200)


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class WebTokenTest(daemon_test.DaemonTest):  # SEC-11
    """JSON web tokens of an issuer that the configuration names."""

    CLAIMS = {"iss": "https://issuer", "aud": ["mail", "wharf"], "sub": "shop"}

    def setUp(self):
        super().setUp()
        folder = pathlib.Path(self.folder.name)
        self.file, self.key, self.public, self.secret = (
            folder / name for name in ("wharfd.toml", "jwt.key", "jwt.pem", "jwt.secret"))
        self.make_key()
        self.secret.write_text("a secret of this test, long enough\n", encoding="ascii")
        self.secret.chmod(0o600)
        self.write_file()

    def make_key(self):
        for command in (("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", self.key),
                        ("pkey", "-in", self.key, "-pubout", "-out", self.public)):
            subprocess.run(["openssl", *map(str, command)], check=True, capture_output=True)

    def write_file(self, *lines):
        self.file.write_text("".join(f"{line}\n" for line in (
            f"jwt-keys = ['2026:RS256:{self.public}', 'old:HS256:{self.secret}']", "jwt-issuer = 'https://issuer'",
            "jwt-audience = 'wharf'", "client-rules = ['claim:shop -> orders#shop']", *lines)), encoding="ascii")

    def start_with_keys(self, flags=None):
        daemon = wire.Daemon(self.data, flags=flags or ["--access=on", "--config", str(self.file)])
        self.addCleanup(daemon.kill)
        self.daemon = daemon
        root = pathlib.Path(self.data, "root-connection-string").read_text(encoding="ascii")
        self.root = self.client(make_token("sb://h/", "RootManageSharedAccessKey",
                                           connection_of(root)["SharedAccessKey"]))
        self.root.create("orders")
        self.root.make_rule("orders", "shop", "Send")

    def client(self, token):
        client = AccessClient(self.daemon.address, token)
        self.addCleanup(client.close)
        return client

    def sign(self, key=None, lifetime=600, kid="2026", **claims):
        header = {"alg": "HS256" if key else "RS256", "kid": kid, "typ": "JWT"}
        claims = {**self.CLAIMS, "exp": int(time.time()) + lifetime, **claims}
        text = ".".join(encode(json.dumps(part).encode()) for part in (header, claims))
        if key:
            signature = hmac.new(key, text.encode(), hashlib.sha256).digest()
        else:
            signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", str(self.key)], input=text.encode(),
                                       capture_output=True, check=True).stdout
        return f"Bearer {text}.{encode(signature)}"

    def assert_refused(self, token, why):
        with self.assertRaises(grpc.RpcError) as raised:
            self.client(token).send("orders", b"x")
        self.assertEqual(raised.exception.code(), grpc.StatusCode.UNAUTHENTICATED)
        self.assertRegex(raised.exception.details(), why)

    def test_who_is_named_may_what_its_rule_allows(self):
        self.start_with_keys()
        secret = self.secret.read_bytes().strip()
        for token in (self.sign(), self.sign(secret, kid="old"), self.sign(note="x" * 11000)):
            self.client(token).send("orders", b"x")
        with self.assertRaises(grpc.RpcError) as raised:
            self.client(self.sign()).peek("orders")
        self.assertEqual(raised.exception.code(), grpc.StatusCode.PERMISSION_DENIED)
        for token, why in ((self.sign(self.public.read_bytes()), "algorithm is not the one of its key"),
                           (self.sign(secret, kid="2026"), "algorithm is not the one of its key"),
                           (self.sign(kid="2027"), "no key of its kid"), (self.sign(lifetime=-70), "expired"),
                           (self.sign(aud="mail"), "another audience"), (self.sign(sub="nobody"), "no client-rules"),
                           (self.sign()[:-8] + "AAAAAAAA", "signature is wrong"),
                           (self.sign()[7:], "does not begin with SharedAccessSignature")):
            self.assert_refused(token, why)
        self.daemon.terminate()
        self.assertNotIn(secret.decode(), "".join(self.daemon.log))

    def test_where_access_is_off_they_are_said_in_vain(self):
        daemon = wire.Daemon(self.data, flags=["--config", str(self.file)])
        self.addCleanup(daemon.kill)
        daemon.terminate()
        for line, key in ((1, "jwt-keys"), (4, "client-rules")):
            said = f"warning {self.file}:{line}: {key} is asked of nobody, for access is off\n"
            self.assertEqual(sum(entry.endswith(said) for entry in daemon.log), 1, daemon.log)

        self.start_with_keys()
        self.assertNotIn("is asked of nobody", "".join(self.daemon.log))

    def test_a_reload_reads_the_keys_again_and_what_is_wrong_changes_nothing(self):
        self.start_with_keys()
        before = self.sign()
        self.public.write_text("nonsense", encoding="ascii")
        self.daemon.send_signal(signal.SIGHUP)
        said = f"error {self.file}:1: jwt-keys: the key with the id '2026': it holds no"
        daemon_test.wait_for_line(self.daemon, said)
        self.client(before).send("orders", b"x")

        self.make_key()
        self.daemon.send_signal(signal.SIGHUP)

        daemon_test.wait_for(lambda: self.assert_refused(before, "signature is wrong"), AssertionError)
        self.client(self.sign()).send("orders", b"x")

    def test_what_is_wrong_in_a_key_is_told_before_anything_is_taken(self):
        self.start_with_keys()
        self.public.write_text("nonsense", encoding="ascii")
        self.write_file("log-level = 'debug'")
        self.daemon.send_signal(signal.SIGHUP)

        daemon_test.wait_for_line(self.daemon, "nothing is reloaded")
        self.daemon.terminate()
        self.assertNotIn("log-level is now", "".join(self.daemon.log))

    def test_a_reload_reads_keys_that_no_file_names(self):
        flags = ["--access=on", f"--jwt-keys=2026:RS256:{self.public}", "--jwt-issuer=https://issuer",
                 "--jwt-audience=wharf", "--client-rules=claim:shop -> orders#shop"]
        self.start_with_keys(flags)
        before = self.sign()
        self.client(before).send("orders", b"x")
        self.make_key()

        self.daemon.send_signal(signal.SIGHUP)

        daemon_test.wait_for(lambda: self.assert_refused(before, "signature is wrong"), AssertionError)

    def test_another_audience_ends_what_was_for_the_one_before(self):
        self.start_with_keys()
        before = self.sign()
        client = self.client(before)
        client.send("orders", b"x")
        self.file.write_text(self.file.read_text(encoding="ascii").replace("'wharf'", "'dock'"), encoding="ascii")

        self.daemon.send_signal(signal.SIGHUP)

        daemon_test.wait_for(lambda: self.assert_refused(before, "another audience|not believed"), AssertionError)
        self.client(self.sign(aud="dock")).send("orders", b"x")

    def test_a_secret_is_for_this_user_alone_and_printed_nowhere(self):
        printed = subprocess.run([os.environ["WHARFD"], "config", "print", "--config", str(self.file)],
                                 capture_output=True, text=True, check=True).stdout
        self.assertIn(f"old:HS256:{self.secret}", printed)
        self.assertNotIn("long enough", printed)
        self.secret.chmod(0o640)
        with self.assertRaisesRegex(AssertionError, "jwt.secret: others may read this secret; its mode must be 0600"):
            self.start_with_keys()
        self.assertFalse(os.path.exists(self.data))

    def test_tokens_of_anybody_are_bad_usage(self):
        self.file.write_text(f"jwt-keys = '2026:RS256:{self.public}'\n", encoding="ascii")
        ended = subprocess.run([os.environ["WHARFD"], "config", "check", "--config", str(self.file)],
                               capture_output=True, text=True, check=False)
        self.assertEqual((ended.returncode, ended.stderr), (
            2, f"{self.file}:1: jwt-keys needs jwt-issuer, jwt-audience and jwt-claim\n"))


if __name__ == "__main__":
    unittest.main()
