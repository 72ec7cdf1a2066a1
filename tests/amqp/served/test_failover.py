"""Programs that speak AMQP go on by themselves while the leaders of their cluster are killed.

WHARF_LEADER_KILLS says how many are, by default 1; each kill tells how long the program stood still.
"""

import contextlib
import itertools
import json
import os
import pathlib
import socket
import subprocess
import sys
import threading
import time
import unittest

import certificates
import cluster_nodes
import daemon_test
import served
import test_node
import wire
from free_ports import free_port
from test_served import HAS_SDK

KILLS = int(os.environ.get("WHARF_LEADER_KILLS", "1"))


class Progress:
    """The lines of a program, and when the last one came."""

    def __init__(self, program):
        self._lines, self._changed = [], threading.Condition()
        self._reader = threading.Thread(target=self._read, args=(program.stdout,))
        self._reader.start()

    def _read(self, out):
        for line in out:
            with self._changed:
                self._lines.append(line.strip())
                self._changed.notify_all()

    def wait_for_more(self, lines):
        """Until there are more lines than so many; how many there are."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self._lines) > lines, wire.TIMEOUT):
                raise AssertionError("the program stands still")
            return len(self._lines)

    def count(self):
        with self._changed:
            return len(self._lines)

    def last(self):
        self._reader.join(wire.TIMEOUT)
        return self._lines[-1]


class Balancer:
    """One address before all nodes, as a service of Kubernetes or a balancer is: a client is led to any that answers,
    whether it leads or not."""

    def __init__(self, ports, place=("127.0.0.1", 0)):
        self._ports = ports
        self._listener = socket.create_server(place)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        # Who still waits in it would keep its port.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            for turn in itertools.count():
                client, _ = self._listener.accept()
                self._lead(client, turn)

    def _lead(self, client, turn):
        for number in range(len(self._ports)):
            with contextlib.suppress(OSError):
                node = socket.create_connection(("127.0.0.1", self._ports[(turn + number) % len(self._ports)]))
                for pair in ((client, node), (node, client)):
                    threading.Thread(target=self._carry, args=pair, daemon=True).start()
                return
        client.close()

    @staticmethod
    def _carry(source, target):
        with contextlib.suppress(OSError):
            while piece := source.recv(1 << 16):
                target.sendall(piece)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


def start_three(test, kind="amqp", **options):
    """Nodes of a cluster, each at ports of its own, at which it comes again; answers who leads."""
    test.nodes = []
    for number in range(1, 4):
        ports = [free_port() for _ in range(2)]
        listen = f"127.0.0.1:{ports[0]},{kind}://127.0.0.1:{ports[1]}"
        test.nodes.append(cluster_nodes.Node(test, f"n{number}", listen=listen, **options))
    first, *others = test.nodes
    first.found()
    for node in others:
        test.eventually(lambda node=node: first.add(node) is not None)
    test.wait_for_voters(test.nodes)
    return test.leader_of(test.nodes)


class Failover(served.ServedTest, cluster_nodes.ClusterTest):

    def kill_the_leader(self, progress):
        leader = self.leader_of(self.nodes)
        leader.daemon.kill()
        begun = time.monotonic()
        progress.wait_for_more(progress.count() + 1)
        print(f"the leader {leader.name} was killed: the program stood still for "
              f"{(time.monotonic() - begun) * 1000:.0f} ms", flush=True)
        leader.restart()
        self.wait_for_voters(self.nodes)
        progress.wait_for_more(progress.count() + 1)

    def make_queues(self, leader):
        leader.client.create("held", lock_duration=wire.seconds(300))
        # What was on its way to a connection that ended comes again when its lock is over.
        leader.client.create("q", requires_duplicate_detection=True, lock_duration=wire.seconds(5))
        leader.client.send("held", b"one")

    def balance(self, kind="amqp", **options):
        balancer = Balancer([served.amqp_port(node.daemon, kind) for node in self.nodes], **options)
        self.addCleanup(balancer.close)
        return balancer

    def tell_over_kills(self, program, **options):
        """Its last line."""
        with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options) as told:
            self.addCleanup(told.kill)
            progress = Progress(told)
            progress.wait_for_more(2)
            for _ in range(KILLS):
                self.kill_the_leader(progress)
            told.stdin.write("enough\n")
            told.stdin.close()
            self.assertEqual(told.wait(wire.TIMEOUT), 0)
        return progress.last()

    @unittest.skipUnless(HAS_SDK, "the SDK's packages need Node 20")
    def test_azures_sdk_goes_on_over_fail_overs_and_settles_what_it_held(self):
        self.make_queues(start_three(self))
        test_node.install()
        place = served.connection_string(self.balance().port)

        told = json.loads(self.tell_over_kills(["node", "sdk_failover_story.mjs", place], cwd=test_node.NODE))

        self.assertGreater(told["sent"], 10 * KILLS)
        last = self.leader_of(self.nodes)
        self.assertEqual(daemon_test.stored(last.client, "held"), {})
        left = {int(body) for body in daemon_test.stored(last.client, "q").values()}
        self.assertLessEqual(left, set(told["inDoubt"]))

    def test_so_does_the_one_for_python(self):
        authority = certificates.Authority(self.folder.name)
        identity = authority.sign("broker", f"IP:{served.OWN_HOST}")
        self.make_queues(start_three(self, "amqp+tls", flags=("--tls-cert", str(identity.certificate),
                                                             "--tls-key", str(identity.key))))
        self.balance("amqp+tls", place=(served.OWN_HOST, 5671))
        story = pathlib.Path(__file__).with_name("python_failover_story.py")
        place = f"Endpoint=sb://{served.OWN_HOST};SharedAccessKeyName=any;SharedAccessKey=any"

        sent = self.tell_over_kills([sys.executable, story, place, str(authority.certificate)])

        self.assertGreater(int(sent), 10 * KILLS)
        last = self.leader_of(self.nodes)
        self.assertEqual(daemon_test.stored(last.client, "held"), {})
        self.assertEqual(daemon_test.stored(last.client, "q"), {})


if __name__ == "__main__":
    unittest.main()
