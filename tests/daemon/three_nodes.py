"""three_nodes: a cluster for tests that are about its clients: founded, joined, and told apart by who leads."""

import time

import grpc

import daemon_test
import wire
from free_ports import free_port

from wharf.v1 import cluster_pb2, cluster_pb2_grpc  # noqa: E402  pylint: disable=wrong-import-order


class ThreeNodes:
    """Their addresses are those that were given; all vote when it is made."""

    def __init__(self, test, addresses):
        self._daemons = []
        for number, address in enumerate(addresses, start=1):
            peers = f"127.0.0.1:{free_port()}"
            daemon = wire.Daemon(f"{test.folder.name}/n{number}", listen=address,
                                 flags=("--node", f"n{number}", "--peer-listen", peers, "--insecure"))
            test.addCleanup(lambda daemon=daemon: daemon.exit_code() is None and daemon.kill())
            channel = grpc.insecure_channel(address)
            test.addCleanup(channel.close)
            self._daemons.append((f"n{number}", peers, daemon, cluster_pb2_grpc.ClusterStub(channel)))
        self._join()

    def _join(self):
        first = self._daemons[0][3]
        first.Found(cluster_pb2.FoundClusterRequest(), timeout=wire.TIMEOUT)
        for name, peers, _, _ in self._daemons[1:]:
            request = cluster_pb2.AddMemberRequest(name=name, peer_address=peers)
            daemon_test.wait_for(lambda request=request: first.AddMember(request, timeout=wire.TIMEOUT), grpc.RpcError)
        self._await(self._all_know_that_all_vote)

    def _all_know_that_all_vote(self):
        """Two that have it from their leader alone could not elect without that one."""
        return all(sum(member.voter and member.client_address != "" for member in self._status(stub).members)
                   == len(self._daemons) for *_, stub in self._daemons)

    @staticmethod
    def _status(stub):
        return stub.GetStatus(cluster_pb2.GetClusterStatusRequest(), timeout=wire.TIMEOUT)

    @staticmethod
    def _await(look):
        end = time.monotonic() + wire.TIMEOUT
        while not look():
            if time.monotonic() > end:
                raise AssertionError("the nodes do not become one broker in which all vote")

    def leader(self):
        """The daemon of whoever leads, of those that run."""
        found = []

        def look():
            for name, _, daemon, stub in self._daemons:
                if daemon.exit_code() is None and self._status(stub).leader == name:
                    found.append(daemon)
                    return True
            return False
        self._await(look)
        return found[0]
