"""Three nodes, one broker: who leads serves, who does not says who does, and nothing acknowledged is lost with one."""

import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import subprocess
import unittest

import grpc

import cluster_nodes
import daemon_test
import wire
from cluster_nodes import LoneNode, Node
from free_ports import free_port
from wire import messaging_pb2


class ClusterTest(cluster_nodes.ClusterTest):

    def test_a_message_and_its_lock_survive_the_leader(self):  # reliability 30, 48
        leader = self.start_cluster()
        leader.client.create("orders")
        leader.client.send("orders", b"one", b"two", b"three")
        locked = leader.client.receive_one("orders")
        completed = leader.client.receive_one("orders")
        leader.client.complete("orders", completed.lock_token)

        leader.daemon.kill()
        others = [node for node in self.nodes if node is not leader]
        next_leader = self.leader_of(others)

        (settled,) = next_leader.client.complete("orders", locked.lock_token)
        self.assertFalse(settled.HasField("error"), settled)  # The token holds, and nobody else got the message.
        self.assertEqual([message.message.body for message in next_leader.client.receive("orders", 9)], [b"three"])
        next_leader.client.send("orders", b"four")
        leader.restart()
        self.eventually(lambda: leader.status().applied_index >= next_leader.status().committed_index)
        self.assertFalse(leader.leads())

    def test_who_does_not_lead_says_who_does(self):  # ERR-26
        leader = self.start_cluster()
        leader.client.create("orders")
        follower = self.nodes[1]
        self.eventually(lambda: follower.status().leader == leader.name)
        for call in (lambda client: client.send("orders", b"x"), lambda client: client.get("orders"),
                     lambda client: client.receive("orders")):
            def refused(call=call):
                with self.assertRaises(grpc.RpcError) as raised:
                    call(follower.client)
                info = wire.error_info(wire.status_of(raised.exception))
                self.assertEqual(raised.exception.code(), grpc.StatusCode.UNAVAILABLE)
                self.assertEqual(info.reason, "PartitionNotOwned")
                self.assertEqual((info.metadata["is_transient"], info.metadata["outcome"]), ("true", "not-done"))
                return info.metadata.get("leader") == leader.daemon.address
            self.eventually(refused)

    def test_the_command_line_shows_it_and_finds_the_leader(self):
        self.start_cluster()
        addresses = ",".join(node.daemon.address for node in reversed(self.nodes))

        def wharf(*arguments, address=addresses):
            ended = subprocess.run([daemon_test.WHARF, "--address", address, *arguments], capture_output=True,
                                   text=True, timeout=wire.TIMEOUT, check=False)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            return ended.stdout

        for node in self.nodes:
            shown = json.loads(wharf("cluster", "status", "--json", address=node.daemon.address))
            self.assertEqual({member["name"] for member in shown["members"]}, {"n1", "n2", "n3"})
            self.assertGreater(shown["term"], 0)
        self.assertIn("n3", wharf("cluster", "status"))
        wharf("queue", "create", "orders")
        wharf("send", "orders", "found")
        self.assertEqual(wharf("cluster", "transfer", "n3"), "leads n3\n")
        self.eventually(self.nodes[2].leads)
        self.assertEqual(wharf("receive", "orders", "--wait", "30s"), "found\n")

    def test_a_stop_hands_leadership_over(self):
        leader = self.start_cluster()
        leader.client.create("orders")
        leader.client.send("orders", b"kept")

        self.assertEqual(leader.daemon.terminate(), 0)

        next_leader = self.leader_of([node for node in self.nodes if node is not leader])
        self.assertEqual(next_leader.client.receive_one("orders").message.body, b"kept")

    def test_all_of_them_are_killed_and_go_on(self):  # reliability 31
        leader = self.start_cluster()
        leader.client.create("orders")
        leader.client.send("orders", *[b"%d" % number for number in range(100)])

        for node in self.nodes:
            node.daemon.kill()
        for node in self.nodes:
            node.restart()

        leader = self.leader_of(self.nodes)
        self.assertEqual(len(leader.client.receive_all("orders", 100)), 100)

    def test_one_alone_acknowledges_nothing(self):  # reliability 27
        leader = self.start_cluster()
        leader.client.create("orders")
        for node in self.nodes:
            if node is not leader:
                node.daemon.kill()

        with self.assertRaises(grpc.RpcError) as raised:
            leader.client.messaging.Send(messaging_pb2.SendRequest(
                entity_path="orders", messages=[wire.as_message(b"lost?")]), timeout=wire.TIMEOUT)

        self.assertEqual(raised.exception.code(), grpc.StatusCode.UNAVAILABLE)
        self.eventually(lambda: leader.status().leader == "")

    def test_a_node_without_a_cluster_waits(self):
        node = LoneNode(self, "n1")
        self.assertTrue(node.status().waits_for_invitation)
        with self.assertRaises(grpc.RpcError) as raised:
            node.client.create("orders")
        self.assertIn("belongs to no cluster yet", raised.exception.details())
        self.assertEqual(node.daemon.terminate(), 0)

    def test_folders_are_of_one_kind_and_of_one_node(self):  # reliability 66
        node = LoneNode(self, "n1")
        node.found()
        self.assertEqual(node.daemon.terminate(), 0)

        for flags, sentence in (
                ((), "belongs to a node of a cluster, in whose log is what was last written; start it as that node"),
                (("--node", "n2", *node.flags()[2:]), "not to n2; start it with --node n1, or name another folder")):
            with self.assertRaises(AssertionError) as raised:
                wire.Daemon(node.data, flags=flags)
            self.assertRegex(str(raised.exception), f"error wharfd ends: .*{sentence}")

    def test_nodes_with_certificates_take_new_ones_while_they_run(self):
        keys = f"{self.folder.name}/keys"

        def issue(*names):
            subprocess.run([daemon_test.WHARF, "cluster", "certificate", *names, "--folder", keys],
                           stdout=subprocess.DEVNULL, timeout=wire.TIMEOUT, check=True)
        issue("n1", "n2")
        self.nodes = [Node(self, name, keys) for name in ("n1", "n2")]
        first, second = self.nodes
        first.found()
        self.eventually(lambda: first.add(second) is not None)
        self.eventually(lambda: sum(member.voter for member in first.status().members) == 2)

        issue("n1")

        daemon_test.wait_for(lambda: self.assertIn("certificates for peers are read", "".join(first.daemon.log)),
                             AssertionError)
        second.daemon.kill()
        second.restart()
        # What a leader begins that is alone for too long may be done though it hears that it may not; and the other one
        # may lead then.
        names = (f"orders-{attempt}" for attempt in itertools.count())
        self.eventually(lambda: self.leader_of(self.nodes).client.create(next(names)) is not None)

    def test_what_is_wrong_with_a_node_changes_nothing(self):
        for flags, sentence in ((("--node", "N 1", "--insecure"), '--node: "N 1" is no name for a node'),
                                (("--node", "n1", "--peer-listen", "0.0.0.0:5690", "--insecure"),
                                 "error wharfd ends: peer-advertise")):
            with self.assertRaises(AssertionError) as raised:
                wire.Daemon(self.data, flags=flags)
            self.assertIn(sentence, str(raised.exception))
            self.assertFalse(os.path.exists(self.data), flags)

    def test_nodes_prove_who_they_are_unless_told_otherwise(self):
        home = self.home("home")
        with self.assertRaises(AssertionError) as raised:
            wire.Daemon(self.data, flags=("--node", "n1", "--peer-listen", f"127.0.0.1:{free_port()}",
                                          "--peer-advertise", "n1.example.org:5691"), env=home)
        self.assertIn("beyond this machine peer-ca, peer-cert and peer-key are needed, which `wharf cluster "
                      "certificate n1 --folder FOLDER` makes", str(raised.exception))
        self.assertEqual((os.path.exists(self.data), os.listdir(home["HOME"])), (False, []))

        node = LoneNode(self, "n1")
        said = f"warning insecure is set: who reaches {node.peer_address} may be any node"
        self.assertIn(said, "".join(node.daemon.log))


