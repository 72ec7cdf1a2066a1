"""A cluster and time: clocks that are wrong, and how long a leader may be silent."""

import re
import time

import grpc

import cluster_nodes
import daemon_test
import wire
from machine import Machine

HOUR = 3600
LOCK = wire.seconds(5)
LOCK_LOST = grpc.StatusCode.ABORTED, "MessageLockLost"
# In whatever order they are started, n1 is elected first.
FIRST = ("--peer-election-timeout", "300ms")
LATER = ("--peer-election-timeout", "5s")


class ClusterTimeTest(cluster_nodes.ClusterTest):

    def machines(self):
        return [Machine(f"{self.folder.name}/machine-{number}") for number in (1, 2, 3)]

    def test_a_clock_that_is_wrong_moves_nothing_after_all_were_down(self):  # reliability 38, 40
        self.nodes = [cluster_nodes.Node(self, f"n{number}", flags=FIRST if number == 1 else LATER, machine=machine)
                      for number, machine in enumerate(self.machines(), start=1)]
        first = self.join_all()
        others = self.nodes[1:]
        first.client.create("orders")
        message = wire.Message(body=b"fresh")
        message.time_to_live.seconds = HOUR // 2
        first.client.send("orders", message)
        for node in self.nodes:
            node.daemon.kill()
        for node in others:
            node.restart()

        first.machine.set_clock_ahead(HOUR)
        first.restart()

        self.eventually(first.leads)
        self.eventually(lambda: first.client.receive_one("orders").message.body == b"fresh")
        self.eventually(lambda: re.search("the wall clock of n2 is 3(59|60)", "".join(first.daemon.log)))

    def test_clocks_that_drift_end_no_lock_and_bring_nothing_early(self):  # reliability 39; LCK-6, SCH-5
        self.nodes = [cluster_nodes.Node(self, f"n{number}", machine=machine)
                      for number, machine in enumerate(self.machines(), start=1)]
        began = time.monotonic()

        def drift():
            """Goes on whenever the test looks at something: a tenth too fast, a tenth too slow, and a little."""
            for node, rate in zip(self.nodes, (0.1, -0.1, 200e-6)):
                node.machine.set_clock_ahead(rate * (time.monotonic() - began))

        def led_on(by):
            """Who leads instead of this one, which comes again."""
            drift()
            by.daemon.kill()
            leader = self.leader_of([node for node in self.nodes if node is not by])
            by.restart()
            self.wait_for_voters(self.nodes)
            return leader

        leader = self.join_all()
        leader.client.create("orders", lock_duration=LOCK)
        leader.client.send("orders", b"held")
        held = leader.client.receive_one("orders")
        due = wire.Message(body=b"due")
        due.scheduled_enqueue_time.FromNanoseconds(held.locked_until.ToNanoseconds() - LOCK.ToNanoseconds() // 2)
        leader.client.send("orders", due)
        came = []

        def receive(*bodies):
            """Whether all of these have come."""
            drift()
            for message in leader.client.receive("orders", 10):
                self.assert_settled(leader.client.complete("orders", message.lock_token))
                came.append(message)
            return set(bodies) <= set(wire.bodies(came))

        numbered = [b"0", b"1", b"2"]
        for body in numbered:
            leader.client.send("orders", body)
            leader = led_on(leader)
            self.eventually(lambda body=body: receive(body))
        self.eventually(lambda: receive(b"held", b"due"))

        self.assertCountEqual(wire.bodies(came), [b"held", b"due", *numbered])
        by_body = {message.message.body: message for message in came}
        again = by_body[b"held"].locked_until.ToNanoseconds() - LOCK.ToNanoseconds()
        self.assertGreaterEqual(again, held.locked_until.ToNanoseconds())
        self.assert_fails(*LOCK_LOST, leader.client.complete, "orders", held.lock_token)
        enqueued = {body: message.enqueued_time.ToNanoseconds() for body, message in by_body.items()}
        self.assertGreaterEqual(enqueued[b"due"], due.scheduled_enqueue_time.ToNanoseconds())
        self.assertEqual(numbered, sorted(numbered, key=enqueued.get))

    def test_the_next_leader_goes_on_from_the_time_of_the_last_one(self):  # reliability 38, 39
        self.nodes = [cluster_nodes.Node(self, f"n{number}", machine=machine)
                      for number, machine in enumerate(self.machines(), start=1)]
        first = self.join_all()
        others = self.nodes[1:]
        first.client.create("orders", lock_duration=wire.seconds(5 * 60))
        message = wire.Message(body=b"fresh")
        message.time_to_live.seconds = HOUR // 2
        first.client.send("orders", b"held", message)
        held = first.client.receive_one("orders")
        for node in others:
            node.machine.set_clock_ahead(HOUR)
            daemon_test.wait_for_line(first.daemon, f"the wall clock of {node.name} is 3(59|60)")
        # By the stream on which it told them the time, and behind that.
        first.client.send("orders", b"last")
        self.eventually(lambda: all(node.status().applied_index >= first.status().committed_index for node in others))

        first.daemon.kill()

        next_leader = self.leader_of(others)
        (settled,) = next_leader.client.complete("orders", held.lock_token)
        self.assertFalse(settled.HasField("error"), settled)
        self.assertEqual([message.message.body for message in next_leader.client.receive("orders", 9)],
                         [b"fresh", b"last"])

    def test_a_leader_may_be_silent_for_as_long_as_is_said(self):
        first = self.start_cluster(flags=("--peer-election-timeout", "4s"))
        killed = time.monotonic()
        first.daemon.kill()

        self.eventually(lambda: self.leader_of(self.nodes[1:]) is not None)

        # From the last sign of life on, which came a heartbeat before at most; by default it takes one to two.
        self.assertGreater(time.monotonic() - killed, 2.2)
