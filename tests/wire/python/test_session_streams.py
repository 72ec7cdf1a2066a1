"""Sessions on receive streams: one by its id, the next one, one that is held, or many in turn."""

import unittest

import grpc

import wire
from wire import bodies, messaging_pb2

COMPLETE = {"complete": messaging_pb2.Complete()}


def many(**options):
    return {"many_sessions": messaging_pb2.ManySessions(**options)}


def next_session(wait=0):
    return {"next_session": messaging_pb2.NextSession(max_wait=wire.seconds(wait))}


class OneSessionTest(wire.SessionTest):

    def read_to_the_end(self, stream):
        while True:
            stream.read()

    def test_the_session_is_told_of_before_its_first_message(self):  # SES-4, SES-14
        name = self.new_session_queue()
        self.send(name, red=[b"1"], blue=[b"2"])

        stream, session = self.accepted(name, session_id="red")

        self.assertEqual((session.session_id, len(session.session_lock_token)), ("red", 16))
        self.assertEqual(session.lock_duration.ToSeconds(), 60)
        (message,) = stream.deliveries(1)
        self.assertEqual((message.message.body, message.locked_until), (b"1", session.locked_until))
        stream.settle(7, [message.lock_token], **COMPLETE)
        self.assertEqual(stream.expect("settled").settled, 1)

    def test_a_session_without_messages_is_waited_in(self):  # SES-4
        name = self.new_session_queue()
        stream, _ = self.accepted(name, session_id="red")

        self.send(name, blue=[b"1"], red=[b"2"])

        self.assertEqual(bodies(stream.deliveries(1)), [b"2"])

    def test_the_next_session(self):  # SES-5, SES-6
        name = self.new_session_queue()
        self.send(name, red=[b"1"], blue=[b"2"])

        stream, session = self.accepted(name, **next_session())

        self.assertEqual(session.session_id, "red")
        self.assertEqual(bodies(stream.deliveries(1)), [b"1"])

    def test_the_next_session_is_waited_for(self):  # SES-5
        name = self.new_session_queue()
        stream = self.new_stream(name, **next_session(wait=60))
        stream.grant(1)
        stream.expect("started")

        self.send(name, red=[b"1"])

        self.assertEqual(stream.expect("session_accepted").session_id, "red")
        self.assertEqual(bodies(stream.deliveries(1)), [b"1"])

    def test_no_session_ends_the_stream(self):  # SES-5
        name = self.new_session_queue()

        self.assert_fails(*self.NO_SESSION, self.read_to_the_end, self.new_stream(name, **next_session()))

    def test_a_held_session_ends_the_stream(self):  # SES-8
        name = self.new_session_queue()
        self.accept(name, "red")

        self.assert_fails(*self.HELD, self.read_to_the_end, self.new_stream(name, session_id="red"))

    def test_the_end_of_the_stream_releases_without_counting(self):  # CNT-9, CNT-10, SES-24
        name = self.new_session_queue()
        self.send(name, red=[b"1", b"2"])
        for end in (lambda stream: stream.cancel(), lambda stream: stream.writes_done()):
            stream, _ = self.accepted(name, session_id="red")
            first, second = stream.deliveries(2)
            end(stream)

            token = self.accept(name, wait=wire.seconds(30))
            again = self.client.receive(name, 9, session=token)
            self.assertEqual([(m.message.body, m.delivery_count) for m in again], [(b"1", 0), (b"2", 0)])
            for result in self.client.complete(name, first.lock_token, second.lock_token):
                self.assert_error(result.error, *self.SESSION_LOST)
            self.client.sessions.release(name, token)

    def test_a_broken_connection_releases_without_counting(self):  # CNT-10
        name = self.new_session_queue()
        self.send(name, red=[b"1"])
        other = wire.Client()
        stream = wire.ReceiveStream(other, name, session_id="red")
        stream.grant(1)
        stream.expect("started")
        stream.expect("session_accepted")
        stream.deliveries(1)

        other.close()

        token = self.accept(name, wait=wire.seconds(30))
        self.assertEqual(self.client.receive(name, session=token)[0].delivery_count, 0)
        stream.writes_done()

    def test_a_stream_goes_on_with_a_session_that_is_held(self):  # SES-24
        name = self.new_session_queue()
        self.send(name, red=[b"1", b"2"])
        token = self.accept(name, "red")
        (first,) = self.client.receive(name, session=token)
        stream = self.new_stream(name, session_lock_token=token)
        stream.grant(9)
        stream.expect("started")

        (message,) = stream.deliveries(1)  # Nobody is told what session he holds already.
        stream.settle(1, [first.lock_token, message.lock_token], **COMPLETE)
        self.assertEqual((message.message.body, stream.expect("settled").settled), (b"2", 2))
        stream.writes_done()
        with self.assertRaises(StopIteration):
            stream.read()

        self.assert_fails(*self.HELD, self.client.sessions.accept, name, "red")
        self.client.sessions.release(name, token)

    def test_state_and_renewal_by_the_token_of_the_stream(self):
        name = self.new_session_queue()
        _, session = self.accepted(name, session_id="red")

        self.client.sessions.set_state(name, session.session_lock_token, b"state")
        until = self.client.sessions.renew(name, session.session_lock_token)

        self.assertGreater(until.ToMicroseconds(), session.locked_until.ToMicroseconds())
        self.assertEqual(self.client.sessions.state(name, session.session_lock_token), b"state")

    def test_a_lost_session_ends_the_stream(self):  # SES-15
        name = self.new_session_queue()
        stream, _ = self.accepted(name, session_id="red")

        self.client.sessions.force_release(name, "red")

        self.assert_fails(*self.SESSION_LOST, self.read_to_the_end, stream)

    def test_credit_and_drain_within_a_session(self):  # LNK-2, LNK-3
        name = self.new_session_queue()
        self.send(name, red=[b"1", b"2", b"3"])
        stream, _ = self.accepted(name, credit=2, session_id="red")
        self.assertEqual(bodies(stream.deliveries(2)), [b"1", b"2"])

        stream.grant(5)
        self.assertEqual(bodies(stream.deliveries(1)), [b"3"])
        stream.drain()

        self.assertEqual(stream.expect("drained").messages, 4)


