"""wharf bench: it keeps to what it made, clears that up, and shows how far it is."""

import json
import os
import signal
import subprocess
import unittest

import command_line
import terminal
import wire
from command_line import FAILED, OK, USAGE
from wire import management_pb2

INTERRUPTED = 130


class BenchTest(command_line.SharedBrokerTest):

    def queues(self):
        listed = self.client.management.ListQueues(management_pb2.ListQueuesRequest(), timeout=wire.TIMEOUT)
        return [queue.name for queue in listed.queues]

    def begin(self, *arguments):
        """Started, and the name of the queue or topic that it has made."""
        process = subprocess.Popen(self.command("bench", *arguments), env=self.environment(), text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        prefix = self._testMethodName.replace("_", "-")
        while process.poll() is None:
            made = [name for name in self.queues() + [topic.name for topic in self.client.topics.list().topics]
                    if name.startswith(prefix)]
            if made:
                return process, made[0]
        self.fail(process.communicate())

    def named(self):
        return self._testMethodName.replace("_", "-")

    # Ctrl-C

    def test_an_interrupt_clears_up(self):
        for which in (signal.SIGINT, signal.SIGTERM):
            for kind in (["send"], ["cycle"], ["transactions"], ["latency"]):
                with self.subTest(kind=kind, which=which):
                    process, name = self.begin(*kind, "--queue", self.named(), "--duration", "10m")
                    process.send_signal(which)
                    out, said = process.communicate(timeout=wire.TIMEOUT)
                    self.assertEqual((process.returncode, out), (INTERRUPTED, ""), said)
                    self.assertEqual(said, f"wharf: deleting the queue '{name}'; Ctrl-C again ends at once and "
                                           "leaves it\n")
                    self.assertNotIn(name, self.queues())

    def test_an_interrupt_deletes_the_topic(self):
        process, name = self.begin("publish", "--topic", self.named(), "--subscriptions", "50", "--duration", "10m")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=wire.TIMEOUT)
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertIn(f"deleting the topic '{name}'", said)
        self.assertNotIn(name, [topic.name for topic in self.client.topics.list().topics])

    def test_what_shall_be_kept_is_named(self):
        process, name = self.begin("send", "--queue", self.named(), "--keep", "--duration", "10m")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=wire.TIMEOUT), ("", f"wharf: the queue '{name}' is left\n"))
        self.assertEqual(process.returncode, INTERRUPTED)
        self.client.delete(name)

    def test_the_second_interrupt_ends_at_once(self):
        process, name = self.begin("send", "--queue", self.named(), "--duration", "10m")
        os.kill(self.daemon.pid, signal.SIGSTOP)
        try:
            process.send_signal(signal.SIGINT)
            self.assertIn(f"'{name}'", process.stderr.readline())  # What is left is named.
            process.send_signal(signal.SIGINT)
            process.wait(wire.TIMEOUT)
        finally:
            os.kill(self.daemon.pid, signal.SIGCONT)
        self.assertEqual(process.returncode, -signal.SIGINT)

    def test_nothing_is_left_at_the_end(self):
        report = json.loads(self.wharf("bench", "send", "--queue", self.named(), "--messages", "10", "--json").stdout)
        self.assertNotIn(report["queue"], self.queues())

    # Other people's queues

    def test_other_queues_need_a_yes(self):
        queue = self.named()
        self.client.create(queue)
        self.client.send(queue, b"a", b"b", b"c")
        before = self.client.runtime(queue)
        for arguments in (["drain", "--existing", "--queue", queue], ["send", "--existing", "--queue", queue],
                          ["cycle", "--existing", "--queue", queue], ["sessions", "--existing", "--queue", queue],
                          ["transactions", "--existing", "--queue", queue],
                          ["scramble", "--queue", queue, "--count", "3"],
                          ["park", "--queue", queue, "--count", "3", "--as", "deferred"],
                          ["due", "--queue", queue, "--count", "3"]):
            with self.subTest(arguments=arguments):
                refused = self.wharf("bench", *arguments)
                self.assertEqual((refused.returncode, refused.stdout), (USAGE, ""))
                self.assertRegex(refused.stderr, f"'{queue}'.*--yes")
        self.assertEqual(self.client.runtime(queue), before)

        drained = self.wharf("bench", "drain", "--existing", "--queue", queue, "--yes", "--json")
        self.assertEqual(drained.returncode, OK, drained.stderr)
        self.assertEqual(json.loads(drained.stdout)["reports"][0]["messages"], 3)
        self.assertIn(queue, self.queues())

    def test_a_process_is_one_number(self):
        several = self.wharf("bench", "send", "--messages", "1", "--pid", "862 25666")
        self.assertEqual(several.returncode, USAGE)
        self.assertIn('"862 25666" are several processes', several.stderr)
        measured = self.wharf("bench", "send", "--messages", "1", "--pid", str(self.daemon.pid), "--json")
        self.assertEqual(measured.returncode, OK, measured.stderr)
        self.assertGreater(json.loads(measured.stdout)["reports"][0]["peak_memory_kib"], 0)


class BenchProgressTest(command_line.SharedBrokerTest):

    def test_progress_on_a_terminal(self):
        for kind, what in (("send", "sending"), ("cycle", "settling"), ("transactions", "transactions")):
            with self.subTest(kind=kind):
                code, shown = terminal.run(self.command("bench", kind, "--duration", "1500ms"), self.environment())
                self.assertEqual(code, OK, shown)
                self.assertRegex(shown, rf"{what}  [0-9,]+  [0-9,]+/s")
                for line in shown.replace(terminal.CLEAR_LINE, "\n").splitlines():
                    self.assertLessEqual(len(line), 80)

    def test_no_progress_elsewhere(self):
        ended = self.wharf("bench", "send", "--duration", "1500ms")
        self.assertEqual((ended.returncode, ended.stderr), (OK, ""))
        self.assertNotIn("\x1b", ended.stdout)


class JobProgressTest(command_line.SharedBrokerTest):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.daemon = cls.start_broker()  # Its clock goes on: a job takes its time.
        cls.client = wire.Client(cls.daemon.address)
        cls.addClassCleanup(cls.client.close)

    def test_waiting_for_a_job_shows_how_far_it_is(self):
        self.client.create("orders")
        self.client.send("orders", *[b"x"] * 8)
        code, shown = terminal.run(self.command("delete-selected", "orders", "--all", "--yes", "--rate", "4", "--wait"),
                                   self.environment())
        self.assertEqual(code, OK, shown)
        self.assertRegex(shown, r"job \d+: looking at messages  \d+  \d+/s")
        self.assertTrue(shown.rsplit(terminal.CLEAR_LINE, 1)[1].startswith("job "), shown)  # Gone before the report.


if __name__ == "__main__":
    unittest.main()
