"""Transactions that move messages from one queue to another, while the broker is killed again and again."""

import threading
import unittest
import uuid

import grpc

import wire
from transaction_calls import send, settle
from wharf.v1 import transactions_pb2

COMMITTED = transactions_pb2.TRANSACTION_STATE_COMMITTED
MESSAGES = 400


class Mover(threading.Thread):
    """Moves messages, in one call or step by step, until the broker is gone."""

    def __init__(self, address, in_steps):
        super().__init__()
        self._client = wire.Client(address)
        self._in_steps = in_steps
        self.told = {}  # Transaction id -> the body that it moves, and whether its commit was acknowledged.

    def _move(self, name, message):
        parts = settle("orders", message.lock_token), send("bills", message.message)
        transactions = self._client.transactions
        if not self._in_steps:
            return transactions.run(*parts, name=name)
        transactions.begin(name)
        for part in parts:
            transactions.add(name, part)
        return transactions.commit(name)

    def run(self):
        try:
            while True:
                for message in self._client.receive("orders", 5, wait=1):
                    name = str(uuid.uuid4())
                    self.told[name] = message.message.body, False
                    done = self._move(name, message)
                    self.told[name] = message.message.body, done.state == COMMITTED
        except grpc.RpcError:
            pass
        finally:
            self._client.close()


class TransactionCrashTest(wire.OwnBrokerTest):

    def bodies_in(self, client, path):
        found, start = [], 0
        while True:
            page = client.peek(path, start)
            found += wire.bodies(page.messages)
            if not page.HasField("next_sequence_number"):
                return found
            start = page.next_sequence_number

    def was_committed(self, client, name):
        try:
            return client.transactions.get(name).state == COMMITTED
        except grpc.RpcError as error:
            self.assert_error(wire.status_of(error), grpc.StatusCode.FAILED_PRECONDITION, "TransactionUnknown")
            return False

    def check(self, client, movers):
        """Every message is in one queue, and every outcome is told truly."""
        orders, bills = self.bodies_in(client, "orders"), self.bodies_in(client, "bills")
        self.assertEqual(len(orders) + len(bills), MESSAGES)
        self.assertEqual(len(set(orders) | set(bills)), MESSAGES)
        for mover in movers:
            for name, (body, was_told) in mover.told.items():
                is_committed = self.was_committed(client, name)
                self.assertTrue(is_committed or not was_told, f"{name} was acknowledged and is lost")
                if is_committed:
                    self.assertIn(body, bills)
        return len(bills)

    def test_a_message_is_in_one_queue_whenever_the_broker_dies(self):  # TXN-11, TXX-1
        client = wire.Client(self.daemon.address)
        client.create("orders", lock_duration=wire.seconds(5), max_delivery_count=1000)
        client.create("bills")
        client.send("orders", *[wire.Message(body=b"%d" % number) for number in range(MESSAGES)])
        client.close()
        movers, moved = [], 0

        for kill in range(5):
            running = [Mover(self.daemon.address, in_steps) for in_steps in (False, True, False, True)]
            for mover in running:
                mover.start()
            threading.Event().wait(0.3 + 0.1 * kill)
            self.daemon.kill()
            for mover in running:
                mover.join()
            movers += running
            self.daemon.start()
            client = wire.Client(self.daemon.address)
            moved = self.check(client, movers)
            client.close()

        self.assertGreater(moved, 0)


if __name__ == "__main__":
    unittest.main()
