"""Sessions in a time that the test moves: locks that expire, waits and turns that end, expiry of whole sessions."""

import unittest

import wire
from wire import bodies, management_pb2, messaging_pb2

DEAD = "/$DeadLetterQueue"


class SessionTimeTest(wire.ManualClockTest, wire.SessionTest):

    def setUp(self):
        super().setUp()
        self.name = "orders"

    def create(self, **properties):
        self.client.create(self.name, requires_session=True, **properties)

    def many(self, **options):
        stream = self.new_stream(self.name, many_sessions=messaging_pb2.ManySessions(**options))
        stream.grant(100)
        stream.expect("started")
        return stream

    def test_a_lock_holds_until_its_time(self):  # SES-9, SES-16
        self.create(lock_duration=wire.seconds(30))
        session = self.client.sessions.accept(self.name, "red")
        self.assertEqual(session.locked_until, self.after(30))
        self.advance(20)
        self.assertEqual(self.client.sessions.renew(self.name, session.session_lock_token), self.after(30))
        self.advance(29)
        self.assert_fails(*self.HELD, self.client.sessions.accept, self.name, "red")

        self.advance(1)

        self.assert_fails(*self.SESSION_LOST, self.client.sessions.renew, self.name, session.session_lock_token)
        self.assertNotEqual(self.accept(self.name, "red"), session.session_lock_token)

    def test_the_next_session_may_be_waited_for_in_vain(self):  # SES-5
        self.create()
        waiting = self.client.sessions.accept_later(self.name, wait=wire.seconds(60))
        stream = self.new_stream(self.name, next_session=messaging_pb2.NextSession(max_wait=wire.seconds(60)))
        stream.expect("started")

        while not waiting.done():  # It may not have arrived before the clock was moved.
            self.advance(60)

        self.assert_fails(*self.NO_SESSION, waiting.result)
        self.assert_fails(*self.NO_SESSION, stream.read)

    def test_the_lock_of_a_stream_expires(self):  # SES-15, CNT-8
        self.create(lock_duration=wire.seconds(30))
        self.send(self.name, red=[b"1", b"2"])
        stream, _ = self.accepted(self.name, credit=1, session_id="red")
        stream.deliveries(1)

        self.advance(30)

        self.assert_fails(*self.SESSION_LOST, stream.read)
        messages = self.client.receive(self.name, 9, session=self.accept(self.name))
        self.assertEqual([(m.message.body, m.delivery_count) for m in messages], [(b"1", 1), (b"2", 0)])

    def test_the_locks_of_many_sessions_expire(self):  # CNT-8
        self.create(lock_duration=wire.seconds(30))
        self.send(self.name, red=[b"1"])
        stream = self.many()
        self.assertEqual(stream.expect("session_accepted").session_id, "red")
        stream.deliveries(1)

        self.advance(30)

        self.assert_error(stream.expect("session_ended").error, *self.SESSION_LOST)
        self.assertEqual(stream.expect("session_accepted").session_id, "red")
        self.assertEqual(stream.deliveries(1)[0].delivery_count, 1)

    def test_a_message_that_keeps_failing_is_dead_lettered(self):  # CNT-8, MAX-2
        self.create(lock_duration=wire.seconds(30), max_delivery_count=2)
        self.send(self.name, red=[b"1", b"2"])

        for _ in range(2):
            self.client.receive(self.name, session=self.accept(self.name))
            self.advance(30)

        self.assertEqual(bodies(self.client.receive(self.name, 9, session=self.accept(self.name))), [b"2"])
        self.assertEqual(bodies(self.client.receive(self.name + DEAD)), [b"1"])

    def test_an_idle_session_is_kept_for_a_while(self):
        self.create(lock_duration=wire.seconds(300))
        self.send(self.name, red=[b"1"])
        stream = self.many(idle_timeout=wire.seconds(10))
        stream.expect("session_accepted")
        (message,) = stream.deliveries(1)
        stream.settle(1, [message.lock_token], complete=messaging_pb2.Complete())
        stream.expect("settled")
        self.advance(9)
        self.send(self.name, red=[b"2"])
        (message,) = stream.deliveries(1)
        stream.settle(2, [message.lock_token], complete=messaging_pb2.Complete())
        stream.expect("settled")
        self.advance(9)
        self.assert_fails(*self.HELD, self.client.sessions.accept, self.name, "red")

        self.advance(1)

        self.assertEqual(stream.expect("session_ended").session_id, "red")
        self.accept(self.name, "red")

    def test_a_delay_blocks_its_session_only(self):  # RTY-5
        self.create(lock_duration=wire.seconds(300))
        self.send(self.name, red=[b"1", b"2"], blue=[b"3"])
        red, blue = self.accept(self.name), self.accept(self.name)
        (message,) = self.client.receive(self.name, session=red)
        self.assert_settled(self.client.abandon_for(self.name, message.lock_token, delay=wire.seconds(60)))

        self.assertEqual(list(self.client.receive(self.name, 9, session=red)), [])
        self.assertEqual(bodies(self.client.receive(self.name, 9, session=blue)), [b"3"])
        self.advance(60)

        self.assertEqual(bodies(self.client.receive(self.name, 9, session=red)), [b"1", b"2"])

    def test_a_session_lock_outlives_the_broker(self):  # SES-24
        self.create(lock_duration=wire.seconds(60))
        self.send(self.name, red=[b"1", b"2"])
        token = self.accept(self.name)
        (message,) = self.client.receive(self.name, session=token)
        self.client.sessions.set_state(self.name, token, b"state")

        self.kill_and_restart()

        self.assert_fails(*self.HELD, self.client.sessions.accept, self.name, "red")
        self.assert_settled(self.client.complete(self.name, message.lock_token))
        self.assertEqual(bodies(self.client.receive(self.name, session=token)), [b"2"])
        self.assertEqual(self.client.sessions.state(self.name, token), b"state")
        self.client.sessions.release(self.name, token)
        self.assertEqual(self.client.receive(self.name, session=self.accept(self.name))[0].delivery_count, 0)

    def test_the_session_of_a_stream_outlives_the_broker_until_its_time(self):  # SES-24, CNT-8
        self.create(lock_duration=wire.seconds(60))
        self.send(self.name, red=[b"1"])
        stream, session = self.accepted(self.name, session_id="red")
        stream.deliveries(1)

        self.kill_and_restart()

        resumed = self.new_stream(self.name, session_lock_token=session.session_lock_token)
        resumed.grant(1)
        resumed.expect("started")
        self.assert_fails(*self.HELD, self.client.sessions.accept, self.name, "red")
        self.advance(60)
        self.assertEqual(self.client.receive(self.name, session=self.accept(self.name))[0].delivery_count, 1)

    def test_one_message_alone_expires_where_that_is_asked_for(self):  # TTS-6
        self.create(session_expiry_scope=management_pb2.SESSION_EXPIRY_SCOPE_MESSAGE)
        self.send(self.name, red=[b"1", wire.Message(body=b"2", time_to_live=wire.seconds(1)), b"3"])

        self.advance(1)

        self.assertEqual(bodies(self.client.receive(self.name, 9, session=self.accept(self.name))), [b"1", b"3"])
        self.assertEqual(self.client.runtime(self.name).total_message_count, 2)

    def test_what_is_locked_or_deferred_does_not_expire_with_its_session(self):  # TTS-3, TTS-4
        self.create(dead_lettering_on_message_expiration=True)
        self.send(self.name, red=[b"deferred", b"locked", b"waits", wire.Message(time_to_live=wire.seconds(1))])
        token = self.accept(self.name)
        deferred, locked = self.client.receive(self.name, 2, session=token)
        self.assert_settled(self.client.defer(self.name, deferred.lock_token))
        self.client.sessions.set_state(self.name, token, b"state")

        self.advance(1)
        self.send(self.name, red=[b"later"])

        self.assertEqual(bodies(self.client.receive(self.name, 9, session=token)), [b"later"])
        self.assert_settled(self.client.complete(self.name, locked.lock_token))
        self.assertEqual(bodies(self.client.receive_deferred(self.name, 1, session=token)), [b"deferred"])
        self.assertEqual(self.client.sessions.state(self.name, token), b"state")
        self.assertEqual(self.client.runtime(self.name).dead_letter_message_count, 2)


if __name__ == "__main__":
    unittest.main()
