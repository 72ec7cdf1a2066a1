"""Transactions: in one call and step by step, what is refused, time, and the outcome of an id."""

import unittest
import uuid

import grpc

import wire
from transaction_calls import Operation, renew, send, set_state, settle
from wharf.v1 import transactions_pb2
from wire import Message, messaging_pb2

UNKNOWN = grpc.StatusCode.FAILED_PRECONDITION, "TransactionUnknown"
ABORTED = grpc.StatusCode.ABORTED, "TransactionAborted"
TOO_LARGE = grpc.StatusCode.RESOURCE_EXHAUSTED, "TransactionSizeExceeded"
LOST = grpc.StatusCode.ABORTED, "MessageLockLost"
INVALID = grpc.StatusCode.FAILED_PRECONDITION, "InvalidOperation"
ARGUMENT = grpc.StatusCode.INVALID_ARGUMENT, "ArgumentError"


class TransactionsTest(wire.ManualClockTest):

    def setUp(self):
        super().setUp()
        self.client.create("orders", lock_duration=wire.seconds(60))
        self.client.create("bills")
        self.transactions = self.client.transactions

    def locked(self, path="orders"):
        self.client.send(path, b"order")
        return self.client.receive_one(path).lock_token

    def count(self, path):
        return self.client.runtime(path).active_message_count

    def test_19_complete_and_send_are_both_done_or_neither(self):  # TXN-11, TXN-12, CNT-15
        token = self.locked()
        name = self.transactions.begin()
        self.transactions.add(name, settle("orders", token))
        self.transactions.add(name, send("bills", Message(body=b"bill")))
        self.assertEqual((self.count("orders"), self.count("bills")), (1, 0))

        self.assertEqual(self.transactions.rollback(name).state, transactions_pb2.TRANSACTION_STATE_ROLLED_BACK)

        self.assertEqual((self.count("orders"), self.count("bills")), (1, 0))
        self.assertFalse(self.client.renew("orders", token)[0].HasField("error"))

        name = self.transactions.begin()
        self.transactions.add(name, settle("orders", token))
        self.transactions.add(name, send("bills", Message(body=b"bill")))
        done = self.transactions.commit(name)

        self.assertEqual(done.state, transactions_pb2.TRANSACTION_STATE_COMMITTED)
        self.assertEqual(done.results[1].sent[0].sequence_number, 1)
        self.assertEqual((self.count("orders"), self.count("bills")), (0, 1))
        self.assertEqual(wire.bodies(self.client.receive("bills")), [b"bill"])

    def test_20_too_many_sends_are_an_error(self):  # TXN-9, QUO-10
        name = self.transactions.begin()
        self.transactions.add(name, send("orders", *[Message(body=b"x")] * 100))
        self.assert_fails(*TOO_LARGE, self.transactions.add, name, send("orders", Message()))
        self.assert_fails(*ABORTED, self.transactions.commit, name)
        self.assert_fails(*TOO_LARGE, self.transactions.run, *[send("orders", Message())] * 101)
        self.assertEqual(self.count("orders"), 0)

    def test_one_call_does_all_kinds_of_things(self):  # TXN-1, SCH-12
        self.client.create("jobs", requires_session=True)
        self.client.send("jobs", wire.message_in("red", b"job"))
        session = self.client.sessions.accept("jobs", "red").session_lock_token
        (job,) = self.client.receive("jobs", session=session)
        tokens = [self.locked() for _ in range(6)]
        verbs = [{"complete": messaging_pb2.Complete()}, {"abandon": messaging_pb2.Abandon()},
                 {"defer": messaging_pb2.Defer()}, {"dead_letter": messaging_pb2.DeadLetter(reason="bad")},
                 {"release": messaging_pb2.Release()}]
        self.advance(30)

        done = self.transactions.run(
            *[settle("orders", token, **verb) for token, verb in zip(tokens, verbs)],
            renew("orders", tokens[5]),
            set_state("jobs", session, b"half", job.lock_token),
            send("bills", Message(body=b"now"), Message(body=b"later", scheduled_enqueue_time=self.after(60))))

        self.assertEqual(done.results[5].locked_until, self.after(60))
        self.assertEqual([sent.sequence_number for sent in done.results[7].sent], [1, 2])
        orders, bills = self.client.runtime("orders"), self.client.runtime("bills")
        self.assertEqual((orders.active_message_count, orders.dead_letter_message_count), (3 + 1, 1))
        self.assertEqual((bills.active_message_count, bills.scheduled_message_count), (1, 1))
        self.assertEqual(self.client.sessions.state("jobs", session), b"half")
        self.assertEqual(self.count("jobs"), 0)

    def test_one_that_fails_leaves_nothing_behind(self):  # TXN-11
        token = self.locked()

        self.assert_fails(*LOST, self.transactions.run, send("bills", Message()), settle("orders", token),
                                  settle("orders", wire.UNKNOWN_TOKEN), name="mine")

        self.assertEqual((self.count("orders"), self.count("bills")), (1, 0))
        self.assert_fails(*UNKNOWN, self.transactions.get, "mine")
        self.transactions.run(settle("orders", token), name="mine")

    def test_a_retry_is_safe(self):  # TXX-1
        name = str(uuid.uuid4())
        done = self.transactions.run(send("bills", Message(body=b"once")), name=name)

        self.assertEqual(self.transactions.run(send("bills", Message(body=b"once")), name=name), done)
        self.assertEqual(self.transactions.commit(name), done)
        self.assertEqual(self.transactions.get(name), done)
        self.assertEqual(self.count("bills"), 1)
        self.assert_fails(*INVALID, self.transactions.begin, name)
        self.assert_fails(*UNKNOWN, self.transactions.rollback, name)

        self.advance(600)
        self.assert_fails(*UNKNOWN, self.transactions.get, name)

    def test_an_open_one_ends_by_itself(self):  # TXN-10
        name = self.transactions.begin("open")
        self.transactions.add(name, send("bills", Message()))
        self.assertEqual(self.transactions.get(name).expires_time, self.after(120))
        self.assertEqual(self.transactions.get(name).operation_count, 1)

        self.advance(120)

        self.assert_fails(*ABORTED, self.transactions.add, name, send("bills", Message()))
        self.assert_fails(*ABORTED, self.transactions.commit, name)
        self.assertEqual(self.transactions.get(name).state, transactions_pb2.TRANSACTION_STATE_ROLLED_BACK)
        self.assertEqual(self.count("bills"), 0)

    def test_a_message_of_an_open_one_is_not_settled_by_others(self):  # TXN-13
        token = self.locked()
        name = self.transactions.begin()
        self.transactions.add(name, settle("orders", token))

        with self.assertRaises(grpc.RpcError) as caught:
            self.client.complete("orders", token)
        self.assertIn("open", caught.exception.details())
        self.assert_fails(*INVALID, self.transactions.run, settle("orders", token))

        self.advance(60)
        self.assert_fails(*ABORTED, self.transactions.commit, name)
        self.assertEqual(len(self.client.receive("orders")), 1)

    def test_an_operation_that_fails_ends_it(self):  # TXN-21
        for bad in (send("nowhere", Message()), settle("orders", wire.UNKNOWN_TOKEN), settle("orders", b"short"),
                    settle("orders"), send("bills")):
            name = self.transactions.begin()
            self.transactions.add(name, send("bills", Message()))
            with self.assertRaises(grpc.RpcError):
                self.transactions.add(name, bad)
            self.assert_fails(*ABORTED, self.transactions.commit, name)
        self.assertEqual(self.count("bills"), 0)

    def test_bad_requests_are_refused(self):  # TXN-2, TXN-17
        self.assert_fails(*ARGUMENT, self.transactions.run)
        self.assert_fails(*ARGUMENT, self.transactions.run, Operation())
        self.assert_fails(*ARGUMENT, self.transactions.run, send("bills", Message()), name="two words")
        self.assert_fails(*ARGUMENT, self.transactions.run, send("bills", Message()), name="x" * 129)
        nested = send("bills", Message())
        nested.send.transaction_id = "other"
        self.assert_fails(*ARGUMENT, self.transactions.run, nested)
        self.assert_fails(*ARGUMENT, self.transactions.commit, "")
        for call in (self.transactions.commit, self.transactions.rollback):
            self.assert_fails(*UNKNOWN, call, "nobody-began-it")
        self.assert_fails(*UNKNOWN, self.transactions.add, "nobody-began-it", send("bills", Message()))
        self.assertEqual(self.count("bills"), 0)

    def test_a_stream_does_not_send_in_a_transaction(self):
        name = self.transactions.begin()
        stream = wire.Stream(self.client.messaging.SendStream)
        request = messaging_pb2.SendRequest(entity_path="bills", messages=[Message()], transaction_id=name)
        stream.write(messaging_pb2.SendStreamRequest(request_id=1, send=request))

        (result,) = stream.read().results

        self.assertIn("use the call Send", result.error.message)
        stream.cancel()


if __name__ == "__main__":
    unittest.main()
