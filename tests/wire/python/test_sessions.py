"""Sessions by single calls: accept, receive, settle, renew, release, state, and what their owner sees of them."""

import unittest

import grpc

import wire
from wire import bodies, messaging_pb2, numbers

DEAD = "/$DeadLetterQueue"
NOT_FOUND = grpc.StatusCode.NOT_FOUND, "MessageNotFound"


class SessionsTest(wire.SessionTest):

    def test_a_named_session_gives_its_messages_in_order(self):  # SES-4, SES-8, SES-10
        name = self.new_session_queue()
        self.send(name, red=[b"1", b"2"], blue=[b"3"])
        self.send(name, red=[b"4"])

        session = self.client.sessions.accept(name, "red")

        self.assertEqual((session.session_id, len(session.session_lock_token)), ("red", 16))
        self.assertEqual(session.lock_duration.ToSeconds(), 60)
        messages = self.client.receive(name, 10, session=session.session_lock_token)
        self.assertEqual(bodies(messages), [b"1", b"2", b"4"])
        self.assertEqual([message.message.session_id for message in messages], ["red"] * 3)
        self.assertEqual([message.locked_until for message in messages], [session.locked_until] * 3)  # SES-12
        self.assert_settled(self.client.complete(name, *[message.lock_token for message in messages]), 3)
        self.assertEqual(self.client.runtime(name).active_message_count, 1)

    def test_a_session_covers_what_comes_later(self):  # SES-4, SES-8
        name = self.new_session_queue()
        token = self.accept(name, "red")

        self.send(name, blue=[b"1"], red=[b"2"])

        self.assertEqual(bodies(self.client.receive(name, 9, session=token)), [b"2"])

    def test_a_receive_waits_within_its_session(self):
        name = self.new_session_queue()
        token = self.accept(name, "red")
        request = messaging_pb2.ReceiveRequest(entity_path=name, max_wait=wire.seconds(30), session_lock_token=token)
        waiting = self.client.messaging.Receive.future(request, timeout=wire.TIMEOUT)

        self.send(name, blue=[b"1"], red=[b"2"])

        self.assertEqual(bodies(waiting.result().messages), [b"2"])

    def test_a_receive_that_waits_hears_that_the_session_is_lost(self):  # SES-16
        name = self.new_session_queue()
        token = self.accept(name, "red")
        request = messaging_pb2.ReceiveRequest(entity_path=name, max_wait=wire.seconds(300), session_lock_token=token)
        waiting = self.client.messaging.Receive.future(request, timeout=wire.TIMEOUT)

        self.client.sessions.force_release(name, "red")

        self.assert_fails(*self.SESSION_LOST, waiting.result)

    def test_the_next_session_is_that_of_the_lowest_number(self):  # SES-5, SES-6
        name = self.new_session_queue()
        self.send(name, red=[b"1"], blue=[b"2"])
        self.send(name, red=[b"3"])

        self.assertEqual([self.client.sessions.accept(name).session_id for _ in range(2)], ["red", "blue"])
        self.assert_fails(*self.NO_SESSION, self.client.sessions.accept, name)

    def test_an_accept_waits_for_a_message(self):  # SES-5
        name = self.new_session_queue()
        waiting = self.client.sessions.accept_later(name, wait=wire.seconds(30))

        self.send(name, red=[b"1"])

        self.assertEqual(waiting.result().session_id, "red")

    def test_sessions_with_nothing_to_deliver_are_not_offered(self):  # SES-7
        name = self.new_session_queue()
        self.send(name, deferred=[b"1"])
        token = self.accept(name, "deferred")
        (message,) = self.client.receive(name, session=token)
        self.assert_settled(self.client.defer(name, message.lock_token))
        self.client.sessions.set_state(name, token, b"state")
        self.client.sessions.release(name, token)

        self.assert_fails(*self.NO_SESSION, self.client.sessions.accept, name)

    def test_a_cancelled_accept_holds_nothing(self):  # ERR-25
        name = self.new_session_queue()
        waiting = self.client.sessions.accept_later(name, wait=wire.seconds(300))
        waiting.cancel()
        self.assertEqual(waiting.code(), grpc.StatusCode.CANCELLED)

        self.send(name, red=[b"1"])

        self.assertEqual(self.client.sessions.accept(name, wait=wire.seconds(30)).session_id, "red")

    def test_one_holds_a_session(self):  # SES-8
        name = self.new_session_queue()
        self.send(name, red=[b"1"])
        token = self.accept(name, "red")

        info = self.assert_fails(*self.HELD, self.client.sessions.accept, name, "red")

        self.assertEqual(info.metadata["is_transient"], "true")
        self.assert_fails(*self.NO_SESSION, self.client.sessions.accept, name)
        self.assertEqual(bodies(self.client.receive(name, session=token)), [b"1"])

    def test_session_ids_are_compared_byte_for_byte(self):  # SES-22
        name = self.new_session_queue()
        self.send(name, red=[b"1"], Red=[b"2"])

        self.assertEqual(bodies(self.client.receive(name, 9, session=self.accept(name, "Red"))), [b"2"])

    def test_one_client_holds_several_sessions(self):  # SES-17
        name = self.new_session_queue()
        self.send(name, red=[b"1"], blue=[b"2"])
        red, blue = self.accept(name), self.accept(name)

        self.assertEqual(bodies(self.client.receive(name, 9, session=blue)), [b"2"])
        self.assertEqual(bodies(self.client.receive(name, 9, session=red)), [b"1"])

    def test_a_token_works_from_any_connection(self):  # SES-24
        name = self.new_session_queue()
        self.send(name, red=[b"1"])
        token = self.accept(name, "red")
        other = wire.Client()
        self.addCleanup(other.close)

        (message,) = other.receive(name, session=token)

        self.assert_settled(other.complete(name, message.lock_token))
        other.sessions.release(name, token)

    def test_what_is_released_comes_back_without_counting(self):  # CNT-9, SES-16
        name = self.new_session_queue()
        self.send(name, red=[b"1", b"2"])
        token = self.accept(name, "red")
        (old,) = self.client.receive(name, session=token)

        self.client.sessions.release(name, token)

        again = self.accept(name, "red")
        messages = self.client.receive(name, 9, session=again)
        self.assertEqual([(m.message.body, m.delivery_count) for m in messages], [(b"1", 0), (b"2", 0)])
        self.assert_fails(*self.SESSION_LOST, self.client.complete, name, old.lock_token)
        self.assert_fails(*self.SESSION_LOST, self.client.receive, name, session=token)

    def test_an_abandoned_message_comes_again_before_later_ones(self):  # SES-11
        name = self.new_session_queue()
        self.send(name, red=[b"1", b"2", b"3"])
        token = self.accept(name, "red")
        first, second = self.client.receive(name, 2, session=token)

        self.assert_settled(self.client.abandon(name, first.lock_token))

        messages = self.client.receive(name, 9, session=token)
        self.assertEqual([(m.message.body, m.delivery_count) for m in messages], [(b"1", 1), (b"3", 0)])
        self.assert_settled(self.client.complete(name, second.lock_token))

    def test_a_session_is_renewed_and_a_message_is_not(self):  # LCK-5, SES-9, SES-12
        name = self.new_session_queue()
        self.send(name, red=[b"1"])
        session = self.client.sessions.accept(name, "red")
        (message,) = self.client.receive(name, session=session.session_lock_token)

        until = self.client.sessions.renew(name, session.session_lock_token)

        self.assertGreater(until.ToMicroseconds(), session.locked_until.ToMicroseconds())
        self.assert_fails(*self.INVALID, self.client.renew, name, message.lock_token)

    def test_received_and_deleted_within_a_session(self):  # RCV-2
        name = self.new_session_queue()
        self.send(name, red=[b"1", b"2"])
        mode = messaging_pb2.RECEIVE_MODE_RECEIVE_AND_DELETE

        self.assertEqual(bodies(self.client.receive(name, 9, mode=mode, session=self.accept(name))), [b"1", b"2"])

        self.assertEqual(self.client.runtime(name).total_message_count, 0)

    def test_deferred_messages_belong_to_their_session(self):  # DEF-7, SES-18
        name = self.new_session_queue()
        self.send(name, red=[b"1", b"2"], blue=[b"3"])
        red, blue = self.accept(name, "red"), self.accept(name, "blue")
        first, _ = self.client.receive(name, 2, session=red)
        self.assert_settled(self.client.defer(name, first.lock_token))

        self.assert_fails(*NOT_FOUND, self.client.receive_deferred, name, 1, session=blue)
        (message,) = self.client.receive_deferred(name, 1, session=red)

        self.assertEqual((message.message.body, message.delivery_count), (b"1", 1))
        self.assert_settled(self.client.complete(name, message.lock_token))

    def test_one_message_of_a_session_by_its_number(self):  # ONE-1
        name = self.new_session_queue()
        self.send(name, red=[b"1", b"2"], blue=[b"3"])
        red = self.accept(name, "red")

        self.assert_fails(*NOT_FOUND, self.client.receive_number, name, 3, session=red)
        (message,) = self.client.receive_number(name, 2, session=red)

        self.assertEqual(message.message.body, b"2")
        self.assertEqual(bodies(self.client.receive(name, 9, session=red)), [b"1"])

    def test_a_peek_needs_no_session(self):  # PEEK-8
        name = self.new_session_queue()
        self.send(name, red=[b"1"], blue=[b"2"])
        self.send(name, red=[b"3"])
        self.accept(name, "red")

        self.assertEqual(numbers(self.client.peek(name).messages), [1, 2, 3])
        self.assertEqual(numbers(self.client.peek(name, session_id="red").messages), [1, 3])
        self.assertEqual(list(self.client.peek(name, session_id="green").messages), [])

    def test_dead_letters_have_left_their_session(self):  # DLQ-6, SES-19
        name = self.new_session_queue()
        self.send(name, red=[b"1", b"2"])
        token = self.accept(name)
        (message,) = self.client.receive(name, session=token)

        self.assert_settled(self.client.dead_letter(name, message.lock_token, reason="because"))

        dead = self.client.receive_one(name + DEAD)
        self.assertEqual((dead.message.body, dead.message.session_id), (b"1", "red"))
        self.assert_settled(self.client.complete(name + DEAD, dead.lock_token))
        self.assertEqual(bodies(self.client.receive(name, 9, session=token)), [b"2"])

    def test_a_plain_queue_ignores_session_ids(self):  # SES-21
        name = self.new_queue()
        self.send(name, red=[b"1"], blue=[b"2"])

        self.assertEqual(bodies(self.client.receive(name, 9)), [b"1", b"2"])
        self.assertEqual(numbers(self.client.peek(name, session_id="blue").messages), [2])


