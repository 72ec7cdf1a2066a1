"""wharfd serves JMS 2.0 clients over AMQP 1.0: what qpid-jms says by rhea, and Proton by its own hand."""

import unittest

import cluster_nodes
import daemon_test
import grpc
import served
import test_failover
import wire
from proton import Data, Described, Message, Terminus, symbol, ulong
from proton.handlers import MessagingHandler, TransactionHandler
from proton.reactor import AtMostOnce, Container, Copy, LinkOption
from proton.utils import LinkDetached
from wharf.v1 import management_pb2

STEPS = ("one client id", "anonymous", "queue", "delayed", "durable", "unsubscribed", "shared evenly", "temporary")


def container_of(client_id):
    container = Container()
    container.container_id = client_id
    return container


def queues_of(client):
    listed = client.management.ListQueues(management_pb2.ListQueuesRequest(), timeout=wire.TIMEOUT)
    return [each.name for each in listed.queues]


class Consumer(LinkOption):
    """A JMS consumer of a topic, as it says so in its source."""

    def __init__(self, *capabilities, durable=False, selector=None):
        self.capabilities, self.durable, self.selector = capabilities, durable, selector

    def apply(self, link):
        source = link.source
        source.capabilities.put_array(False, Data.SYMBOL)
        source.capabilities.enter()
        for capability in self.capabilities:
            source.capabilities.put_symbol(symbol(capability))
        source.capabilities.exit()
        if self.durable:
            source.durability = Terminus.DELIVERIES
            source.expiry_policy = Terminus.EXPIRE_NEVER
        if self.selector is not None:
            source.filter.put_object({symbol("jms-selector"): Described(ulong(0x468C00000004), self.selector)})


class Rollback(MessagingHandler, TransactionHandler):
    """A transacted session: takes a message of a durable subscription, answers to `q`, and rolls both back."""

    def __init__(self, port, rolled_back):
        super().__init__(prefetch=0, auto_accept=False)
        self.port, self.rolled_back, self.told = port, rolled_back, []

    def on_start(self, event):
        event.container.container_id = "shop"
        connection = event.container.connect(f"amqp://127.0.0.1:{self.port}", allowed_mechs="ANONYMOUS",
                                             reconnect=False)
        self.limit = event.container.schedule(wire.TIMEOUT, self)
        self.receiver = event.container.create_receiver(connection, "t", name="prices",
                                                        options=Consumer("topic", durable=True))
        # It goes with its consumer.
        event.container.create_receiver(connection, "t", name="other", options=Consumer("topic"))
        self.sender = event.container.create_sender(connection, "q")
        event.container.declare_transaction(connection, handler=self, settle_before_discharge=True)

    def on_transaction_declared(self, event):
        self.transaction = event.transaction
        self.receiver.flow(1)

    def on_message(self, event):
        self.transaction.accept(event.delivery)
        self.transaction.send(self.sender, Message(body=b"answer", inferred=True))
        self.transaction.abort()

    def on_transaction_aborted(self, event):
        self.told.append("aborted")
        self.limit.cancel()
        self.rolled_back(event)

    def on_timer_task(self, event):
        self.told.append("too late")
        event.container.stop()

    def on_transport_error(self, event):
        self.limit.cancel()


class Poisoned(MessagingHandler, TransactionHandler):
    """A transacted session that takes the message of `poison` and rolls it back, so many times."""

    def __init__(self, port, times):
        super().__init__(prefetch=0, auto_accept=False)
        self.port, self.times, self.counts, self.told = port, times, [], []

    def on_start(self, event):
        self.container = event.container
        self.connection = self.container.connect(f"amqp://127.0.0.1:{self.port}", allowed_mechs="ANONYMOUS",
                                                 reconnect=False)
        self.limit = self.container.schedule(wire.TIMEOUT, self)
        self.receiver = self.container.create_receiver(self.connection, "poison", options=Consumer("queue"))
        self.declare()

    def declare(self):
        self.container.declare_transaction(self.connection, handler=self, settle_before_discharge=True)

    def on_transaction_declared(self, event):
        self.transaction = event.transaction
        self.receiver.flow(1)

    def on_message(self, event):
        self.counts.append(event.message.delivery_count)
        self.transaction.accept(event.delivery)
        self.transaction.abort()

    def on_transaction_aborted(self, event):
        if len(self.counts) < self.times:
            self.declare()
        else:
            self.end("aborted")

    def on_timer_task(self, event):
        self.end("too late")

    def end(self, told):
        self.told.append(told)
        self.limit.cancel()
        self.connection.close()