class ManySessionsTest(wire.SessionTest):

    def run_until(self, stream, is_enough, settles=True):
        """What happens on the stream, message by message: ("accepted", "red"), ("message", "red", b"1"), ..."""
        events = []
        while not is_enough(events):
            response = stream.read()
            kind = response.WhichOneof("response")
            if kind == "session_accepted":
                events.append(("accepted", response.session_accepted.session_id))
            elif kind == "session_ended":
                ended = response.session_ended
                self.assertFalse(ended.HasField("error"), ended)
                events.append(("ended", ended.session_id))
            elif kind == "deliveries":
                for message in response.deliveries.messages:
                    events.append(("message", message.message.session_id, message.message.body))
                if settles:
                    stream.settle(1, [m.lock_token for m in response.deliveries.messages], **COMPLETE)
            else:
                self.assertIn(kind, ("started", "settled"))
                if kind == "settled":
                    self.assertEqual(list(response.settled.failures), [])
        return events

    def open(self, path, credit=100, **options):
        stream = self.new_stream(path, **many(**options))
        stream.grant(credit)
        return stream

    def messages_of(self, events, session):
        return [event[2] for event in events if event[:2] == ("message", session)]

    @staticmethod
    def ended(count):
        return lambda events: sum(event[0] == "ended" for event in events) == count

    @staticmethod
    def delivered(count):
        return lambda events: sum(event[0] == "message" for event in events) == count

    def test_every_session_comes_in_order_and_is_released(self):
        name = self.new_session_queue()
        sent = {f"s{i}": [b"%d" % n for n in range(i + 1)] for i in range(5)}
        self.send(name, **sent)

        events = self.run_until(self.open(name), self.ended(5))

        for session, wanted in sent.items():
            self.assertEqual(self.messages_of(events, session), wanted)
            of_session = [event[0] for event in events if event[1] == session]
            self.assertEqual((of_session[0], of_session[-1]), ("accepted", "ended"))
        self.assertEqual(self.client.runtime(name).total_message_count, 0)
        self.assertEqual(list(self.client.sessions.list_all(name)), [])

    def test_a_session_that_comes_later_is_accepted(self):
        name = self.new_session_queue()
        stream = self.open(name)
        stream.expect("started")

        for session in ("red", "blue", "red"):
            self.send(name, **{session: [b"x"]})
            self.assertEqual(self.run_until(stream, self.ended(1)),
                             [("accepted", session), ("message", session, b"x"), ("ended", session)])

    def test_no_more_sessions_than_asked_for(self):
        name = self.new_session_queue()
        self.send(name, red=[b"1"], blue=[b"2"], green=[b"3"])
        stream = self.open(name, max_concurrent_sessions=2)

        events = self.run_until(stream, self.delivered(2), settles=False)
        held = [s for s in self.client.sessions.list(name).sessions if s.HasField("locked_until")]

        self.assertEqual({event[1] for event in events}, {"red", "blue"})
        self.assertEqual([s.session_id for s in held], ["blue", "red"])
        self.assertEqual(self.client.sessions.accept(name).session_id, "green")

    def test_others_get_their_turn(self):
        name = self.new_session_queue()
        self.send(name, red=[b"1", b"2", b"3", b"4"], blue=[b"5"])

        events = self.run_until(self.open(name, max_concurrent_sessions=1, max_messages_per_turn=2), self.ended(3))

        self.assertEqual(self.messages_of(events, "red"), [b"1", b"2", b"3", b"4"])
        self.assertEqual(self.messages_of(events, "blue"), [b"5"])
        self.assertEqual([event[1] for event in events if event[0] == "ended"].count("red"), 2)

    def test_a_turn_is_over_when_all_of_it_is_settled(self):
        name = self.new_session_queue()
        self.send(name, red=[b"1", b"2"])
        stream = self.open(name, max_messages_per_turn=1)
        stream.expect("started")
        stream.expect("session_accepted")
        (message,) = stream.deliveries(1)

        self.assert_fails(*self.HELD, self.client.sessions.accept, name, "red")
        self.assert_settled(self.client.complete(name, message.lock_token))  # By whomever.

        stream.expect("session_ended")

    def test_credit_counts_for_all_sessions_together(self):  # LNK-2
        name = self.new_session_queue()
        self.send(name, red=[b"1"], blue=[b"2"], green=[b"3"])
        stream = self.open(name, credit=2)

        self.run_until(stream, self.delivered(2), settles=False)
        stream.drain()
        response = stream.read()
        while response.WhichOneof("response") == "session_accepted":
            response = stream.read()
        self.assertEqual(response.drained.messages, 0)
        stream.grant(1)
        self.run_until(stream, self.delivered(1), settles=False)

        self.assertEqual(self.client.runtime(name).locked_message_count, 3)

    def test_two_streams_share_the_sessions(self):
        name = self.new_session_queue()
        streams = [self.open(name, credit=1, max_concurrent_sessions=1) for _ in range(2)]
        for stream in streams:
            stream.expect("started")
        self.send(name, red=[b"1"], blue=[b"2"])

        sessions = {self.run_until(stream, self.delivered(1), settles=False)[0][1] for stream in streams}

        self.assertEqual(sessions, {"red", "blue"})

    def test_the_client_may_release_a_session_itself(self):
        name = self.new_session_queue()
        self.send(name, red=[b"1"])
        stream = self.open(name)
        stream.expect("started")
        session = stream.expect("session_accepted")
        stream.deliveries(1)
        stream.stop()
        stream.expect("stopped")

        self.client.sessions.release(name, session.session_lock_token)

        ended = stream.expect("session_ended")
        self.assertEqual((ended.session_id, ended.session_lock_token), ("red", session.session_lock_token))
        self.assertFalse(ended.HasField("error"))

    def test_a_lost_session_is_told_of_and_the_stream_goes_on(self):
        name = self.new_session_queue()
        self.send(name, red=[b"1"])
        stream = self.open(name)
        stream.expect("started")
        stream.expect("session_accepted")
        (message,) = stream.deliveries(1)

        self.client.sessions.force_release(name, "red")

        ended = stream.expect("session_ended")
        self.assert_error(ended.error, *self.SESSION_LOST)
        self.assertEqual(self.run_until(stream, self.ended(1)),
                         [("accepted", "red"), ("message", "red", b"1"), ("ended", "red")])
        self.assert_fails(*self.SESSION_LOST, self.client.complete, name, message.lock_token)

    def test_the_end_of_the_stream_releases_all_of_them(self):  # CNT-9
        name = self.new_session_queue()
        self.send(name, red=[b"1"], blue=[b"2"])
        stream = self.open(name)
        self.run_until(stream, self.delivered(2), settles=False)

        stream.cancel()

        for _ in range(2):
            token = self.accept(name, wait=wire.seconds(30))
            self.assertEqual([m.delivery_count for m in self.client.receive(name, 9, session=token)], [0])

    def test_received_and_deleted_in_many_sessions(self):  # RCV-2
        name = self.new_session_queue()
        self.send(name, red=[b"1", b"2"], blue=[b"3"])
        stream = self.new_stream(name, mode=messaging_pb2.RECEIVE_MODE_RECEIVE_AND_DELETE, **many())
        stream.grant(100)

        events = self.run_until(stream, self.ended(2), settles=False)

        self.assertEqual((self.messages_of(events, "red"), self.messages_of(events, "blue")), ([b"1", b"2"], [b"3"]))
        self.assertEqual(self.client.runtime(name).total_message_count, 0)

    def test_the_second_start_is_refused(self):
        name = self.new_session_queue()
        stream, _ = self.accepted(name, session_id="red")
        stream.write(messaging_pb2.ReceiveStreamRequest(start=messaging_pb2.ReceiveStart(entity_path=name)))

        with self.assertRaises(grpc.RpcError) as caught:
            stream.read()
        self.assert_error(wire.status_of(caught.exception), *self.ARGUMENT)


if __name__ == "__main__":
    unittest.main()
