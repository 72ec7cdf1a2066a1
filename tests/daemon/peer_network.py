"""peer_network: the network between nodes of one test: wharf-peer-proxy, and which ways are cut."""

import os
import subprocess
import time

import cluster_nodes
from free_ports import free_port

PROXY = os.path.join(os.path.dirname(os.environ["WHARFD"]), "wharf-peer-proxy")  # Built beside it.
# Nodes that hear each other do so several times in it.
SILENCE = 0.6  # seconds


class PeerNetwork:
    """A way leads from one node to another, by their names. What is cut or healed is so within a moment."""

    def __init__(self, test):
        self._folder, self._nodes, self._cut = test.folder.name, {}, set()
        self._file = f"{self._folder}/network"
        self._write()
        # pylint: disable=consider-using-with
        self._proxy = subprocess.Popen([PROXY, self._file], stderr=subprocess.DEVNULL)
        test.addCleanup(self._proxy.wait)
        test.addCleanup(self._proxy.kill)

    def add(self, name, listens):
        """Where the others dial this node."""
        self._nodes[name] = free_port(), listens
        self._write()
        return f"127.0.0.1:{self._nodes[name][0]}"

    def note(self, name, pid):
        """Its process: the proxy knows by it who dials."""
        with open(self._pid_file(name), "w", encoding="ascii") as file:
            file.write(f"{pid}\n")

    def ways(self):
        """All of them."""
        return [(source, target) for source in self._nodes for target in self._nodes if source != target]

    def cut(self, *ways):
        self._cut.update(ways)
        self._write()

    def heal(self, *ways):
        self._cut.difference_update(ways)
        self._write()

    def is_cut(self, way):
        return way in self._cut

    def _pid_file(self, name):
        return f"{self._folder}/{name}.pid"

    def _write(self):
        """In one step, as the proxy may look at any time."""
        with open(f"{self._file}.new", "w", encoding="ascii") as file:
            for name, (port, listens) in self._nodes.items():
                file.write(f"node {name} {port} {listens} {self._pid_file(name)}\n")
            for source, target in sorted(self._cut):
                file.write(f"cut {source} {target}\n")
        os.replace(f"{self._file}.new", self._file)


class NetworkTest(cluster_nodes.ClusterTest):
    """A test with nodes that do not always hear each other."""

    def start_network(self):
        self.network = PeerNetwork(self)
        return self.start_cluster(network=self.network)

    def cut(self, *ways):
        """Until who is spoken to has heard nothing for a while."""
        self.network.cut(*ways)
        for way in ways:
            self.eventually(lambda way=way: self.seconds_unheard(way) > SILENCE)

    def heal(self, *ways):
        """Until who is spoken to has heard something since; who cannot answer is not spoken to yet."""
        began = time.monotonic()
        self.network.heal(*ways)
        for source, target in ways:
            if not self.network.is_cut((target, source)):
                for way in ((source, target), (target, source)):
                    self.eventually(lambda way=way: self.seconds_unheard(way) < time.monotonic() - began)

    def seconds_unheard(self, way):
        """For how long the second one has heard nothing of the first; as it tells, and so a moment less than that."""
        source, target = way
        (node,) = [node for node in self.nodes if node.name == target]
        (member,) = [member for member in node.status().members if member.name == source]
        return member.last_heard.ToMicroseconds() / 1e6

    def ways_of(self, node):
        """To it and from it."""
        return [way for way in self.network.ways() if node.name in way]
