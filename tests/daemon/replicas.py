"""replicas: the nodes that a test made, which hold the same in the end, row by row, whatever was done to them."""

import daemon_test


class Replicas:
    """Of one test. They are compared when all that it set up since the first of them is undone: those that were
    stopped run again, those that stood still go on, and all hear each other. Who cannot be compared is left out with a
    reason, and so nobody is forgotten."""

    def __init__(self, test):
        self._test, self._nodes, self._left_out = test, [], {}

    def add(self, node):
        if not self._nodes:
            self._test.addCleanup(self._end)  # The last one first: what nodes need, as a network, is there before them.
        self._nodes.append(node)

    def leave_out(self, nodes, why):
        self._left_out.update((node.name, why) for node in nodes or self._nodes)

    def _end(self):
        for node in self._nodes:
            self._test.addCleanup(node.stop)  # However the comparison ends.
        for name, why in self._left_out.items():
            print(f"{name} is not compared: {why}", flush=True)
        self._assert_equal([node for node in self._nodes if node.name not in self._left_out])

    def _assert_equal(self, nodes):
        if self._left_out and not nodes:
            return
        self._test.assertGreater(len(nodes), 1, "one node is compared with nobody: it is a LoneNode, or the test says "
                                                "why (cannot_compare)")
        for node in nodes:
            node.bring_back()
        ended = daemon_test.wait_for(lambda: self._compare(nodes), AssertionError)
        self._test.assertFalse(ended.HasField("difference"), ended)

    def _compare(self, nodes):
        """How that ended. Who still catches up, or is not heard of for a moment, has time; who differs has none."""
        ended = self._test.verified(nodes)
        if not ended.HasField("difference"):
            self._test.assertEqual((ended.trouble, [(member.name, member.trouble) for member in ended.members]),
                                   ("", sorted((node.name, "") for node in nodes)))
        return ended
