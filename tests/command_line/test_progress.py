"""What a terminal shows of long work: how far it is; and nothing of it remains."""

import unittest

import command_line
import daemon_test
import terminal
from command_line import FAILED, OK


class ProgressTest(command_line.CommandLineTest):

    def dead_letters(self, count):
        self.client.send("orders", *[b"x"] * count)
        for message in self.client.receive_all("orders", count):
            self.client.dead_letter("orders", message.lock_token)

    def begin_on_terminal(self, *arguments, **popen):
        process = terminal.Running([daemon_test.WHARF, *arguments], self.environment(), **popen)
        self.addCleanup(process.close)
        return process

    def assert_cleared(self, process, *codes):
        """It ended, and the last of its lines is whole: the bar is gone from it."""
        self.assertIn(process.wait(), codes, process.shown)
        self.assertNotIn("/s", process.shown.rsplit(terminal.CLEAR_LINE, 1)[-1])

    def test_of_a_job_that_somebody_waits_for(self):
        # It waits for the clock, which stands still.
        self.dead_letters(8)
        number = self.client.redrive("orders/$DeadLetterQueue", max_rate=1).id
        waiting = self.begin_on_terminal("job", "wait", str(number))
        waiting.read_until(f"job {number}: looking at messages")

        self.client.cancel_job(number)

        self.assert_cleared(waiting, FAILED)

    def test_of_a_redrive_that_waits(self):
        self.dead_letters(8)
        redrive = self.begin_on_terminal("redrive", "orders", "--rate", "1", "--wait")
        redrive.read_until("looking at messages")

        (job,) = self.client.list_jobs().jobs
        self.client.cancel_job(job.id)

        self.assert_cleared(redrive, FAILED)

    def test_of_messages_that_are_received_into_a_file(self):
        with open(f"{self.folder.name}/received", "wb") as received:
            receive = self.begin_on_terminal("receive", "orders", "--max", "100000", "--follow", stdout=received)
            sent = 0
            while "/100,000" not in receive.shown:  # It is drawn as messages come, after half a second.
                self.client.send("orders", b"x")
                sent += 1
                while receive.has_more():
                    receive.read()
            receive.interrupt()
            self.assert_cleared(receive, OK)
        with open(f"{self.folder.name}/received", "rb") as received:
            self.assertEqual(received.read().count(b"x\n") + self.client.runtime("orders").active_message_count, sent)

    def test_a_pipe_gets_nothing_of_it(self):
        self.dead_letters(3)
        self.run_wharf("redrive", "orders", "--wait")
        self.assertEqual(self.said, "")


if __name__ == "__main__":
    unittest.main()
