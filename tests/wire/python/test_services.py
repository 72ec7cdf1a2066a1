"""What generic tools ask a server: is it well, and what does it offer. And the examples that users copy."""

import os
import subprocess
import sys
import unittest

import grpc

import wire

# pylint: disable=wrong-import-position
from grpc.health.v1 import health_pb2, health_pb2_grpc  # noqa: E402
from grpc.reflection.v1alpha import reflection_pb2, reflection_pb2_grpc  # noqa: E402


OURS = {"wharf.v1.Backups", "wharf.v1.Clock", "wharf.v1.Cluster", "wharf.v1.Management", "wharf.v1.Messaging",
        "wharf.v1.Sessions", "wharf.v1.Topics", "wharf.v1.Transactions"}


class ServicesTest(wire.WireTest):

    def test_health_says_serving_of_every_service(self):
        health = health_pb2_grpc.HealthStub(self.client.channel)

        for service in ("", *OURS):
            answer = health.Check(health_pb2.HealthCheckRequest(service=service), timeout=wire.TIMEOUT)
            self.assertEqual(answer.status, health_pb2.HealthCheckResponse.SERVING, service)

    def test_health_of_an_unknown_service_is_not_found(self):
        health = health_pb2_grpc.HealthStub(self.client.channel)

        with self.assertRaises(grpc.RpcError) as caught:
            health.Check(health_pb2.HealthCheckRequest(service="nobody"), timeout=wire.TIMEOUT)

        self.assertEqual(caught.exception.code(), grpc.StatusCode.NOT_FOUND)

    def test_reflection_lists_the_services(self):
        reflection = reflection_pb2_grpc.ServerReflectionStub(self.client.channel)
        request = reflection_pb2.ServerReflectionRequest(list_services="")

        (answer,) = reflection.ServerReflectionInfo(iter([request]), timeout=wire.TIMEOUT)

        services = {service.name for service in answer.list_services_response.service}
        self.assertEqual({service for service in services if service.startswith("wharf.")}, OURS)
        self.assertIn("grpc.health.v1.Health", services)


REPLIES = """\
simple: ONE COFFEE
multiplexing: till-1 one coffee
multiplexing: till-2 one coffee
multiplexing: till-1 two teas
multiplexing: till-2 two teas
multiplexing: till-1 three cakes
multiplexing: till-2 three cakes
multiplexed: TILL-1 COFFEE, TILL-1 TEA
multiplexed: TILL-2 COFFEE, TILL-2 TEA
multiplexed: TILL-3 COFFEE, TILL-3 TEA
"""


PRICES = """\
bakery asks 3 for cake
cafe asks 4 for cake
cafe asks 4 for coffee
kiosk asks 2 for coffee
"""


class ExampleTest(wire.WireTest):

    def run_example(self, name):
        """What it prints."""
        ended = subprocess.run([sys.executable, wire.HERE / name], check=False, capture_output=True, text=True,
                               env={**os.environ, "PYTHONPATH": wire.STUBS}, timeout=wire.TIMEOUT)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout

    def test_request_and_reply(self):
        self.assertEqual(self.run_example("request_reply.py"), REPLIES)

    def test_one_request_and_many_replies(self):
        self.assertEqual(self.run_example("multicast.py"), PRICES)

    def test_ten_lines_send_receive_and_complete(self):
        self.client.create("orders")
        self.addCleanup(self.client.delete, "orders")

        self.assertEqual(self.run_example("ten_lines.py"), "1 one coffee\n")
        self.assertEqual(self.client.runtime("orders").total_message_count, 0)


if __name__ == "__main__":
    unittest.main()
