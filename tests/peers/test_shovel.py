#!/usr/bin/python3 -B
"""test_shovel: RabbitMQ's shovel, whose AMQP 1.0 is a client of its own, moves messages from Wharf to RabbitMQ and
back, in the clear and over TLS, by the key of a rule; and goes on by itself when the broker was killed.

  tests/peers/test_shovel.py                                        (tools/dev shovel)

Needs WHARFD, the path of the daemon that was built (default: the release build), Debian's rabbitmq-server,
python3-grpcio, python3-qpid-proton and python3-azure.
"""

import os
import pathlib
import shutil
import sys
import tempfile
import unittest
import urllib.parse

TESTS = pathlib.Path(__file__).resolve().parents[1]
BIN = TESTS.parent / "build/release/bin"
os.environ.setdefault("WHARFD", str(BIN / "wharfd"))
# Nobody dials it: the modules of the partners ask for it.
os.environ.setdefault("AMQP_PARTNER", str(BIN / "amqp_partner"))
sys.path[:0] = [str(TESTS / folder) for folder in ("amqp/served", "amqp/partners", "daemon", "wire/python")]

# pylint: disable=wrong-import-position
import certificates  # noqa: E402
import daemon_test  # noqa: E402
import served  # noqa: E402
import wire  # noqa: E402
from free_ports import free_port  # noqa: E402
from rabbit_mq import RabbitMq  # noqa: E402

MESSAGES = 10_000
HALF = MESSAGES // 2
AT_ONCE = 500
# What was on its way when the broker went comes again when its lock is over.
LOCK = wire.seconds(5)
BODIES = [b"message %d" % number for number in range(MESSAGES)]


def setUpModule():  # pylint: disable=invalid-name
    folder = tempfile.mkdtemp(prefix="wharf-shovel-")
    unittest.addModuleCleanup(shutil.rmtree, folder)
    Shovel.rabbit = RabbitMq(f"{folder}/rabbit")
    unittest.addModuleCleanup(Shovel.rabbit.end)


class Shovel:
    """By one way to come in; all have a RabbitMQ in common."""

    def setUp(self):
        super().setUp()
        self.port, self.tls_port = free_port(), free_port()
        self.authority = certificates.Authority(self.folder.name)
        self.identity = self.authority.sign("broker", "DNS:localhost,IP:127.0.0.1")
        self.begin()
        self.between = f"between-{type(self).__name__}"
        self.rabbit.declare(self.between)
        self.client.create("there", lock_duration=LOCK)
        self.client.create("back", lock_duration=LOCK)

    def begin(self):
        """At the same ports each time."""
        self.daemon = self.start(
            listen=f"127.0.0.1:0,amqp://127.0.0.1:{self.port},amqp+tls://127.0.0.1:{self.tls_port}",
            flags=("--access=on", "--tls-cert", str(self.identity.certificate), "--tls-key", str(self.identity.key)))
        self.prove_root()
        self.proof = ":".join(urllib.parse.quote(part, safe="") for part in self.root)

    def shovel(self, name, **settings):
        """It has all answers before it lets go of a message."""
        self.rabbit.shovel(name, ack_mode="on-confirm", reconnect_delay=1, **settings)
        self.addCleanup(self.rabbit.remove_shovel, name)

    def send(self, bodies):
        for begin in range(0, len(bodies), AT_ONCE):
            self.client.send("there", *bodies[begin:begin + AT_ONCE])

    def eventually(self, look):
        daemon_test.wait_for(lambda: self.assertTrue(look()), AssertionError)

    def came_back(self):
        """By their numbers."""
        return daemon_test.stored(self.client, "back")

    def count(self, queue):
        return self.client.runtime(queue).total_message_count

    def test_there_and_back(self):
        self.send(BODIES[:HALF])
        self.shovel("there", src_protocol="amqp10", src_uri=self.place(), src_address="there",
                    dest_protocol="amqp091", dest_uri=self.rabbit.uri(), dest_queue=self.between)
        self.shovel("back", src_protocol="amqp091", src_uri=self.rabbit.uri(), src_queue=self.between,
                    dest_protocol="amqp10", dest_uri=self.place(), dest_address="back")

        self.eventually(lambda: self.count("back") > 0)
        self.daemon.kill()
        self.begin()
        self.send(BODIES[HALF:])

        self.eventually(lambda: self.count("there") == 0)
        # What was moved when the broker went, and not yet settled, is moved again.
        self.eventually(lambda: set(BODIES) <= set(self.came_back().values()))
        self.eventually(lambda: self.rabbit.count(self.between) == 0)
        self.assertEqual(set(self.came_back().values()), set(BODIES))


class InTheClear(Shovel, served.ServedTest):

    def place(self):
        return f"amqp://{self.proof}@127.0.0.1:{self.port}?sasl=plain"


class OverTls(Shovel, served.ServedTest):

    def place(self):
        authority = urllib.parse.quote(str(self.authority.certificate), safe="")
        return f"amqps://{self.proof}@localhost:{self.tls_port}?sasl=plain&cacertfile={authority}&verify=verify_peer"


if __name__ == "__main__":
    unittest.main()