class SessionStateTest(wire.SessionTest):

    def test_a_state_is_none_empty_or_bytes(self):  # SST-2
        name = self.new_session_queue()
        token = self.accept(name, "red")

        for state in (None, b"", bytes(range(256)), None):
            self.client.sessions.set_state(name, token, state)
            self.assertEqual(self.client.sessions.state(name, token), state)

    def test_a_state_outlives_its_holder_and_its_messages(self):  # SST-3
        name = self.new_session_queue()
        self.send(name, red=[b"1"])
        token = self.accept(name, "red")
        self.client.sessions.set_state(name, token, b"half done")
        (message,) = self.client.receive(name, session=token)
        self.assert_settled(self.client.complete(name, message.lock_token))
        self.client.sessions.release(name, token)

        self.assertEqual(self.client.sessions.state(name, self.accept(name, "red")), b"half done")

    def test_a_state_counts_toward_the_size_of_the_queue(self):  # SST-4
        name = self.new_session_queue()
        token = self.accept(name, "red")

        self.client.sessions.set_state(name, token, b"x" * 1000)
        self.assertEqual(self.client.runtime(name).size_in_bytes, 1000)
        self.client.sessions.set_state(name, token, b"x" * 10)
        self.assertEqual(self.client.runtime(name).size_in_bytes, 10)
        self.client.sessions.set_state(name, token, None)
        self.assertEqual(self.client.runtime(name).size_in_bytes, 0)

    def test_state_and_completion_are_one(self):
        name = self.new_session_queue()
        self.send(name, red=[b"1", b"2"])
        token = self.accept(name)
        first, second = self.client.receive(name, 2, session=token)

        self.client.sessions.set_state(name, token, b"both", [first.lock_token, second.lock_token])

        self.assertEqual(self.client.runtime(name).total_message_count, 0)
        self.assertEqual(self.client.sessions.state(name, token), b"both")

    def test_nothing_is_set_if_one_message_cannot_be_completed(self):
        name = self.new_session_queue()
        self.send(name, red=[b"1"], blue=[b"2"])
        red, blue = self.accept(name), self.accept(name)
        (first,) = self.client.receive(name, session=red)
        (other,) = self.client.receive(name, session=blue)

        for bad in (other.lock_token, wire.UNKNOWN_TOKEN):
            self.assert_fails(*self.SESSION_LOST, self.client.sessions.set_state, name, red, b"state",
                              [first.lock_token, bad])

        self.assertIsNone(self.client.sessions.state(name, red))
        self.assert_settled(self.client.complete(name, first.lock_token, other.lock_token), 2)


