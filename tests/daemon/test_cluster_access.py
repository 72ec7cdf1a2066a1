"""Who may do what on three nodes: rules are changes in the log, so every node has them, and a fail-over changes none."""

import os
import pathlib
import stat
import subprocess
import time
import unittest

import grpc

import access_calls
import cluster_nodes
import daemon_test
import wire
from access_calls import AccessClient, make_token
from cluster_nodes import LoneNode, Node

ROOT = "RootManageSharedAccessKey"
SOON = 1.0  # seconds; in which a rule that is gone has ended on every node
UNAUTHENTICATED, PERMISSION_DENIED = grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED
UNAVAILABLE = grpc.StatusCode.UNAVAILABLE


class ClusterAccessTest(cluster_nodes.ClusterTest):
    """Three nodes with access on, `self.first`, which was founded, and `self.root`: makes a token for everything."""

    def start_on(self, count=3):
        self.first = self.start_cluster(count, flags=("--access=on",), token=self.root)
        return self.first

    def root(self):
        """None yet: nobody has founded."""
        file = pathlib.Path(self.folder.name, "n1", "root-connection-string")
        if not file.exists():
            return ""
        key = access_calls.connection_of(file.read_text(encoding="ascii"))["SharedAccessKey"]
        return make_token("sb://host/", ROOT, key)

    def client_of(self, node, token):
        client = AccessClient(node.daemon.address, token)
        self.addCleanup(client.close)
        return client

    def code_of(self, call, *arguments):
        try:
            call(*arguments)
        except grpc.RpcError as error:
            return error.code()
        return grpc.StatusCode.OK

    def status_of(self, node, token):
        """What a look at the cluster with this token is answered."""
        return self.code_of(self.client_of(node, token).cluster.GetStatus, access_calls.status_request())

    def leader_in_refusal(self, node, token):
        with self.assertRaises(grpc.RpcError) as raised:
            self.client_of(node, token).send("orders", b"x")
        self.assertEqual(raised.exception.code(), UNAVAILABLE)
        return wire.error_info(wire.status_of(raised.exception)).metadata.get("leader")

    def followers(self):
        return [node for node in self.nodes if node is not self.first]

    def test_rules_and_keys_hold_at_the_next_leader(self):  # SEC-3, SEC-9
        self.start_on()
        root = self.first.client
        root.create("orders")
        reader = root.make_rule("orders", "reader", "Listen")
        removed = root.make_rule("orders", "removed", "Listen")
        rolled = root.rotate("orders", "reader")
        root.remove_rule("orders", "removed")
        root.send("orders", b"one", b"two")
        locked = self.client_of(self.first, make_token("orders", "reader", rolled.primary_key)).receive_one("orders")

        self.first.daemon.kill()
        leader = self.leader_of(self.followers())

        for key in (rolled.primary_key, reader.secondary_key):
            good = self.client_of(leader, make_token("sb://h/orders", "reader", key))
            self.assertEqual(self.code_of(good.peek, "orders"), grpc.StatusCode.OK)
            self.assertEqual(self.code_of(good.send, "orders", b"x"), PERMISSION_DENIED)
        (settled,) = good.complete("orders", locked.lock_token)
        self.assertFalse(settled.HasField("error"), settled)
        for name, key in (("reader", reader.primary_key), ("removed", removed.primary_key)):
            bad = self.client_of(leader, make_token("sb://h/orders", name, key))
            self.assertEqual(self.code_of(bad.peek, "orders"), UNAUTHENTICATED, name)
        self.assertEqual(self.code_of(self.client_of(leader, None).peek, "orders"), UNAUTHENTICATED)
        with self.assertRaisesRegex(grpc.RpcError, "was replaced, and is not taken back"):
            leader.client.rotate("orders", "reader", key=reader.primary_key)
        leader.client.make_rule("orders", "made-after", "Send")
        rolled = leader.client.rotate("", ROOT)
        self.assertEqual(self.status_of(leader, self.root()), UNAUTHENTICATED)  # It was the key of the file.
        for node in self.nodes:  # Who compares them in the end has the new one.
            node.token = make_token("sb://host/", ROOT, rolled.primary_key)

    def test_a_connection_string_that_names_all_nodes_is_good_after_a_fail_over(self):
        first = self.start_on()
        secret = pathlib.Path(first.data, "root-connection-string").read_text(encoding="ascii")
        addresses = ",".join(node.daemon.address for node in self.nodes)
        connection = pathlib.Path(self.folder.name, "connection")
        connection.write_text(secret.replace(first.daemon.address, addresses), encoding="ascii")

        def wharf(*arguments):
            ended = subprocess.run([daemon_test.WHARF, "--connection-string", f"@{connection}", *arguments],
                                   capture_output=True, text=True, timeout=wire.TIMEOUT, check=False)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            return ended.stdout
        wharf("queue", "create", "orders")
        wharf("send", "orders", "kept")

        first.daemon.kill()

        self.assertEqual(wharf("receive", "orders", "--wait", "30s"), "kept\n")
        self.assertIn("leader n", wharf("cluster", "status"))

    def test_the_founding_makes_the_first_rule_and_says_where_its_key_is(self):  # SEC-3
        node = LoneNode(self, "n1", flags=("--access=on",))
        file = pathlib.Path(node.data, "root-connection-string")
        self.assertFalse(file.exists())

        ended = subprocess.run([daemon_test.WHARF, "--address", node.daemon.address, "cluster", "init"],
                               capture_output=True, text=True, timeout=wire.TIMEOUT, check=False)

        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn(f"{file} has a connection string that may do everything", ended.stdout)
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        connection = access_calls.connection_of(file.read_text(encoding="ascii"))
        self.assertEqual(connection["Endpoint"], f"sb://{node.daemon.address}/")
        self.client_of(node, self.root()).create("orders")
        self.assertEqual(self.code_of(self.client_of(node, None).create, "more"), UNAUTHENTICATED)
        self.assertNotIn(connection["SharedAccessKey"], "".join(node.daemon.log))

    def test_a_broker_that_becomes_a_cluster_keeps_its_rules(self):
        alone = wire.Daemon(f"{self.folder.name}/n1", flags=("--access=on",))
        self.addCleanup(alone.kill)
        client = AccessClient(alone.address, self.root())
        self.addCleanup(client.close)
        client.create("orders")
        client.send("orders", b"kept")
        rule = client.make_rule("orders", "reader", "Listen")
        self.assertEqual(alone.terminate(), 0)

        node = LoneNode(self, "n1", flags=("--access=on",), token=self.root,
                        listen=f"127.0.0.1:{cluster_nodes.free_port()}")  # The same when it is opened anew.
        self.assertEqual(self.status_of(node, None), UNAUTHENTICATED)  # It has rules.
        self.assertNotEqual(node.found().cluster_id, "")

        reader = self.client_of(node, make_token("sb://h/orders", "reader", rule.primary_key))
        self.eventually(lambda: reader.receive_one("orders").message.body == b"kept")
        self.assertEqual(self.code_of(self.client_of(node, None).peek, "orders"), UNAUTHENTICATED)

    def test_a_node_that_waits_has_no_rules_and_serves_nobody(self):
        node = LoneNode(self, "n1", flags=("--access=on",))

        self.assertTrue(node.status().waits_for_invitation)  # It is asked from its own machine.
        self.assertEqual(self.code_of(node.client.create, "orders"), UNAVAILABLE)
        self.assertEqual(node.daemon.terminate(), 0)
        self.assertFalse(pathlib.Path(node.data, "root-connection-string").exists())

    def test_every_node_asks_for_a_right_by_the_rules_that_it_has(self):  # SEC-20
        self.start_on()
        root = self.first.client
        tokens = {right: make_token("sb://h/", right, root.make_rule("", right, right).primary_key)
                  for right in ("Send", "Listen", "Manage")}
        add = access_calls.add_request(self.first)

        for node in self.followers():
            self.eventually(lambda node=node: self.status_of(node, tokens["Manage"]) == grpc.StatusCode.OK)
            self.assertEqual(self.status_of(node, tokens["Listen"]), grpc.StatusCode.OK)
            self.assertEqual(self.status_of(node, tokens["Send"]), PERMISSION_DENIED)
            for bad in (None, "", "SharedAccessSignature sr=x", make_token("sb://h/", "Listen", "k" * 44)):
                self.assertEqual(self.status_of(node, bad), UNAUTHENTICATED, bad)
            self.assertEqual(self.code_of(self.client_of(node, tokens["Listen"]).cluster.AddMember, add),
                             PERMISSION_DENIED)
            # One that may says who leads.
            self.assertEqual(self.code_of(self.client_of(node, tokens["Manage"]).cluster.AddMember, add), UNAVAILABLE)

    def test_a_rule_that_is_removed_ends_on_every_node_soon(self):  # SEC-10
        self.start_on()
        root = self.first.client
        token = make_token("sb://h/", "watcher", root.make_rule("", "watcher", "Listen").primary_key)
        for node in self.nodes:
            self.eventually(lambda node=node: self.status_of(node, token) == grpc.StatusCode.OK)
        root.create("orders")
        stream = wire.ReceiveStream(self.client_of(self.first, token), "orders")
        stream.grant(1)
        stream.expect("started")

        root.remove_rule("", "watcher")

        removed = time.monotonic()
        for node in self.nodes:
            while self.status_of(node, token) != UNAUTHENTICATED:
                self.assertLess(time.monotonic(), removed + wire.TIMEOUT)
        self.assertLess(time.monotonic(), removed + SOON)
        with self.assertRaises(grpc.RpcError) as raised:
            stream.read()
        self.assertEqual(raised.exception.code(), UNAUTHENTICATED)
        stream.writes_done()

    def test_who_proves_nothing_is_not_told_who_leads(self):  # ERR-26
        self.start_on()
        rule = self.first.client.make_rule("", "sender", "Send")
        good, bad = make_token("sb://h/", "sender", rule.primary_key), make_token("sb://h/", "sender", "k" * 44)
        for node in self.followers():
            self.eventually(lambda node=node: self.leader_in_refusal(node, good) == self.first.daemon.address)
            self.assertIsNone(self.leader_in_refusal(node, None))
            self.assertIsNone(self.leader_in_refusal(node, bad))

    def test_rules_come_to_who_was_not_told_whether_and_off_is_the_flag_alone(self):
        first = Node(self, "n1", flags=("--access=on",), token=self.root)
        second = Node(self, "n2", token=self.root)  # auto
        self.nodes, self.first = [first, second], first
        self.assertEqual(self.status_of(second, None), grpc.StatusCode.OK)
        first.found()
        first.add(second)
        self.eventually(lambda: self.status_of(second, None) == UNAUTHENTICATED)
        self.eventually(lambda: self.status_of(second, self.root()) == grpc.StatusCode.OK)

        second.daemon.kill()
        second.restart(env={**os.environ, "WHARFD_ACCESS": "off"})
        self.eventually(lambda: self.status_of(second, None) == UNAUTHENTICATED)
        daemon_test.wait_for(lambda: self.assertIn("WHARFD_ACCESS says that access is off, and the cluster has access",
                                                   "".join(second.daemon.log)), AssertionError)
        second.daemon.kill()
        opened = wire.Daemon(second.data, flags=(*second.flags(), "--access=off"))
        self.addCleanup(opened.kill)
        self.assertEqual(self.code_of(AccessClient(opened.address, None).cluster.GetStatus,
                                      access_calls.status_request()), grpc.StatusCode.OK)

    def test_a_kill_while_it_is_founded_leaves_a_folder_that_lets_its_operator_in(self):
        for delay in (0.0, 0.01, 0.02, 0.04, 0.08):
            with self.subTest(delay=delay):
                node = LoneNode(self, f"n{int(delay * 100)}x", flags=("--access=on",))
                founding = node.cluster.Found.future(access_calls.found_request(), timeout=wire.TIMEOUT)
                time.sleep(delay)  # Wherever that is.
                node.daemon.kill()
                founding.cancel()
                node.restart()
                file = pathlib.Path(node.data, "root-connection-string")
                if node.waits():
                    node.found()
                daemon_test.wait_for(lambda file=file: file.stat(), FileNotFoundError)
                key = access_calls.connection_of(file.read_text(encoding="ascii"))["SharedAccessKey"]
                client = self.client_of(node, make_token("sb://host/", ROOT, key))
                self.eventually(lambda client=client: client.create("orders") is not None)
                node.daemon.kill()

    def test_beyond_this_machine_a_node_is_encrypted_and_knows_its_clients(self):
        flags = ("--node", "n1", "--peer-listen", f"127.0.0.1:{cluster_nodes.free_port()}")
        for listen in ("0.0.0.0:0", "grpc://0.0.0.0:0"):
            with self.assertRaisesRegex(AssertionError, "beyond this machine wharfd listens with grpc\\+tls:// and"):
                wire.Daemon(self.data, listen=listen, flags=(*flags, "--access=on"))


if __name__ == "__main__":
    unittest.main()
