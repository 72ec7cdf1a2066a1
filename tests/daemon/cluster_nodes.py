"""cluster_nodes: what tests of clusters share: daemons that are nodes, and looks at them that have patience."""

import os
import shutil
import signal
import time
import unittest

import grpc

import access_calls
import daemon_test
import wire
from free_ports import free_port
from replicas import Replicas

from wharf.v1 import cluster_pb2  # noqa: E402  pylint: disable=wrong-import-order


def transfer_request(node):
    return cluster_pb2.TransferLeadershipRequest(name=node.name)


class Node:
    """A daemon that is a node, with clients of its own at its address, which changes with each start."""

    def __init__(self, test, name, keys=None, flags=(), listen="127.0.0.1:0", token=None, network=None, machine=None):
        """`keys`: the folder of its certificates; none: it goes without. `token`: makes that of its clients. `network`:
        between it and the others; `machine`: what it runs on."""
        self._test, self.name, self._peer_listen, self._keys = test, name, f"127.0.0.1:{free_port()}", keys
        self._flags, self.token, self._network, self.machine = flags, token, network, machine
        self.peer_address = network.add(name, self._peer_listen) if network else self._peer_listen
        self.data = f"{test.folder.name}/{name}"
        self.daemon = wire.Daemon(self.data, flags=self.flags(), listen=listen, **self._surroundings())
        self._join_test()
        self.connect()

    def _join_test(self):
        """Which compares it with its others in the end, and stops it."""
        self._test.replicas.add(self)

    def flags(self):
        proof = ("--insecure",) if self._keys is None else (
            "--peer-ca", f"{self._keys}/peer-ca.pem", "--peer-cert", f"{self._keys}/{self.name}.pem",
            "--peer-key", f"{self._keys}/{self.name}.key")
        advertised = ("--peer-advertise", self.peer_address) if self._network else ()
        return ("--node", self.name, "--peer-listen", self._peer_listen, *advertised, *proof, *self._flags)

    def _surroundings(self):
        return {"env": self.machine.environment()} if self.machine else {}

    def connect(self):
        if self._network:
            self._network.note(self.name, self.daemon.pid)
        self.client = access_calls.AccessClient(self.daemon.address, self.token)
        self._test.addCleanup(self.client.close)
        self.cluster = self.client.cluster

    def stop(self):
        if self.daemon.exit_code() is None:
            self.daemon.kill()

    def restart(self, **popen):
        self.daemon.start(**(popen or self._surroundings()))
        self.connect()

    def pause(self):
        self.daemon.send_signal(signal.SIGSTOP)

    def resume(self):
        self.daemon.send_signal(signal.SIGCONT)

    def become(self, *flags, listen="127.0.0.1:0"):
        """Another daemon, with these flags, on the same folder."""
        self._flags = flags
        self.daemon = wire.Daemon(self.data, flags=self.flags(), listen=listen)
        self.connect()

    def status(self):
        return self.cluster.GetStatus(cluster_pb2.GetClusterStatusRequest(), timeout=wire.TIMEOUT)

    def waits(self):
        """Whether it has no cluster; who has one may want to know who asks."""
        try:
            return self.status().waits_for_invitation
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.UNAUTHENTICATED, error
            return False

    def found(self):
        return self.cluster.Found(cluster_pb2.FoundClusterRequest(), timeout=wire.TIMEOUT)

    def add(self, other):
        request = cluster_pb2.AddMemberRequest(name=other.name, peer_address=other.peer_address)
        return self.cluster.AddMember(request, timeout=wire.TIMEOUT)

    def remove(self, other):
        return self.cluster.RemoveMember(cluster_pb2.RemoveMemberRequest(name=other.name), timeout=wire.TIMEOUT)

    def wipe(self):
        """As on a new disk."""
        shutil.rmtree(self.data)

    def leads(self):
        return self.status().leader == self.name

    def bring_back(self):
        """Whatever was done to it: it runs, and hears all and is heard by them. It has not ended by itself but with a
        sentence."""
        if self._network:
            self._network.heal(*self._network.ways())
        code = self.daemon.exit_code()
        is_told = code in (None, 0, -signal.SIGKILL) or "error wharfd ends: " in "".join(self.daemon.log)
        self._test.assertTrue(is_told, f"{self.name} ended with {code}: " + "".join(self.daemon.log[-20:]))
        if code is None:
            self.resume()
            self.connect()
        else:
            self.restart()


