"""What the README says of clients that know three addresses, run as it stands there while their leader is killed. All
that a client holds goes over with its leader but sessions held by AMQP links (tests/amqp/served/test_sessions.py)."""

import os
import pathlib
import subprocess
import sys
import unittest

import cluster_nodes
import daemon_test
import wire

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/documents"))
import documents  # noqa: E402  pylint: disable=wrong-import-position

ADDRESSES = ("127.0.0.1:5681", "127.0.0.1:5682", "127.0.0.1:5683")  # Of the README; here each has a port of its own.
MESSAGES = 500


def example(language):
    """The block of this language that names all three."""
    (block,) = [block for block in documents.blocks_of((ROOT / "README.md").read_text())
                if block.language == language and all(address in block.text for address in ADDRESSES)]
    return block.text


class FailoverTest(cluster_nodes.ClusterTest):

    def run_over_a_failover(self, language, name, command, **environment):
        self.nodes = [cluster_nodes.Node(self, f"n{number}", listen=f"127.0.0.1:{cluster_nodes.free_port()}")
                      for number in (1, 2, 3)]
        leader = self.join_all()
        leader.client.create("orders", requires_duplicate_detection=True)
        text = example(language)
        for there, node in zip(ADDRESSES, self.nodes):
            text = text.replace(there, node.daemon.address)
        folder = pathlib.Path(self.folder.name)
        (folder / name).write_text(text)
        os.symlink(ROOT / "proto", folder / "proto")

        program = subprocess.Popen([*command, name], cwd=folder, env={**os.environ, **environment},
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(program.kill)
        daemon_test.wait_for(
            lambda: self.assertGreater(leader.client.runtime("orders").active_message_count, 20), AssertionError)
        self.assertIsNone(program.poll())
        leader = self.leader_of(self.nodes)
        leader.daemon.kill()

        _, said = program.communicate(timeout=wire.TIMEOUT)
        self.assertEqual(program.returncode, 0, said)
        next_leader = self.leader_of([node for node in self.nodes if node is not leader]).client
        received = [message.message.message_id for message in next_leader.receive_all("orders", MESSAGES)]
        self.assertEqual(received, [f"order-{number}" for number in range(MESSAGES)])
        self.assertEqual(list(next_leader.receive("orders")), [])

    def test_the_python_example_loses_and_doubles_nothing(self):  # reliability 49
        self.run_over_a_failover("python", "send.py", ["/usr/bin/python3"], PYTHONPATH=wire.STUBS)

    def test_the_node_example_loses_and_doubles_nothing(self):  # reliability 49
        modules = subprocess.run([ROOT / "tests/node_packages", ROOT / "tests/wire/node"], check=True,
                                 stdout=subprocess.PIPE, text=True).stdout.strip()
        os.symlink(modules, pathlib.Path(self.folder.name) / "node_modules")
        self.run_over_a_failover("js", "send.mjs", ["node"])


if __name__ == "__main__":
    unittest.main()
