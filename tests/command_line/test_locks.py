"""`wharf locks`: who holds what."""

import unittest

import command_line
import wire


class LocksTest(command_line.CommandLineTest):

    def rows(self, *arguments):
        """Without the heading; what stands in each."""
        return [line.split() for line in self.run_wharf("locks", *arguments).splitlines()[1:]]

    def test_each_locked_message_has_its_holder(self):
        self.client.send("orders", b"a", b"b", b"c")
        called = self.client.receive_one("orders").lock_token.hex()
        stream = wire.ReceiveStream(self.client, "orders")
        stream.expect("started")
        stream.grant(1)
        (delivered,) = stream.deliveries(1)

        first, second = self.rows("orders")

        self.assertEqual(first[0], "1")
        self.assertTrue(called.endswith(first[1].removeprefix("...")))
        self.assertEqual(first[2], "call")
        self.assertEqual(second[0], "2")
        self.assertTrue(delivered.lock_token.hex().endswith(second[1].removeprefix("...")))
        self.assertEqual(second[2], "stream")
        self.assertRegex(second[3], r"^ipv4:127\.0\.0\.1:\d+$")
        self.assertEqual(first[3], second[3])  # Of one connection.

    def test_json_tells_the_same(self):
        self.client.send("orders", b"a")
        token = self.client.receive_one("orders").lock_token.hex()

        (lock,) = self.run_json("locks", "orders")["locks"]

        self.assertTrue(token.endswith(lock["lock_token_end"]))
        self.assertEqual((lock["sequence_number"], lock["holder"]["kind"]), (1, "call"))
        self.assertFalse(lock["holder"]["is_at_limit"])
        self.assertLess(lock["locked_since"], lock["locked_until"])

    def test_the_dead_letter_queue_has_its_own(self):
        self.client.send("orders", b"a")
        self.client.dead_letter("orders", self.client.receive_one("orders").lock_token)
        self.client.receive_one("orders/$DeadLetterQueue")

        self.assertEqual(len(self.rows("orders", "--dead-letter")), 1)
        self.assertEqual(self.rows("orders"), [])

    def test_after_a_restart_nobody_is_there(self):
        self.client.send("orders", b"a")
        token = self.lock()
        self.daemon.kill()
        self.daemon = self.start(flags=self.FLAGS)

        (row,) = self.rows("orders")

        self.assertEqual(row[2:5], ["before", "the", "restart"])
        self.assertNotIn("holder", self.run_json("locks", "orders")["locks"][0])
        self.run_wharf("settle", "orders", "complete", token)
        self.assertEqual(self.rows("orders"), [])

    def test_of_a_session_its_name_is_told(self):
        self.client.create("letters", requires_session=True)
        self.client.send("letters", wire.message_in("carla", b"x"))
        session = self.client.sessions.accept("letters", "carla")
        self.client.receive("letters", session=session.session_lock_token)

        (row,) = self.rows("letters")

        self.assertEqual(row[-1], "carla")
        self.assertIn("session", row)


if __name__ == "__main__":
    unittest.main()