class LoneNode(Node):
    """Its cluster is itself alone, or it has none: there is nobody to compare it with."""

    def _join_test(self):
        self._test.addCleanup(self.stop)


@unittest.skipUnless(os.path.exists(os.path.dirname(os.environ["WHARFD"]) + "/libwharfraft.so"),
                     "built without WHARF_CLUSTER")
class ClusterTest(daemon_test.DaemonTest):
    """A test with nodes of its own, which hold the same in the end (replicas.py)."""

    nodes = ()

    def setUp(self):
        super().setUp()
        self.replicas = Replicas(self)

    def cannot_compare(self, why, *nodes):
        """These nodes, all so far if none is named, are not compared with the others in the end."""
        self.replicas.leave_out(nodes, why)

    def home(self, name, **variables):
        """The environment of a user whose home is a new folder; what is None is not in it."""
        folder = f"{self.folder.name}/{name}"
        os.mkdir(folder)
        values = {**os.environ, "XDG_CONFIG_HOME": None, "HOME": folder, **variables}
        return {key: value for key, value in values.items() if value is not None}

    def start_cluster(self, count=3, **options):
        self.nodes = [Node(self, f"n{number}", **options) for number in range(1, count + 1)]
        return self.join_all()

    def join_all(self):
        """The first one founds a cluster and invites the others; answers it, as it leads."""
        first, *others = self.nodes
        first.found()
        for node in others:
            self.eventually(lambda node=node: first.add(node) is not None)
        self.wait_for_voters(self.nodes)
        self.eventually(lambda: all(member.client_address for member in first.status().members))
        return first

    def wait_for_voters(self, nodes):
        """Until each of them knows that all of them vote: a change of members counts where it is known to be
        committed, and two that know of the third from their leader alone cannot elect without that one."""
        names = {node.name for node in nodes}
        for node in nodes:
            self.eventually(lambda node=node: names == {
                member.name for member in node.status().members if member.voter})

    def eventually(self, look):
        """Until it is so; what is refused meanwhile is looked at again."""
        deadline = time.monotonic() + wire.TIMEOUT
        while True:
            try:
                if look():
                    return
            except grpc.RpcError as error:
                last = error
            else:
                last = None
            self.assertLess(time.monotonic(), deadline, last)
            time.sleep(daemon_test.LOOK_AGAIN_AFTER)

    def verify(self, node, look_only=False):
        return node.cluster.VerifyState(cluster_pb2.VerifyStateRequest(look_only=look_only), timeout=wire.TIMEOUT)

    def verified(self, nodes=None):
        """How a comparison of these nodes ended, by default of `self.nodes`, that begins now; whoever leads next begins
        another one."""
        ended = []

        def look():
            leader = self.leader_of(nodes or self.nodes)
            self.verify(leader)

            def has_ended():
                ended[:] = [self.verify(leader, look_only=True)]
                return not ended[0].under_way
            self.wait_until(has_ended)
            return True
        self.eventually(look)
        return ended[0]

    def leader_of(self, nodes):
        """Who serves among them."""
        leader = []

        def look():
            for node in nodes:
                if node.leads():
                    node.client.management.ListQueues(wire.management_pb2.ListQueuesRequest(), timeout=wire.TIMEOUT)
                    leader.append(node)
                    return True
            return False
        self.eventually(look)
        return leader[0]
