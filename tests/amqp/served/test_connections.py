"""Operators see who is connected over AMQP, and send clients away."""

import json
import pathlib
import subprocess
import unittest

import access_calls
import daemon_test
import grpc
import served
import wire
from proton import Message
from proton.utils import ConnectionClosed
from wharf.v1 import management_pb2  # pylint: disable=wrong-import-order

FORCED = "amqp:connection:forced"


class Connections(served.ServedTest):

    def run_wharf(self, *arguments, code=0):
        ended = subprocess.run([daemon_test.WHARF, "--address", self.client.address, *arguments], text=True,
                               capture_output=True, timeout=wire.TIMEOUT, check=False)
        self.assertEqual(ended.returncode, code, ended.stderr + ended.stdout)
        return ended.stdout

    def listed(self):
        return json.loads(self.run_wharf("connection", "list", "--json"))["connections"]

    def test_it_is_told_who_is_there_and_what_it_does(self):
        self.serve()
        self.client.create("q")
        self.assertEqual(self.listed(), [])
        idle, busy = self.dial(), self.dial()
        sender = busy.create_sender("q")
        receiver = busy.create_receiver("q", credit=10)
        for _ in range(3):
            sender.send(Message(body=b"x" * 1000, inferred=True))
        for _ in range(3):
            receiver.receive(timeout=wire.TIMEOUT)

        def see():
            first, second = self.listed()
            self.assertEqual((int(first["id"]), int(second["id"])), (1, 2))
            self.assertEqual((int(first["link_count"]), int(second["link_count"])), (0, 2))
            # Within a second.
            self.assertEqual(int(second["unsettled_count"]), 3)
            self.assertGreater(int(second["received_bytes"]), 3000)
            self.assertGreater(int(second["sent_bytes"]), 3000)
            self.assertRegex(second["client_address"], r"^127\.0\.0\.1:\d+$")

        daemon_test.wait_for(see, AssertionError)
        self.assertRegex(self.run_wharf("connection", "list"), r"\n +2  127\.0\.0\.1:\d+ ")
        idle.close()
        daemon_test.wait_for(lambda: self.assertEqual([int(each["id"]) for each in self.listed()], [2]), AssertionError)
        sender.close()
        self.assertEqual(int(self.listed()[0]["link_count"]), 1)

    def test_one_that_is_closed_hears_why_and_others_stay(self):
        daemon = self.serve()
        self.client.create("q")
        gone, stays = self.dial(), self.dial()
        gone.create_sender("q").send(Message(body=b"one", inferred=True))
        self.assertEqual(self.run_wharf("connection", "close", "1"), "closed 1\n")
        with self.assertRaisesRegex(ConnectionClosed, FORCED):
            gone.wait(lambda: False, timeout=wire.TIMEOUT)
        stays.create_sender("q").send(Message(body=b"two", inferred=True))
        self.assertEqual(sorted(daemon_test.stored(self.client, "q").values()), [b"one", b"two"])
        daemon_test.wait_for(lambda: self.run_wharf("connection", "close", "1", code=1), AssertionError)
        # Where nobody listens for it there is none.
        self.assertEqual(daemon.terminate(), 0)
        self.start()
        self.assertEqual(self.listed(), [])
        self.run_wharf("connection", "close", "1", code=1)

    def test_they_are_listed_page_by_page(self):
        self.serve()
        for _ in range(3):
            self.dial()

        def page(token, size=2):
            return self.client.management.ListConnections(
                management_pb2.ListConnectionsRequest(page_size=size, page_token=token), timeout=wire.TIMEOUT)

        def see():
            first = page("")
            second = page(first.next_page_token)
            self.assertEqual([[each.id for each in got.connections] for got in (first, second)], [[1, 2], [3]])
            self.assertEqual(second.next_page_token, "")

        daemon_test.wait_for(see, AssertionError)
        with self.assertRaises(grpc.RpcError) as refused:
            page("none")
        self.assertEqual(refused.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)

    def test_the_rule_is_told_and_who_looks_must_manage_all(self):
        self.serve(flags=("--access=on",))
        root = access_calls.connection_of(pathlib.Path(self.data, "root-connection-string").read_text())
        token = access_calls.make_token("sb://localhost/", root["SharedAccessKeyName"], root["SharedAccessKey"])
        manager = access_calls.AccessClient(self.client.address, token)
        self.addCleanup(manager.close)
        manager.create("q")
        sender = manager.make_rule("q", "sender", "Send")
        other = manager.make_rule("q", "other", "Manage")
        connection = self.dial(mechanism="PLAIN", user="sender", key=sender.primary_key)
        connection.create_sender("q")
        request = management_pb2.ListConnectionsRequest()
        told = manager.management.ListConnections(request, timeout=wire.TIMEOUT).connections
        self.assertEqual([each.rule for each in told], ["q#sender"])
        little = access_calls.AccessClient(self.client.address,
                                           access_calls.make_token("sb://localhost/q", "other", other.primary_key))
        self.addCleanup(little.close)
        for call, asked in ((little.management.ListConnections, request),
                            (little.management.CloseConnection, management_pb2.CloseConnectionRequest(id=1))):
            with self.assertRaises(grpc.RpcError) as refused:
                call(asked, timeout=wire.TIMEOUT)
            self.assertEqual(refused.exception.code(), grpc.StatusCode.PERMISSION_DENIED)
        connection.create_sender("q", name="goes on")


if __name__ == "__main__":
    unittest.main()
