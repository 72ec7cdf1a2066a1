"""What destroys asks first, on a terminal; a script is never asked."""

import os
import pty
import subprocess
import unittest

import command_line
import wire
from command_line import FAILED, OK, USAGE


class ConsentTest(command_line.SharedBrokerTest):

    def on_a_terminal(self, answer, *arguments):
        """The exit code, stdout, and what stands on the terminal at the end; `answer` is typed at once."""
        ours, theirs = pty.openpty()
        try:
            os.write(ours, answer.encode())
            ended = subprocess.run(self.command(*arguments), stdin=theirs, stdout=subprocess.PIPE, stderr=theirs,
                                   env=self.environment(), text=True, timeout=wire.TIMEOUT, check=False)
            os.close(theirs)
            theirs = None
            shown = b""
            try:
                while part := os.read(ours, 4096):
                    shown += part
            except OSError:  # Everything is read, and nobody writes any more.
                pass
            return ended.returncode, ended.stdout, shown.decode()
        finally:
            os.close(ours)
            if theirs is not None:
                os.close(theirs)

    def queue(self, messages=2):
        name = f"{self._testMethodName}-{messages}"
        self.client.create(name)
        self.client.send(name, *[b"x"] * messages)
        return name

    def test_no_is_no(self):
        queue = self.queue()
        for answer in ("n\n", "\n", "maybe\n", "\x04"):
            code, out, shown = self.on_a_terminal(answer, "queue", "delete", queue)
            self.assertEqual((code, out), (FAILED, ""), shown)
            self.assertIn(f"delete the queue {queue} with 2 messages? [y/N] ", shown)
            self.assertIn("nothing was done", shown)
        self.assertEqual(self.client.get(queue).name, queue)

    def test_yes_is_yes(self):
        for answer in ("y\n", "YES\n"):
            queue = self.queue()
            code, out, _ = self.on_a_terminal(answer, "queue", "delete", queue)
            self.assertEqual((code, out), (OK, f"deleted {queue}\n"))

    def test_every_command_that_destroys(self):
        queue = self.queue(3)
        self.client.topics.create("sales")
        self.client.topics.subscribe("sales", "all")
        self.client.send("sales", b"x")
        for question, arguments in (
                (f"purge {queue}, which holds 3 messages?", ["purge", queue]),
                (f"delete what waits in {queue}, which holds 3 messages?", ["delete-messages", queue, "--max", "0"]),
                (f"delete all messages that wait in {queue}, which holds 3 messages?",
                 ["delete-selected", queue, "--all"]),
                (f"delete the selected messages that wait in {queue}", ["delete-selected", queue, "--numbers", "1"]),
                ("purge sales/Subscriptions/all, which holds 1 message?", ["purge", "sales/Subscriptions/all"]),
                ("delete the subscription sales/Subscriptions/all with 1 message?",
                 ["subscription", "delete", "sales", "all"]),
                ("remove the rule $Default of sales/Subscriptions/all?",
                 ["rule", "remove", "sales", "all", "$Default"]),
                ("delete the topic sales with its 1 subscription and their messages?", ["topic", "delete", "sales"])):
            with self.subTest(arguments=arguments):
                code, out, shown = self.on_a_terminal("n\n", *arguments)
                self.assertEqual((code, out), (FAILED, ""), shown)
                self.assertIn(question, shown)
        self.assertEqual(self.client.runtime(queue).active_message_count, 3)

    def test_dead_letters_are_told(self):
        queue = self.queue(3)
        self.client.dead_letter(queue, self.client.receive_one(queue).lock_token)
        self.assertIn("2 messages, and 1 in its dead-letter queue?", self.on_a_terminal("n\n", "purge", queue)[2])
        self.assertIn("which holds 1 message?", self.on_a_terminal("n\n", "purge", queue, "--dead-letter")[2])

    def test_yes_may_be_said_before(self):
        queue = self.queue()
        code, out, shown = self.on_a_terminal("n\n", "purge", queue, "--yes")
        self.assertEqual((code, out), (OK, "purged 2\n"))
        self.assertNotIn("?", shown)

    def test_a_number_is_a_decision(self):
        code, out, _ = self.on_a_terminal("n\n", "delete-messages", self.queue(), "--max", "1")
        self.assertEqual((code, out), (OK, "deleted 1\n"))

    def test_what_is_not_there_is_not_asked_about(self):
        code, _, shown = self.on_a_terminal("y\n", "queue", "delete", "nosuch")
        self.assertEqual(code, FAILED)
        self.assertIn("MessagingEntityNotFound", shown)
        self.assertNotIn("[y/N]", shown)

    def test_a_script_is_not_asked(self):
        queue = self.queue()
        ended = self.wharf("queue", "delete", queue)
        self.assertEqual((ended.returncode, ended.stderr), (OK, ""))

    def test_a_deletion_needs_a_selection(self):
        queue = self.queue()
        for arguments in ([], ["--all", "--numbers", "1"], ["--wait"]):
            ended = self.wharf("delete-selected", queue, *arguments)
            self.assertEqual(ended.returncode, USAGE)
        self.assertEqual(self.client.runtime(queue).active_message_count, 2)
        self.assertEqual(self.wharf("delete-selected", queue, "--all", "--wait").returncode, OK)
        self.assertEqual(self.client.runtime(queue).active_message_count, 0)


if __name__ == "__main__":
    unittest.main()
