"""administration: a daemon that administration clients find, over TLS if nothing else is said, with signatures that are
checked."""

import os
import re
import subprocess
from unittest import mock

import certificates
import daemon_test
import test_node
import wire
from access_calls import AccessClient, connection_of, make_token
from azure.servicebus.management import ServiceBusAdministrationClient

HTTP = "servicebus+tls://127.0.0.1:0"
PLACES = f"127.0.0.1:0,{HTTP}"


def http_port(daemon):
    (line,) = [line for line in daemon.log if "wharfd ready on " in line]
    return int(re.search(r" servicebus(?:\+tls)?://127[.0-9]+:(\d+)", line).group(1))


class AdministrationTest(daemon_test.DaemonTest):

    def trust(self):
        """An authority that the clients believe."""
        self.authority = certificates.Authority(self.folder.name)
        # Python's client hands its options to nobody: whom it believes stands in a variable.
        believed = mock.patch.dict(os.environ, {"REQUESTS_CA_BUNDLE": str(self.authority.certificate)})
        believed.start()
        self.addCleanup(believed.stop)
        return self.authority

    def serve(self, http=HTTP, **certificate):
        identity = self.trust().sign("broker", **certificate)
        proof = ["--tls-cert", str(identity.certificate), "--tls-key", str(identity.key)] if "+tls" in http else []
        flags = ["--access=on", *proof]
        self.daemon = daemon = wire.Daemon(self.data, f"127.0.0.1:0,{http}", flags)
        self.addCleanup(daemon.kill)
        with open(f"{self.data}/root-connection-string", encoding="ascii") as file:
            self.root_key = connection_of(file.read())["SharedAccessKey"]
        self.find()
        return daemon

    def find(self):
        self.port = http_port(self.daemon)
        # Whatever is done by one door is seen by the other.
        self.grpc = AccessClient(self.daemon.address,
                                 make_token("sb://h/", "RootManageSharedAccessKey", self.root_key))
        self.addCleanup(self.grpc.close)

    def start_again(self):
        """Killed, and at other ports."""
        self.daemon.kill()
        self.daemon.start()
        self.find()

    def connection_string(self, name="RootManageSharedAccessKey", key=None):
        return (f"Endpoint=sb://127.0.0.1:{self.port}/;SharedAccessKeyName={name};"
                f"SharedAccessKey={key or self.root_key}")

    def python(self, *arguments):
        client = ServiceBusAdministrationClient.from_connection_string(self.connection_string(*arguments))
        self.addCleanup(client.close)
        return client

    def tell(self, story, *arguments, steps):
        """A program in Node, to its end: what it says it has done."""
        test_node.install()
        told = subprocess.run(["node", story, *arguments], cwd=test_node.NODE, timeout=wire.TIMEOUT,
                              stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "NODE_EXTRA_CA_CERTS": str(self.authority.certificate),
                                   "WHARF": daemon_test.WHARF, "GRPC_ADDRESS": self.daemon.address,
                                   "WHARF_CONNECTION_STRING": f"@{self.data}/root-connection-string"})
        self.assertEqual(told.stdout.splitlines(), list(steps))
        self.assertEqual(told.returncode, 0)
