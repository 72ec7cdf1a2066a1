"""A session that a link holds is free when wharfd is back, and when another node leads (SES-24)."""

import unittest

import cluster_nodes
import served
import wire
from proton import symbol
from proton.reactor import Filter
from proton.utils import BlockingConnection, LinkDetached
from test_failover import start_three

# Far longer than any of these tests: what is free before was given back.
LOCK = wire.seconds(300)
SENT = [b"0", b"1", b"2"]


class OfSession(Filter):

    def __init__(self, session):
        super().__init__({symbol("com.microsoft:session-filter"): session})


class HoldsSessions(served.ServedTest):

    def link(self, port=None):
        return self.dial(port=port).create_receiver("letters", credit=3, options=OfSession("s"))

    def take(self, receiver, count):
        messages = [receiver.receive(timeout=wire.TIMEOUT) for _ in range(count)]
        self.assertEqual([message.body for message in messages], SENT[:count])
        self.assertEqual([message.delivery_count for message in messages], [0] * count)

    def fill_and_hold(self, client, port=None):
        """A link holds the session, and has locked two of its messages."""
        client.create("letters", requires_session=True, lock_duration=LOCK)
        client.send("letters", *(wire.message_in("s", body) for body in SENT))
        # It is never closed: it dies with its broker.
        connection = BlockingConnection(f"amqp://127.0.0.1:{port or self.port}", timeout=wire.TIMEOUT, reconnect=False,
                                        allowed_mechs="ANONYMOUS")
        self.holder = connection.create_receiver("letters", credit=2, options=OfSession("s"))
        self.take(self.holder, 2)

    def assert_is_free(self, port=None):
        """Another link has it at once, with all its messages, as if nobody had had them."""
        self.take(self.link(port), 3)


class Sessions(HoldsSessions):

    def test_what_a_link_held_is_free_after_a_kill(self):
        daemon = self.serve()
        self.fill_and_hold(self.client)
        daemon.kill()
        self.serve()
        self.assert_is_free()

    def test_what_was_accepted_by_a_call_is_not(self):
        daemon = self.serve()
        self.client.create("letters", requires_session=True, lock_duration=LOCK)
        self.client.sessions.accept("letters", "s")
        daemon.kill()
        self.serve()
        with self.assertRaises(LinkDetached) as held:
            self.link()
        self.assertEqual(held.exception.condition, "com.microsoft:session-cannot-be-locked")


class Leaders(HoldsSessions, cluster_nodes.ClusterTest):

    # Locks outlive a leader, but sessions held by AMQP links do not.
    def test_what_a_link_held_is_free_when_another_node_leads(self):
        leader = start_three(self)
        self.fill_and_hold(leader.client, served.amqp_port(leader.daemon))
        leader.daemon.kill()
        self.nodes.remove(leader)
        self.assert_is_free(served.amqp_port(self.leader_of(self.nodes).daemon))


if __name__ == "__main__":
    unittest.main()