class SessionListTest(wire.SessionTest):

    def test_sessions_with_messages_state_or_a_holder(self):  # SLS-2, SLS-5
        name = self.new_session_queue()
        self.send(name, red=[b"1", b"2"], gone=[b"3"])
        token = self.accept(name, "gone")
        (message,) = self.client.receive(name, session=token)
        self.client.sessions.set_state(name, token, b"state", [message.lock_token])
        self.client.sessions.release(name, token)
        held = self.client.sessions.accept(name, "held")

        listed = self.client.sessions.list_all(name)

        self.assertEqual(list(listed), ["gone", "held", "red"])
        self.assertEqual((listed["red"].message_count, listed["red"].oldest_sequence_number), (2, 1))
        self.assertEqual(listed["red"].oldest_enqueued_time, self.client.peek(name).messages[0].enqueued_time)
        self.assertFalse(listed["red"].HasField("locked_until") or listed["red"].HasField("state_size"))
        self.assertEqual((listed["gone"].message_count, listed["gone"].state_size), (0, 5))
        self.assertFalse(listed["gone"].HasField("oldest_sequence_number"))
        self.assertEqual(listed["held"].locked_until, held.locked_until)
        self.assertTrue(listed["held"].HasField("locked_since"))
        self.assertRegex(listed["held"].locked_by, r"^(ipv[46]|unix):")
        self.assertFalse(listed["red"].HasField("locked_by"))

    def test_pages_of_sessions(self):  # SLS-4
        name = self.new_session_queue()
        self.send(name, **{f"s{i}": [b"x"] for i in range(7)})

        first = self.client.sessions.list(name, 3)

        self.assertLessEqual(len(first.sessions), 3)
        self.assertNotEqual(first.next_page_token, "")
        self.assertEqual(list(self.client.sessions.list_all(name, 3)), [f"s{i}" for i in range(7)])
        self.assertEqual(list(self.client.sessions.list_all(self.new_session_queue())), [])

    def test_sessions_by_the_time_of_their_state(self):  # SLS-1, SLS-3
        name = self.new_session_queue()
        tokens = {}
        for session in ("red", "blue"):
            tokens[session] = self.accept(name, session)
            self.client.sessions.set_state(name, tokens[session], b"state")
        since = self.client.sessions.list_all(name)["blue"].state_updated_time
        self.send(name, red=[b"1"])

        listed = self.client.sessions.list_all(name, since=since)

        self.assertIn("blue", listed)
        self.assertNotIn("green", listed)
        if listed.keys() == {"red", "blue"}:  # Both in the same instant.
            self.assertEqual(listed["red"].state_updated_time, since)

    def test_the_deepest_sessions(self):
        name = self.new_session_queue()
        self.send(name, red=[b"x"] * 2, blue=[b"x"] * 9, green=[b"x"] * 5)

        deepest = self.client.sessions.deepest(name, 2)

        self.assertEqual([(s.session_id, s.message_count) for s in deepest.sessions], [("blue", 9), ("green", 5)])
        self.assertGreater(deepest.as_of.seconds, 0)

    def test_an_operator_takes_a_session_away(self):
        name = self.new_session_queue()
        self.send(name, red=[b"1"])
        token = self.accept(name)
        (message,) = self.client.receive(name, session=token)

        self.client.sessions.force_release(name, "red")

        self.assert_fails(*self.SESSION_LOST, self.client.complete, name, message.lock_token)
        self.assert_fails(*self.SESSION_LOST, self.client.sessions.renew, name, token)
        self.assert_fails(*self.SESSION_LOST, self.client.sessions.force_release, name, "red")
        (again,) = self.client.receive(name, session=self.accept(name))
        self.assertEqual(again.delivery_count, 0)


if __name__ == "__main__":
    unittest.main()
