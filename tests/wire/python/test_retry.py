"""How long a message rests after a failed delivery."""

import unittest

import grpc

import wire
from wire import management_pb2

DEAD = "/$DeadLetterQueue"
RetryPolicy = management_pb2.RetryPolicy


class RetryTest(wire.ManualClockTest):

    def create(self, **policy):
        policy = {name: wire.seconds(value) if name in ("base", "cap") else value for name, value in policy.items()}
        return self.client.create("orders", retry_policy=RetryPolicy(**policy))

    def fail(self):
        """Receives and abandons; how many seconds the message rests."""
        self.assert_settled(self.client.abandon("orders", self.client.receive_one("orders").lock_token))
        (message,) = self.client.peek("orders").messages
        if not message.HasField("available_at"):
            return 0
        return (message.available_at.ToMicroseconds() - self.client.clock_now().ToMicroseconds()) / 1000000

    def waits(self, count):
        """What it rests after each of so many failures."""
        waits = []
        for _ in range(count):
            waits.append(self.fail())
            self.assertEqual(list(self.client.receive("orders")), [])
            self.advance(waits[-1])
        return waits

    def test_a_policy_goes_there_and_back(self):  # RTY-1
        policy = self.create(backoff=RetryPolicy.BACKOFF_LINEAR, base=2, cap=30, jitter=0.5).retry_policy

        self.assertEqual((policy.backoff, policy.base, policy.cap, policy.jitter),
                         (RetryPolicy.BACKOFF_LINEAR, wire.seconds(2), wire.seconds(30), 0.5))
        self.assertEqual(self.client.get("orders").retry_policy, policy)
        self.kill_and_restart()
        self.assertEqual(self.client.get("orders").retry_policy, policy)

    def test_what_is_absent_has_its_default(self):  # RTY-1
        policy = self.create().retry_policy

        self.assertEqual((policy.backoff, policy.base, policy.cap, policy.jitter),
                         (RetryPolicy.BACKOFF_FIXED, wire.seconds(1), wire.seconds(7 * 24 * 3600), 0))

    def test_fixed(self):  # RTY-4
        self.create(base=3)
        self.client.send("orders", b"x")

        self.assertEqual(self.waits(3), [3, 3, 3])

    def test_linear_up_to_the_cap(self):  # RTY-4
        self.create(backoff=RetryPolicy.BACKOFF_LINEAR, base=3, cap=7)
        self.client.send("orders", b"x")

        self.assertEqual(self.waits(4), [3, 6, 7, 7])

    def test_exponential_up_to_the_cap(self):  # RTY-4
        self.create(backoff=RetryPolicy.BACKOFF_EXPONENTIAL, base=1, cap=5)
        self.client.send("orders", b"x")

        self.assertEqual(self.waits(4), [1, 2, 4, 5])

    def test_jitter_is_drawn_once_and_survives_a_crash(self):  # RTY-4
        self.create(base=100, jitter=0.5)
        self.client.send("orders", b"x")

        wait = self.fail()

        self.assertTrue(50 <= wait <= 150, wait)
        (before,) = self.client.peek("orders").messages
        self.kill_and_restart()
        (after,) = self.client.peek("orders").messages
        self.assertEqual(after.available_at, before.available_at)

    def test_a_delayed_message_is_active_and_not_delivered(self):  # RTY-2
        self.create(base=10)
        self.client.send("orders", b"1", b"2")
        self.fail_first()

        runtime = self.client.runtime("orders")
        self.assertEqual((runtime.active_message_count, runtime.delayed_message_count), (2, 1))
        self.assertEqual(wire.bodies(self.client.receive("orders", 5)), [b"2"])
        self.advance(10)
        (again,) = self.client.receive("orders", 5)
        self.assertEqual((again.sequence_number, again.delivery_count), (1, 1))

    def fail_first(self):
        self.assert_settled(self.client.abandon("orders", self.client.receive_one("orders").lock_token))

    def test_a_lock_that_ends_is_a_failed_delivery(self):  # RTY-3
        self.create(base=10)
        self.client.send("orders", b"x")
        self.client.receive_one("orders")

        self.advance(60)

        self.assertEqual(list(self.client.receive("orders")), [])
        self.advance(10)
        self.assertEqual(self.client.receive_one("orders").delivery_count, 1)

    def test_release_does_not_rest(self):  # RTY-3
        self.create(base=10)
        self.client.send("orders", b"x")

        self.client.release("orders", self.client.receive_one("orders").lock_token)

        self.assertEqual(self.client.receive_one("orders").delivery_count, 0)

    def test_a_delay_wins_over_the_policy(self):  # RTY-3
        self.create(base=10)
        self.client.send("orders", b"x")
        self.client.abandon_for("orders", self.client.receive_one("orders").lock_token, delay=wire.seconds(3))

        self.assertEqual(list(self.client.receive("orders")), [])
        self.advance(3)
        self.client.abandon_for(
            "orders", self.client.receive_one("orders").lock_token, available_at=self.after(20))
        self.advance(19)
        self.assertEqual(list(self.client.receive("orders")), [])
        self.advance(1)
        self.assertEqual(self.client.receive_one("orders").delivery_count, 2)

    def test_no_policy_no_rest(self):  # RTY-1
        self.client.create("orders")
        self.client.send("orders", b"x")

        self.assertEqual(self.fail(), 0)
        self.client.abandon_for("orders", self.client.receive_one("orders").lock_token, delay=wire.seconds(5))
        self.assertEqual(list(self.client.receive("orders")), [])

    def test_the_last_failure_is_not_waited_out(self):  # RTY-6
        self.client.create("orders", max_delivery_count=1, retry_policy=RetryPolicy(base=wire.seconds(10)))
        self.client.send("orders", b"x")

        self.fail_first()

        self.assertEqual(self.client.runtime("orders").dead_letter_message_count, 1)

    def test_a_dead_letter_queue_has_no_policy(self):  # CNT-12
        self.create(base=10)
        self.dead_letter_all("orders", b"x")

        self.client.abandon("orders" + DEAD, self.client.receive_one("orders" + DEAD).lock_token)

        self.assertEqual(wire.bodies(self.client.receive("orders" + DEAD)), [b"x"])

    def test_it_expires_while_it_rests(self):  # RTY-2, TTL-6
        self.client.create("orders", default_message_time_to_live=wire.seconds(5),
                           retry_policy=RetryPolicy(base=wire.seconds(10)))
        self.client.send("orders", b"x")
        self.fail_first()

        self.advance(10)

        self.assertEqual(list(self.client.receive("orders")), [])
        self.assertEqual(self.client.runtime("orders").total_message_count, 0)

    def test_a_waiting_receiver_gets_it_when_its_rest_is_over(self):  # RTY-2, STA-6
        self.create(base=10)
        self.client.send("orders", b"x")
        self.fail_first()
        stream = wire.ReceiveStream(self.client, "orders")
        self.addCleanup(stream.cancel)
        stream.expect("started")
        stream.grant(1)

        self.advance(10)

        self.assertEqual(wire.bodies(stream.deliveries(1)), [b"x"])

    def test_an_update_takes_it_away(self):  # EPR-30
        self.create(base=10)

        self.assertFalse(self.client.update("orders").HasField("retry_policy"))

    def test_policies_out_of_range(self):  # ERR-15, ERR-16
        out_of_range = grpc.StatusCode.OUT_OF_RANGE, "ArgumentOutOfRange"
        week = 7 * 24 * 3600
        for policy in ({"base": 0}, {"base": -1}, {"base": week + 1}, {"base": 10, "cap": 9}, {"cap": week + 1},
                       {"cap": -1}, {"base": 1 << 60}, {"jitter": -0.1}, {"jitter": 1.1}, {"jitter": float("nan")},
                       {"jitter": float("inf")}):
            with self.subTest(policy=policy):
                self.assert_fails(*out_of_range, lambda: self.create(**policy))
        self.assert_fails(grpc.StatusCode.INVALID_ARGUMENT, "ArgumentError", lambda: self.create(backoff=9))
        self.assert_fails(grpc.StatusCode.NOT_FOUND, "MessagingEntityNotFound", self.client.get, "orders")


if __name__ == "__main__":
    unittest.main()