# As the first page and the help tell it; the ports are others here.
START = ("wharfd --data D1 --listen 127.0.0.1:5681 --node n1 --peer-listen 127.0.0.1:5691",
         "wharfd --data D2 --listen 127.0.0.1:5682 --node n2 --peer-listen 127.0.0.1:5692",
         "wharfd --data D3 --listen 127.0.0.1:5683 --node n3 --peer-listen 127.0.0.1:5693")
JOIN = ("wharf --address 127.0.0.1:5681 cluster init",
        "wharf --address 127.0.0.1:5681 cluster add n2 127.0.0.1:5692",
        "wharf --address 127.0.0.1:5681 cluster add n3 127.0.0.1:5693")


class OwnCertificatesTest(cluster_nodes.ClusterTest):
    """Nodes that are told no files."""

    def setUp(self):
        super().setUp()
        self.ports = {}

    def here(self, command):
        """Its words; ports are free ones, and each the same one each time."""
        return [re.sub(r":(56\d\d)$", lambda port: f":{self.ports.setdefault(port[1], free_port())}", word)
                for word in command.split()]

    def run_daemon(self, command, home):
        words = self.here(command)
        data, listen, flags = f"{self.folder.name}/{words[2]}", words[4], words[5:]
        daemon = wire.Daemon(data, listen=listen, flags=flags, env=home)
        self.addCleanup(lambda: daemon.exit_code() is None and daemon.kill())
        return daemon

    def run_wharf(self, command, home, code=0):
        ended = subprocess.run([daemon_test.WHARF, *self.here(command)[1:]], env=home, capture_output=True, text=True,
                               timeout=wire.TIMEOUT, check=False)
        self.assertEqual(ended.returncode, code, ended.stderr)
        return ended.stdout + ended.stderr

    def start_all(self, home):
        """All in one moment: of the authority they make one."""
        with concurrent.futures.ThreadPoolExecutor() as at_once:
            return list(at_once.map(lambda command: self.run_daemon(command, home), START))

    def members(self, home, kind):
        """The names of those who are: "voter", "reachable"."""
        told = self.run_wharf("wharf --address 127.0.0.1:5681 cluster status --json", home)
        return sorted(member["name"] for member in json.loads(told)["members"] if member.get(kind))

    def assert_equal(self, home, *names):
        """As other tests have it by themselves (replicas.py)."""
        self.eventually(lambda: self.members(home, "reachable") == list(names))
        # Who leads may reach all a moment later.
        told = daemon_test.wait_for(
            lambda: self.run_wharf("wharf --address 127.0.0.1:5681 cluster verify", home), AssertionError)
        self.assertIn(f"{', '.join(names)} hold the same", told)

    def test_three_nodes_by_the_commands_that_everybody_reads_first(self):
        home = self.home("home")
        first, second, third = self.start_all(home)

        for command in JOIN:
            self.run_wharf(command, home)

        self.eventually(lambda: self.members(home, "voter") == ["n1", "n2", "n3"])
        keys = f"{home['HOME']}/.config/wharf/peers"
        self.assertEqual(sorted(os.listdir(keys)), ["n1.key", "n1.pem", "n2.key", "n2.pem", "n3.key", "n3.pem",
                                                    "peer-ca.key", "peer-ca.pem"])
        self.assertEqual({os.stat(f"{keys}/{name}").st_mode & 0o777 for name in os.listdir(keys)}, {0o600})
        self.assertEqual(os.stat(keys).st_mode & 0o777, 0o700)
        self.assertNotIn("insecure", "".join(first.log + second.log + third.log))
        before = {name: os.stat(f"{keys}/{name}").st_mtime_ns for name in os.listdir(keys)}
        for daemon in (second, third):
            daemon.kill()
            daemon.start(env=home)
        self.run_wharf("wharf --address 127.0.0.1:5681 queue create orders", home)
        self.assertEqual({name: os.stat(f"{keys}/{name}").st_mtime_ns for name in os.listdir(keys)}, before)
        self.assert_equal(home, "n1", "n2", "n3")

    def test_the_node_of_another_user_is_not_let_in(self):
        home, elsewhere = self.home("home"), self.home("elsewhere")
        first = self.run_daemon(START[0], home)
        second = self.run_daemon(START[1], elsewhere)
        self.run_wharf(JOIN[0], home)

        refused = self.run_wharf(JOIN[1], home, code=1)

        self.assertRegex(refused, "n2.*certificate")
        self.assertEqual(self.members(home, "voter"), ["n1"])
        daemon_test.wait_for_line(second, "a peer is refused: .*certificate")
        self.assertEqual(first.exit_code(), None)

    def test_where_nothing_can_be_made_a_sentence_says_what_to_do(self):
        for home, sentence in ((self.home("none", HOME=None), "neither XDG_CONFIG_HOME nor HOME"),
                               (self.home("null", HOME="/dev/null"), "cannot look into /dev/null")):
            with self.assertRaises(AssertionError) as raised:
                self.run_daemon(START[0], home)
            self.assertIn("error wharfd ends: the certificate of node n1 cannot be made: " + sentence,
                          str(raised.exception))
            self.assertIn("`wharf cluster certificate n1 --folder FOLDER`", str(raised.exception))
        self.assertEqual([name for name in os.listdir(self.folder.name) if name == "D1"], [])

    def test_a_look_at_the_configuration_makes_nothing(self):
        home, file = self.home("home"), pathlib.Path(self.folder.name, "wharfd.toml")
        for address, code, sentence in (("127.0.0.1:5691", 0, "the configuration is good"),
                                        ("10.0.0.1:5691", 2, "beyond this machine peer-ca, peer-cert and peer-key")):
            file.write_text(f'data = "{self.data}"\nnode = "n1"\npeer-listen = "{address}"\n', encoding="ascii")
            ended = subprocess.run([os.environ["WHARFD"], "config", "check", "--config", str(file)], env=home,
                                   capture_output=True, text=True, timeout=wire.TIMEOUT, check=False)
            self.assertEqual(ended.returncode, code, ended.stderr)
            self.assertIn(sentence, ended.stdout + ended.stderr)
        self.assertEqual(os.listdir(home["HOME"]), [])

    def test_a_certificate_that_a_person_makes_is_taken_and_one_that_is_none_is_made_anew(self):
        home = self.home("home")
        keys = f"{home['HOME']}/.config/wharf/peers"
        self.run_wharf("wharf cluster certificate n1 n2", home)
        made = pathlib.Path(f"{keys}/n1.pem").read_bytes()
        os.replace(f"{keys}/n2.key", f"{keys}/n1.key")  # As a kill between the two files.

        first = self.run_daemon(START[0], home)

        self.assertNotEqual(pathlib.Path(f"{keys}/n1.pem").read_bytes(), made)
        self.run_wharf(JOIN[0], home)
        made = pathlib.Path(f"{keys}/n1.pem").read_bytes()
        first.kill()
        first.start(env=home)
        self.assertEqual(pathlib.Path(f"{keys}/n1.pem").read_bytes(), made)


if __name__ == "__main__":
    unittest.main()
