"""Daemons of an older and a newer version in one cluster, and back; the older is this one that is held at its level."""

import os
import re
import subprocess

import atom_client
import cluster_nodes
import wire

from wharf.v1 import cluster_pb2, management_pb2, message_pb2  # noqa: E402  pylint: disable=wrong-import-order

OLDER = ("--peer-format-level-max", "1")
LEVEL = 7
THREE_BEFORE = ("--peer-format-level-max", str(LEVEL - 3))
# The keys that a description brings are no reason to ask clients for one after a start.
OPEN = ("--access=off",)
OLDER_STILL_READS = "in which what AMQP encoded cannot be kept"
SECONDARY = management_pb2.ACCESS_KEY_SLOT_SECONDARY
NO_EVENT_LOGS = "in which an entity cannot have an event log"
UNKNOWN = '<Newer xmlns:a="urn:a" a:b="1">2</Newer>'
SYMBOL = message_pb2.PropertyValue(encoded_value=b"\xa3\x06symbol")


class ClusterVersionsTest(cluster_nodes.ClusterTest):

    def replace(self, node, *flags, leaves_table=False, **options):
        """As a machine is upgraded: it stops in order, and starts as the other version. `leaves_table`: the one that
        stops knew one more than the one that starts."""
        self.assertEqual(node.daemon.terminate(), 0)
        if leaves_table:
            self.add_table(node)
        node.become(*flags, **options)
        self.eventually(lambda: sum(member.reachable for member in node.status().members) == 3)

    def add_table(self, node, *row):
        """As a newer version does when it opens a state; `row`: and as it must not below its level."""
        subprocess.run([os.environ["ADD_TABLE"], node.data, *row], check=True, timeout=wire.TIMEOUT)

    def use(self):
        """The broker serves, whoever leads."""
        self.sent += 1

        def works():
            client = self.leader_of(self.nodes).client
            client.send("orders", b"%d" % self.sent)
            return client.receive_one("orders") is not None
        self.eventually(works)

    def set_address(self, name, address):
        request = cluster_pb2.SetMemberAddressRequest(name=name, client_address=address)
        self.leader_of(self.nodes).cluster.SetMemberAddress(request, timeout=wire.TIMEOUT)

    def send_encoded(self):
        sent = message_pb2.Message(application_properties={"a": SYMBOL})
        self.leader_of(self.nodes).client.send("encoded", sent)

    def assert_encodings_are_held_back(self):
        with self.assertRaises(wire.grpc.RpcError) as refused:
            self.send_encoded()
        self.assertIn(OLDER_STILL_READS, refused.exception.details())

    def switch_log_on(self):
        self.leader_of(self.nodes).client.update("orders", mask=["event_log_size_in_kilobytes"],
                                                 event_log_size_in_kilobytes=1024)

    def assert_event_logs_are_held_back(self):
        with self.assertRaises(wire.grpc.RpcError) as refused:
            self.switch_log_on()
        self.assertIn(NO_EVENT_LOGS, refused.exception.details())

    def give_unknown(self):  # EPR-24
        """What is kept of an element that nobody knows; to bring it is no error."""
        port = atom_client.port_of(self.leader_of(self.nodes).daemon)
        answer = atom_client.put(port, "/encoded", atom_client.entry(UNKNOWN), "*")
        if answer.status == 503:  # It does not lead any more.
            return None
        self.assertEqual(answer.status, 200, answer.body)
        (description,) = atom_client.descriptions(answer)
        return atom_client.behind_the_known(description)

    def give_keys(self, *keys):  # EPR-19
        """What keys a rule has of which these come with a description."""
        given = "".join(f"<{slot}Key>{key}</{slot}Key>" for slot, key in zip(("Primary", "Secondary"), keys))
        rule = ("<AuthorizationRules><AuthorizationRule><Rights><AccessRights>Send</AccessRights></Rights>"
                f"<KeyName>mine</KeyName>{given}</AuthorizationRule></AuthorizationRules>")
        port = atom_client.port_of(self.leader_of(self.nodes).daemon)
        answer = atom_client.put(port, "/orders", atom_client.entry(rule), "*")
        if answer.status == 503:  # It does not lead any more.
            return None
        self.assertEqual(answer.status, 200, answer.body)
        return tuple(re.findall(rb"<(?:Primary|Secondary)Key>([^<]*)<", answer.body))

    def founder(self, **options):
        """At a port that stays: a node that is founded with data opens its folder anew."""
        return cluster_nodes.LoneNode(self, "n1", listen=f"127.0.0.1:{cluster_nodes.free_port()}", **options)

    def assert_equal(self):
        ended = self.verified()
        self.assertEqual((ended.trouble, [member.trouble for member in ended.members]), ("", [""] * 3))

    def levels(self):
        return [node.status().format_level for node in self.nodes]

    def test_one_by_one_and_back_until_the_level_is_raised(self):  # reliability 61, 62
        self.sent = 0
        first = self.start_cluster(flags=OLDER)
        first.client.create("orders")
        first.client.create("encoded")
        self.assert_encodings_are_held_back()
        with self.assertRaises(wire.grpc.RpcError) as raised:
            first.cluster.VerifyState(cluster_pb2.VerifyStateRequest(), timeout=wire.TIMEOUT)
        self.assertIn("level 1 of the format", raised.exception.details())

        for node in self.nodes[:2]:
            self.replace(node)
            self.use()
        self.assertEqual(self.levels(), [1, 1, 1])
        self.assert_encodings_are_held_back()
        self.assert_event_logs_are_held_back()
        self.eventually(lambda: [LEVEL, LEVEL, 1] == [member.format_level_max
                                                      for member in self.nodes[0].status().members])
        self.replace(self.nodes[0], *OLDER)
        self.use()
        self.assertEqual(self.levels(), [1, 1, 1])

        self.replace(self.nodes[0])
        self.replace(self.nodes[2])

        self.eventually(lambda: self.levels() == [LEVEL] * 3)
        self.use()
        self.eventually(lambda: self.send_encoded() is None)
        self.assert_equal()
        leader = self.leader_of(self.nodes)
        self.assertEqual(leader.client.receive_one("encoded").message.application_properties["a"], SYMBOL)
        third = self.nodes[2]
        self.assertEqual(third.daemon.terminate(), 0)
        with self.assertRaises(AssertionError) as refused:
            third.become(*OLDER)
        self.assertIn("reads up to level 1", str(refused.exception))
        third.become()
        self.use()

    def test_from_three_levels_before_with_equal_states_on_both_sides(self):  # reliability 61, 62
        self.sent = 0
        first = self.start_cluster(flags=THREE_BEFORE + OPEN, listen=atom_client.PLACES)
        first.client.create("orders")
        first.client.create("encoded")
        self.use()
        self.send_encoded()
        self.switch_log_on()
        self.eventually(lambda: self.give_unknown() == [])
        one, two, three = (letter * 40 for letter in "abc")
        old = tuple(key.encode() for key in (one, two))
        for keys in ((one, two), (three, two)):  # None can be remembered yet, and so none is replaced by a description.
            self.eventually(lambda keys=keys: self.give_keys(*keys) == old)
        self.leader_of(self.nodes).client.rotate("orders", "mine")
        with self.assertRaises(wire.grpc.RpcError) as refused:
            self.set_address("n2", "router:5681")
        self.assertIn("an address is what its node says", refused.exception.details())
        self.assert_equal()

        for node in self.nodes:
            self.replace(node, *OPEN, listen=atom_client.PLACES)
            self.use()

        self.eventually(lambda: self.levels() == [LEVEL] * 3)
        self.set_address("n2", "router:5681")
        self.eventually(lambda: self.give_unknown() == atom_client.meanings(UNKNOWN))
        new = (three.encode(), two.encode())
        self.eventually(lambda: self.give_keys(three, two) == new)
        self.leader_of(self.nodes).client.rotate("orders", "mine", SECONDARY)
        self.eventually(lambda: self.give_keys(three, two) not in (None, new))
        for node in self.nodes:
            self.eventually(lambda node=node: "router:5681" in [member.client_address
                                                                for member in node.status().members])
        self.use()
        self.assert_equal()

    def test_back_from_a_version_that_knows_one_more_table(self):  # reliability 61
        self.sent = 0
        first = self.start_cluster(flags=OLDER)
        first.client.create("orders")
        self.cannot_compare("their level is 1, in which states cannot be compared")
        second, third = self.nodes[1:]

        for node in (third, first):
            self.replace(node, *OLDER, leaves_table=True)
            self.use()
        self.assertEqual(second.daemon.terminate(), 0)
        self.add_table(second, "a row that nobody else could read")
        with self.assertRaises(AssertionError) as refused:
            second.become(*OLDER)

        self.assertIn("a table 'tomorrow' that this wharfd does not know", str(refused.exception))
        self.nodes = [first, third]
        self.use()

    def test_a_folder_of_this_format_founds_no_cluster_of_a_lower_level(self):
        alone = wire.Daemon(f"{self.folder.name}/n1")
        self.assertEqual(alone.terminate(), 0)

        with self.assertRaises(AssertionError) as refused:
            cluster_nodes.Node(self, "n1", flags=OLDER)
        self.assertIn("has format 7, which nodes that are held at level 1 could not read", str(refused.exception))
        node = self.founder()
        node.found()
        self.eventually(lambda: node.status().format_level == LEVEL)

    def test_a_folder_of_the_format_before_gets_the_new_one_with_its_cluster(self):
        alone = wire.Daemon(f"{self.folder.name}/n1")
        self.assertEqual(alone.terminate(), 0)
        subprocess.run([os.environ["SET_FORMAT"], f"{self.folder.name}/n1", "2"], check=True, timeout=wire.TIMEOUT)

        self.nodes = [self.founder(flags=OLDER)]
        self.nodes[0].found()
        self.eventually(lambda: self.leader_of(self.nodes) is not None)
        self.assertEqual(self.levels(), [1])
        self.assertEqual(self.nodes[0].daemon.terminate(), 0)
        self.nodes[0].become()
        self.leader_of(self.nodes).client.create("encoded")
        self.eventually(lambda: self.send_encoded() is None)

    def test_a_level_that_nobody_knows_is_refused(self):
        with self.assertRaises(AssertionError) as refused:
            cluster_nodes.Node(self, "n1", flags=("--peer-format-level-max", "99"))
        self.assertIn(f"this wharfd knows levels up to {LEVEL}", str(refused.exception))
