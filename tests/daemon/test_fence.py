"""A queue whose counters do not agree with its messages: out of use, alone, until `wharf check` has repaired it."""

import json
import os
import subprocess
import unittest

import grpc

import daemon_test
import wire

AGREES, DIFFERS = 0, 1


class FenceTest(daemon_test.DaemonTest):

    def check(self, *arguments):
        """Exit code and output of `wharf check`."""
        ended = subprocess.run([daemon_test.WHARF, "--address", self.daemon.address, "check", *arguments],
                               stdout=subprocess.PIPE, text=True, timeout=wire.TIMEOUT, check=False)
        return ended.returncode, ended.stdout

    def restart_damaged(self):
        self.assertEqual(self.daemon.terminate(), 0)
        subprocess.run([os.environ["DAMAGE_COUNTERS"], self.data], check=True, timeout=wire.TIMEOUT)
        self.daemon = self.start()

    def setUp(self):
        super().setUp()
        self.daemon = self.start()
        for queue in ("orders", "other"):
            self.client.create(queue)
        self.client.send("orders", *[wire.Message(body=body) for body in (b"a", b"b", b"c")])
        self.restart_damaged()

    def test_it_is_fenced_told_of_and_repaired(self):
        with self.assertRaises(grpc.RpcError) as refused:
            self.client.receive("orders", 1)
        self.assertEqual(refused.exception.code(), grpc.StatusCode.FAILED_PRECONDITION)
        self.assertIn("wharf check queue orders --repair", refused.exception.details())
        self.assertEqual(wire.error_info(wire.status_of(refused.exception)).reason, "MessagingEntityDisabled")
        self.assertEqual(self.client.statistics().fenced_entity_count, 1)
        self.client.send("other", wire.Message(body=b"x"))
        self.assertEqual(wire.bodies(self.client.receive("other", 9)), [b"x"])

        code, text = self.check("queue", "orders")
        self.assertEqual(code, DIFFERS)
        self.assertRegex(text, r"locked_message_count +2 +0\norders: fenced: 2 locks are counted, and there are 0\n")
        code, text = self.check("queue", "orders", "--json")
        self.assertEqual(code, DIFFERS)
        self.assertEqual(json.loads(text)["differences"][0]["what"], "locked_message_count")
        self.assertEqual(self.check("queue", "other"), (AGREES, "other: everything agrees; 1 message\n"))

        self.assertEqual(self.check("queue", "orders", "--repair")[0], AGREES)
        self.assertEqual(self.client.statistics().fenced_entity_count, 0)
        self.assertEqual(self.check("queue", "orders"), (AGREES, "orders: everything agrees; 3 messages\n"))
        self.assertEqual(wire.bodies(self.client.receive("orders", 9)), [b"a", b"b", b"c"])

    def test_the_log_says_it_once(self):
        self.client.create("third")
        with self.assertRaises(grpc.RpcError):
            self.client.receive("orders", 1)

        self.assertEqual(self.daemon.terminate(), 0)
        said = [line for line in self.daemon.log if " error " in line]

        self.assertEqual(len(said), 1, said)
        self.assertIn("'orders' is fenced, because what is stored of it does not agree: 2 locks are counted", said[0])


if __name__ == "__main__":
    unittest.main()
