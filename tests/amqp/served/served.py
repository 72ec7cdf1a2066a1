"""served: what the tests of wharfd over AMQP share: daemons that listen for it, and clients of another make."""

import contextlib
import os
import pathlib
import re
import subprocess

import access_calls
import certificates
import daemon_test
import operations
import test_node
import wire
from proton import ProtonException, SSLDomain
from proton.utils import BlockingConnection

PLACES = "127.0.0.1:0,operations://127.0.0.1:0"
EMULATOR = "UseDevelopmentEmulator=true"
# Of the loopback net, for a client that cannot change its port; no other run has it.
OWN_HOST = f"127.0.{os.getpid() // 250 % 250}.{os.getpid() % 250 + 2}"


def amqp_port(daemon, kind="amqp"):
    (line,) = [line for line in daemon.log if "wharfd ready on " in line]
    return int(re.search(rf" {re.escape(kind)}://127\.[0-9.]+:(\d+) ", line).group(1))


def connection_string(port, name="root", key="any", more=EMULATOR):
    return f"Endpoint=sb://127.0.0.1:{port};SharedAccessKeyName={name};SharedAccessKey={key};{more}"


def quietly(close):
    """For connections of daemons that are gone by then."""
    with contextlib.suppress(ProtonException):
        close()


class ServedTest(daemon_test.DaemonTest):

    def serve(self, *places, amqp="amqp://127.0.0.1:0", **options):
        daemon = self.start(listen=",".join((PLACES, amqp, *places)), **options)
        self.port = amqp_port(daemon)
        self.http_port = operations.port_of(daemon)
        return daemon

    def serve_over_tls(self, place="amqp+tls://127.0.0.1:0", names="DNS:localhost,IP:127.0.0.1", flags=()):
        """And without it; its certificate is one of `authority`."""
        self.authority = certificates.Authority(self.folder.name)
        identity = self.authority.sign("broker", names)
        daemon = self.serve(place, flags=("--tls-cert", str(identity.certificate), "--tls-key", str(identity.key),
                                          *flags))
        self.tls_port = amqp_port(daemon, "amqp+tls")
        return daemon

    def serve_secured(self, *where, flags=()):
        """The same, for those who prove their rights: `root`, by name and key, has all of them, and so has `client`."""
        daemon = self.serve_over_tls(*where, flags=("--access=on", *flags))
        self.prove_root()
        return daemon

    def prove_root(self):
        root = access_calls.connection_of(pathlib.Path(self.data, "root-connection-string").read_text(encoding="ascii"))
        self.root = root["SharedAccessKeyName"], root["SharedAccessKey"]
        self.client = access_calls.AccessClient(self.client.address,
                                                access_calls.make_token("sb://localhost/", *self.root))
        self.addCleanup(self.client.close)

    def dial(self, port=None, mechanism="ANONYMOUS", user=None, key=None, authority=None, heartbeat=10, **options):
        """If it might Proton would come again by itself, also while it closes, and then for ever. It hears the heartbeats
        of a connection only while that one is used: of many, none can be asked for."""
        domain = None
        if authority is not None:
            domain = SSLDomain(SSLDomain.MODE_CLIENT)
            domain.set_trusted_ca_db(str(authority.certificate))
            domain.set_peer_authentication(SSLDomain.VERIFY_PEER)
        connection = BlockingConnection(
            f"{'amqps' if authority else 'amqp'}://127.0.0.1:{port or self.port}", timeout=wire.TIMEOUT,
            heartbeat=heartbeat, allowed_mechs=mechanism, allow_insecure_mechs=True, user=user, password=key,
            ssl_domain=domain, reconnect=False, **options)
        self.addCleanup(quietly, connection.close)
        return connection

    def metric(self, name):
        text = operations.get(self.http_port, "/metrics")[2]
        return int(re.search(rf"^{name} (\d+)$", text, re.M).group(1))

    def tell(self, story, *arguments, steps, env=None):
        """A program in Node, to its end: what it says it has done."""
        test_node.install()
        told = subprocess.run(["node", story, *arguments], cwd=test_node.NODE, timeout=wire.TIMEOUT,
                              stdout=subprocess.PIPE, text=True, env=env)
        self.assertEqual(told.stdout.splitlines(), list(steps))
        self.assertEqual(told.returncode, 0)

    def create_what_the_sdk_wants(self, client):
        client.create("q")
        client.create("letters", requires_session=True)
        client.topics.create("t")
        client.topics.create_subscription("t", "s")
