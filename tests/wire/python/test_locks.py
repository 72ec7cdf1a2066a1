"""Who holds what, and one client that takes everything."""

import grpc

import wire
from wire import management_pb2, messaging_pb2

QUOTA = grpc.StatusCode.RESOURCE_EXHAUSTED, "QuotaExceeded"
Holder = management_pb2.LockHolder


class LocksTest(wire.OwnBrokerTest):
    FLAGS = ("--max-locked-messages=200", "--max-locked-per-connection=300")

    def setUp(self):
        super().setUp()
        self.client.create("orders")

    def streams(self, client, count):
        """So many streams with more credit than there are messages, and what each got."""
        streams = [wire.ReceiveStream(client, "orders") for _ in range(count)]
        for stream in streams:
            self.addCleanup(stream.cancel)
            stream.expect("started")
            stream.grant(1000)
        return streams

    def locked(self):
        return self.client.runtime("orders").locked_message_count

    def test_a_lock_tells_its_holder(self):
        self.client.send("orders", b"1", b"2")
        (called,) = self.client.receive("orders")
        (stream,) = self.streams(self.client, 1)
        (streamed,) = stream.deliveries(1)

        locks = self.client.list_locks("orders").locks

        self.assertEqual([(lock.sequence_number, lock.lock_token_end, lock.holder.kind) for lock in locks],
                         [(1, called.lock_token[-4:], Holder.KIND_CALL),
                          (2, streamed.lock_token[-4:], Holder.KIND_STREAM)])
        self.assertEqual([lock.locked_until for lock in locks], [called.locked_until, streamed.locked_until])
        self.assertTrue(all(lock.holder.peer.startswith("ipv4:127.0.0.1:") for lock in locks))
        self.assertTrue(all(60 == lock.locked_until.ToSeconds() - lock.locked_since.ToSeconds() for lock in locks))
        self.assertEqual({lock.holder.peer for lock in locks}, {locks[0].holder.peer})

    def test_pages_show_each_once(self):
        self.client.send("orders", *[b"x"] * 25)
        self.client.receive("orders", 25)
        numbers, token = [], ""
        while True:
            page = self.client.list_locks("orders", 10, token)
            numbers += [lock.sequence_number for lock in page.locks]
            token = page.next_page_token
            if not token:
                break
        self.assertEqual(numbers, list(range(1, 26)))

    def test_messages_of_a_session_are_locked_as_long_as_it_is(self):
        self.client.create("chats", requires_session=True)
        self.client.send("chats", wire.message_in("red", b"1"))
        session = self.client.sessions.accept("chats")
        self.client.receive("chats", session=session.session_lock_token)

        (lock,) = self.client.list_locks("chats").locks

        self.assertEqual((lock.session_id, lock.HasField("locked_until")), ("red", False))

    def test_the_holder_of_a_session_is_known_again_when_it_comes(self):
        self.client.create("chats", requires_session=True)
        red = self.client.sessions.accept("chats", "red").session_lock_token
        self.client.sessions.accept("chats", "blue")
        before = self.client.sessions.list_all("chats")
        self.daemon.kill()
        self.daemon.start()
        self.client = self.connect()

        after = self.client.sessions.list_all("chats")
        self.client.sessions.renew("chats", red)
        renewed = self.client.sessions.list_all("chats")

        self.assertTrue(all(session.locked_by for session in before.values()))
        for name, session in after.items():
            self.assertEqual((session.HasField("locked_by"), session.locked_since),
                             (False, before[name].locked_since))
        self.assertTrue(renewed["red"].HasField("locked_by"))
        self.assertFalse(renewed["blue"].HasField("locked_by"))

    def test_after_a_restart_nobody_is_known(self):
        self.client.send("orders", b"1")
        self.client.receive("orders")
        self.daemon.kill()
        self.daemon.start()
        self.client = self.connect()

        (lock,) = self.client.list_locks("orders").locks

        self.assertEqual((lock.sequence_number, lock.HasField("holder"), lock.HasField("locked_since")),
                         (1, False, False))
        self.assertTrue(lock.HasField("locked_until"))

    def test_one_client_with_fifty_streams_and_calls_leaves_the_others_their_share(self):
        greedy, modest = self.connect(), self.connect()
        self.client.send("orders", *[b"x"] * 1000)

        self.streams(greedy, 50)
        while True:
            try:
                greedy.receive("orders", 10)
            except grpc.RpcError as error:
                self.assert_error(wire.status_of(error), *QUOTA)
                break

        self.assertEqual(self.locked(), 180)
        self.assertTrue(self.client.list_locks("orders").locks[0].holder.is_at_limit)
        self.assertEqual(len(modest.receive("orders", 10)), 10)

    def test_a_connection_is_bounded_over_all_queues(self):
        for name in "abc":
            self.client.create(name)
            self.client.send(name, *[b"x"] * 150)
        got = [len(self.client.receive(name, 150)) for name in "ab"]

        self.assertEqual(got, [150, 150])
        self.assert_fails(*QUOTA, self.client.receive, "c", 150)
        self.assertEqual(len(self.connect().receive("c", 150)), 150)

    def test_credit_is_held_back_until_something_is_settled(self):
        self.client.send("orders", *[b"x"] * 1000)
        (stream,) = self.streams(self.client, 1)
        messages = stream.deliveries(180)

        stream.settle(1, [message.lock_token for message in messages[:5]], complete=messaging_pb2.Complete())
        responses = [stream.read() for _ in range(2)]

        self.assertEqual({response.WhichOneof("response") for response in responses}, {"settled", "deliveries"})
        self.assertEqual(sum(len(response.deliveries.messages) for response in responses), 5)
