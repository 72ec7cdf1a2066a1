"""Sessions and bad input: every refusal says what it is, and changes nothing."""

import unittest

import grpc

import wire
from wire import messaging_pb2, sessions_pb2

DEAD = "/$DeadLetterQueue"
TOO_LONG = "x" * 129
SIZE = grpc.StatusCode.INVALID_ARGUMENT, "MessageSizeExceeded"


class SessionErrorsTest(wire.SessionTest):

    def assert_nothing_changed(self, name, count):
        runtime = self.client.runtime(name)
        self.assertEqual((runtime.total_message_count, runtime.locked_message_count), (count, 0))
        self.assertEqual([s.session_id for s in self.client.sessions.list(name).sessions if s.HasField("locked_until")],
                         [])

    def read_to_the_end(self, stream):
        while True:
            stream.read()

    def test_a_message_without_a_session_id(self):  # SND-8
        name = self.new_session_queue()

        for message in (wire.Message(body=b"x"), wire.Message(body=b"x", session_id="")):
            self.assert_fails(*self.INVALID, self.client.send, name, message)

        self.assert_nothing_changed(name, 0)
        self.assertEqual(self.send(name, red=[b"x"]), [1])

    def test_a_message_without_a_session_id_among_others(self):  # SND-8
        name = self.new_session_queue()

        good, bad = self.client.send(name, wire.message_in("red", b"1"), b"2")

        self.assertEqual(good.sequence_number, 1)
        self.assert_error(bad.error, *self.INVALID)
        self.assert_fails(*self.INVALID, self.client.send, name, wire.message_in("red", b"1"), b"2", atomic=True)
        self.assert_nothing_changed(name, 1)

    def test_a_session_id_that_is_too_long(self):  # PRP-7
        name = self.new_session_queue()

        self.assert_fails(*self.ARGUMENT, self.client.send, name, wire.message_in(TOO_LONG, b"x"))
        self.assert_fails(*self.ARGUMENT, self.client.sessions.accept, name, TOO_LONG)
        self.assert_fails(*self.ARGUMENT, self.read_to_the_end, self.new_stream(name, session_id=TOO_LONG))

        self.assert_nothing_changed(name, 0)
        self.assertEqual(self.client.sessions.accept(name, "ä" * 128).session_id, "ä" * 128)

    def test_an_empty_session_id(self):
        name = self.new_session_queue()
        self.send(name, red=[b"x"])

        self.assert_fails(*self.ARGUMENT, self.client.sessions.accept, name, "")
        self.assert_fails(*self.ARGUMENT, self.read_to_the_end, self.new_stream(name, session_id=""))

        self.assert_nothing_changed(name, 1)

    def test_sessions_of_a_plain_queue(self):  # RCV-4
        name = self.new_queue()
        self.client.send(name, b"x")
        sessions = self.client.sessions

        for call in (lambda: sessions.accept(name), lambda: sessions.accept(name, "red"),
                     lambda: sessions.renew(name, wire.UNKNOWN_TOKEN), lambda: sessions.state(name, wire.UNKNOWN_TOKEN),
                     lambda: sessions.release(name, wire.UNKNOWN_TOKEN),
                     lambda: sessions.set_state(name, wire.UNKNOWN_TOKEN, b"x"), lambda: sessions.list(name),
                     lambda: sessions.deepest(name), lambda: sessions.force_release(name, "red"),
                     lambda: self.client.receive(name, session=wire.UNKNOWN_TOKEN),
                     lambda: self.client.receive_deferred(name, 1, session=wire.UNKNOWN_TOKEN),
                     lambda: self.client.receive_number(name, 1, session=wire.UNKNOWN_TOKEN)):
            self.assert_fails(*self.INVALID, call)
        for start in ({"session_id": "red"}, {"next_session": messaging_pb2.NextSession()},
                      {"session_lock_token": wire.UNKNOWN_TOKEN}, {"many_sessions": messaging_pb2.ManySessions()}):
            self.assert_fails(*self.INVALID, self.read_to_the_end, self.new_stream(name, **start))

        self.assertEqual(wire.bodies(self.client.receive(name)), [b"x"])

    def test_a_session_queue_without_a_session(self):  # RCV-3
        name = self.new_session_queue()
        self.send(name, red=[b"x"])

        for call in (lambda: self.client.receive(name), lambda: self.client.receive_deferred(name, 1),
                     lambda: self.client.receive_number(name, 1),
                     lambda: self.read_to_the_end(self.new_stream(name))):
            self.assert_fails(*self.INVALID, call)

        self.assert_nothing_changed(name, 1)

    def test_a_dead_letter_queue_has_no_sessions(self):
        name = self.new_session_queue()

        self.assert_fails(*self.INVALID, self.client.sessions.accept, name + DEAD, "red")
        self.assert_fails(*self.INVALID, self.client.sessions.accept, name + DEAD)
        self.assert_fails(*self.INVALID, self.read_to_the_end, self.new_stream(name + DEAD, session_id="red"))

    def test_an_unknown_entity(self):  # ERR-1
        name, sessions = self.new_name(), self.client.sessions

        for call in (lambda: sessions.accept(name), lambda: sessions.renew(name, wire.UNKNOWN_TOKEN),
                     lambda: sessions.release(name, wire.UNKNOWN_TOKEN), lambda: sessions.list(name),
                     lambda: sessions.state(name, wire.UNKNOWN_TOKEN), lambda: sessions.deepest(name),
                     lambda: sessions.set_state(name, wire.UNKNOWN_TOKEN, b"x"),
                     lambda: sessions.force_release(name, "red")):
            info = self.assert_fails(grpc.StatusCode.NOT_FOUND, "MessagingEntityNotFound", call)
            self.assertEqual(info.metadata["entity_path"], name)

    def test_a_token_that_nobody_holds(self):  # ERR-5
        name, sessions = self.new_session_queue(), self.client.sessions
        token = self.accept(self.new_session_queue(), "red")  # Of another queue.

        for bad in (wire.UNKNOWN_TOKEN, token):
            for call in (lambda: sessions.renew(name, bad), lambda: sessions.release(name, bad),
                         lambda: sessions.state(name, bad), lambda: sessions.set_state(name, bad, b"x"),
                         lambda: self.client.receive(name, session=bad),
                         lambda: self.client.receive_deferred(name, 1, session=bad),
                         lambda: self.client.receive_number(name, 1, session=bad),
                         lambda: self.read_to_the_end(self.new_stream(name, session_lock_token=bad))):
                self.assert_fails(*self.SESSION_LOST, call)

    def test_what_is_no_token(self):  # ERR-15
        name, sessions = self.new_session_queue(), self.client.sessions
        token = self.accept(name, "red")

        for bad in (token[:15], token + b"x"):
            for call in (lambda: sessions.renew(name, bad), lambda: sessions.release(name, bad),
                         lambda: sessions.state(name, bad), lambda: sessions.set_state(name, bad, b"x"),
                         lambda: self.client.receive(name, session=bad),
                         lambda: self.client.receive_deferred(name, 1, session=bad),
                         lambda: self.client.receive_number(name, 1, session=bad),
                         lambda: self.read_to_the_end(self.new_stream(name, session_lock_token=bad)),
                         lambda: sessions.set_state(name, token, b"x", [bad])):
                self.assert_fails(*self.ARGUMENT, call)
        self.assert_fails(*self.ARGUMENT, sessions.renew, name, b"")
        self.assert_fails(*self.ARGUMENT, self.read_to_the_end, self.new_stream(name, session_lock_token=b""))

        self.assertIsNone(sessions.state(name, token))

    def test_a_state_over_the_limit(self):  # SST-1
        for kilobytes, limit in ((None, 1 << 20), (4, 4 << 10), (4096, 4 << 20), (102400, 15 << 20)):
            properties = {} if kilobytes is None else {"max_message_size_in_kilobytes": kilobytes}
            name = self.new_session_queue(**properties)
            token = self.accept(name, "red")
            self.client.sessions.set_state(name, token, b"x" * limit)

            self.assert_fails(*SIZE, self.client.sessions.set_state, name, token, b"y" * (limit + 1))

            self.assertEqual(self.client.sessions.state(name, token), b"x" * limit)

    def test_numbers_out_of_range(self):  # ERR-16
        name, sessions = self.new_session_queue(), self.client.sessions
        many = messaging_pb2.ManySessions

        for call in (lambda: sessions.accept(name, wait=wire.seconds(301)), lambda: sessions.list(name, 1001),
                     lambda: sessions.accept(name, wait=wire.seconds(-1)), lambda: sessions.deepest(name, 101)):
            self.assert_fails(*self.OUT_OF_RANGE, call)
        for bad in (many(max_concurrent_sessions=1001), many(idle_timeout=wire.seconds(3601)),
                    many(idle_timeout=wire.seconds(-1))):
            self.assert_fails(*self.OUT_OF_RANGE, self.read_to_the_end, self.new_stream(name, many_sessions=bad))

    def test_a_session_id_that_is_no_text(self):
        accept = self.client.channel.unary_unary("/wharf.v1.Sessions/AcceptSession")
        request = sessions_pb2.AcceptSessionRequest(entity_path=self.new_session_queue(), session_id="??")

        self.assert_fails(*self.ARGUMENT, accept, request.SerializeToString().replace(b"??", b"\xff\xfe"))

    def test_a_session_queue_stays_one(self):  # SES-1
        name = self.new_session_queue()

        self.assert_fails(*self.ARGUMENT, self.client.update, name)


if __name__ == "__main__":
    unittest.main()