class Jms(served.ServedTest):

    def begin(self):
        daemon = self.serve(flags=("--jms",))
        if not getattr(self, "is_made", False):
            self.client.create("q")
            self.client.topics.create("t")
            self.is_made = True
        return daemon

    def subscriptions(self):
        listed = self.client.topics.list_subscriptions("t").subscriptions
        return sorted(each.name for each in listed)

    def queues(self):
        return queues_of(self.client)

    def dial_as(self, client_id):
        return self.dial(container=container_of(client_id))

    def consume(self, connection, name, *capabilities, credit=10, **options):
        return connection.create_receiver("t", name=name, credit=credit, options=Consumer(*capabilities, **options))

    def test_what_qpid_jms_says(self):
        self.begin()
        self.tell("jms_story.mjs", str(self.port), "anybody", "any", steps=STEPS)
        daemon_test.wait_for(lambda: self.assertEqual(self.subscriptions(), ["board$$D"]), AssertionError)

    def test_proton_browses(self):  # JMS-8
        self.begin()
        for body in (b"one", b"two"):
            self.client.send("q", body)
        browser = self.dial().create_receiver("q", name="b", credit=10, options=Copy())
        self.assertEqual([browser.receive(timeout=wire.TIMEOUT).body for _ in range(2)], [b"one", b"two"])
        self.assertEqual(sorted(daemon_test.stored(self.client, "q").values()), [b"one", b"two"])

    def test_proton_has_a_queue_made_for_it(self):  # JMS-7
        self.begin()
        connection = self.dial()
        receiver = connection.create_receiver(None, dynamic=True, name="d", credit=1)
        address = receiver.link.remote_source.address
        self.client.send(address, b"answer")
        self.assertEqual(receiver.receive(timeout=wire.TIMEOUT).body, b"answer")
        connection.close()
        daemon_test.wait_for(lambda: self.assertNotIn(address, self.queues()),
                             AssertionError)

    def test_proton_subscribes_durably_with_a_selector(self):  # JMS-5, JMS-6
        self.begin()
        connection = self.dial_as("shop")
        receiver = self.consume(connection, "prices", "topic", durable=True, selector="price > 5")
        receiver.link.detach()
        connection.close()
        sender = self.dial().create_sender("t")
        for price in (3, 7):
            sender.send(Message(body=b"for %d" % price, inferred=True, properties={"price": price}))
        receiver = self.consume(self.dial_as("shop"), "prices", "topic", durable=True, selector="price > 5")
        self.assertEqual(receiver.receive(timeout=wire.TIMEOUT).body, b"for 7")
        self.assertEqual(self.subscriptions(), ["prices$shop$D"])
        # It is a subscription like any other, with a rule like any other.
        rule, = self.client.topics.list_rules("t", "prices$shop$D").rules
        self.assertEqual(rule.sql_filter.text, "[price] > 5")

    def test_what_a_selector_fails_for_is_not_selected_and_no_dead_letter(self):  # JMS-6
        self.begin()
        receiver = self.consume(self.dial_as("shop"), "parts", "topic", durable=True, selector="10 / share > 1")
        sender = self.dial().create_sender("t")
        for share in (0, 2):
            sender.send(Message(body=b"%d" % share, inferred=True, properties={"share": share}))
        self.assertEqual(receiver.receive(timeout=wire.TIMEOUT).body, b"2")
        runtime = self.client.topics.subscription_runtime("t", "parts$shop$D")
        self.assertEqual(runtime.dead_letter_message_count, 0)

    def test_a_kill_between_a_rollback_and_its_redelivery_loses_nothing(self):  # JMS-4, JMS-5
        daemon = self.begin()
        self.consume(self.dial_as("shop"), "prices", "topic", durable=True, credit=0).connection.close()
        self.client.send("t", b"price")

        rollback = Rollback(self.port, lambda event: daemon.kill())
        Container(rollback).run()
        self.assertEqual(rollback.told, ["aborted"])

        self.begin()
        self.assertEqual(daemon_test.stored(self.client, "q"), {})
        receiver = self.consume(self.dial_as("shop"), "prices", "topic", durable=True)
        message = receiver.receive(timeout=wire.TIMEOUT)
        # Rolled back, it has failed once.
        self.assertEqual((message.body, message.delivery_count), (b"price", 1))
        daemon_test.wait_for(lambda: self.assertEqual(self.subscriptions(), ["prices$shop$D"]), AssertionError)

    def test_what_is_rolled_back_again_and_again_is_a_dead_letter_in_the_end(self):  # MAX-2, TXN-12
        self.begin()
        self.client.create("poison", max_delivery_count=3)
        self.client.send("poison", b"poison")

        poisoned = Poisoned(self.port, times=3)
        Container(poisoned).run()

        self.assertEqual((poisoned.counts, poisoned.told), ([0, 1, 2], ["aborted"]))
        self.assertEqual(daemon_test.stored(self.client, "poison"), {})
        self.assertEqual(self.client.runtime("poison").dead_letter_message_count, 1)

    def test_a_kill_leaves_nothing_that_was_temporary(self):  # JMS-4, JMS-7
        daemon = self.begin()
        connection = self.dial()
        connection.create_receiver(None, dynamic=True, name="d")
        self.consume(connection, "news", "topic")
        self.assertEqual((len(self.subscriptions()), len(self.queues())), (1, 2))

        daemon.kill()
        self.begin()

        daemon_test.wait_for(
            lambda: self.assertEqual((self.subscriptions(), self.queues()), ([], ["q"])),
            AssertionError)

    def test_without_the_setting_nothing_of_it_is_there(self):
        self.serve()
        self.client.create("q")
        self.client.topics.create("t")
        self.client.send("q", b"one")
        connection = self.dial()
        for options in ({"address": None, "dynamic": True}, {"address": "t", "options": Consumer("topic")},
                        # A browser: what it was shown would be gone, or locked.
                        {"address": "q", "options": Copy()}, {"address": "q", "options": [Copy(), AtMostOnce()]}):
            with self.subTest(options=options), self.assertRaises(LinkDetached):
                connection.create_receiver(name="r", credit=1, **options)
        self.assertEqual(self.client.runtime("q").active_message_count, 1)
        self.assertEqual(list(self.client.list_locks("q").locks), [])


class JmsCluster(served.ServedTest, cluster_nodes.ClusterTest):

    def test_another_leader_removes_what_the_last_one_left(self):  # JMS-4, JMS-7
        leader = test_failover.start_three(self, flags=("--jms",))
        leader.client.topics.create("t")
        connection = self.dial(served.amqp_port(leader.daemon), container=container_of("shop"))
        connection.create_receiver("t", name="news", credit=10, options=Consumer("topic"))
        connection.create_receiver("t", name="prices", credit=10, options=Consumer("topic", durable=True))
        connection.create_receiver(None, dynamic=True, name="d")
        self.assertEqual(len(leader.client.topics.list_subscriptions("t").subscriptions), 2)

        leader.daemon.kill()

        rest = [node for node in self.nodes if node is not leader]
        leads = self.leader_of(rest)

        def look():
            left = leads.client.topics.list_subscriptions("t").subscriptions
            self.assertEqual([each.name for each in left], ["prices$shop$D"])
            self.assertEqual(queues_of(leads.client), [])

        daemon_test.wait_for(look, (AssertionError, grpc.RpcError))


if __name__ == "__main__":
    unittest.main()
