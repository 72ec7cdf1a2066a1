"""The rights of rules over AMQP (SEC-20 to SEC-25): each thing that a link can ask for, as everybody."""

import functools
import itertools
import pathlib
import re
import unittest
import uuid

import access_calls
import daemon_test
import served
import wire
from proton import Data, Message, Terminus, symbol, timestamp
from proton.reactor import Container, Copy, LinkOption
from proton.utils import LinkDetached, SendException

REFUSED = "amqp:unauthorized-access"
MISSING = "amqp:not-found"
SUBSCRIPTION = "t/Subscriptions/s"
FAR = 4_000_000_000_000


def scheduled():
    return Message(body=b"x", inferred=True, id="i", annotations={
        symbol("x-opt-scheduled-enqueue-time"): timestamp(FAR)}).encode()


# Of what is asked of `$management`: the entity, the right that it takes, and a request that does no harm.
OPERATIONS = {
    "peek-message": ("q", "Listen", {"from-sequence-number": 0, "message-count": 1}),
    "renew-lock": ("q", "Listen", {"lock-tokens": [uuid.UUID(int=5)]}),
    "update-disposition": ("q", "Listen", {"lock-tokens": [uuid.UUID(int=5)], "disposition-status": "completed"}),
    "receive-by-sequence-number": ("q", "Listen", {"sequence-numbers": [1_000_000], "receiver-settle-mode": 1}),
    "batch-delete-messages": ("q", "Listen", {"message-count": 1, "enqueued-time-utc": timestamp(0)}),
    "get-message-sessions": ("q", "Listen", {"skip": 0, "top": 1}),
    "schedule-message": ("q", "Send", {"messages": [{"message": scheduled(), "message-id": "i"}]}),
    "cancel-scheduled-message": ("q", "Send", {"sequence-numbers": [1_000_000]}),
    "add-rule": (SUBSCRIPTION, "Manage", {"rule-name": "r", "rule-description": {"sql-filter": {"expression": "1=1"}}}),
    "remove-rule": (SUBSCRIPTION, "Manage", {"rule-name": "none"}),
    "enumerate-rules": (SUBSCRIPTION, "Listen", {"skip": 0, "top": 1}),
}
# Of links: the entity, the right, and whether it sends.
LINKS = {
    "sends": ("q", "Send", True),
    "publishes": ("t", "Send", True),
    "receives": ("q", "Listen", False),
    "receives dead letters": ("q/$DeadLetterQueue", "Listen", False),
    "receives from a subscription": (SUBSCRIPTION, "Listen", False),
}
RIGHTS = ("Send", "Listen", "Manage")


class Via(LinkOption):
    """What is sent goes on to `other`."""

    def apply(self, link):
        link.properties = {symbol("com.microsoft:transfer-destination-address"): "other"}


class RightsTest(served.ServedTest):
    FLAGS = ("--access=on",)

    def setUp(self):
        super().setUp()
        self.daemon = self.serve(flags=self.FLAGS)
        root = access_calls.connection_of(pathlib.Path(self.data, "root-connection-string").read_text())
        self.root = root["SharedAccessKeyName"], root["SharedAccessKey"]
        self.rules = access_calls.AccessClient(self.client.address,
                                               access_calls.make_token("sb://localhost/", *self.root))
        self.addCleanup(self.rules.close)
        self.rules.create("q")
        self.rules.create("other")
        self.rules.topics.create("t")
        self.rules.topics.create_subscription("t", "s")
        self.keys = {(path, right): self.rules.make_rule(path, right, right).primary_key
                     for path in ("q", "t", "other") for right in RIGHTS}
        self.names = itertools.count()

    def as_rule(self, path, right):
        return self.dial(mechanism="PLAIN", user=right, key=self.keys[path, right])

    def put_token(self, connection, path, token):
        """The status number of the answer."""
        receiver = connection.create_receiver("$cbs", name="cbs", credit=1)
        connection.create_sender("$cbs", name="cbs-asks").send(Message(body=token, reply_to="cbs", id=1, properties={
            "operation": "put-token", "type": "servicebus.windows.net:sastoken", "name": f"sb://127.0.0.1/{path}"}))
        return receiver.receive(timeout=wire.TIMEOUT).properties["status-code"]

    def with_token(self, path, right, key=None, lifetime=3600):
        connection = self.dial()
        token = access_calls.make_token(f"sb://127.0.0.1/{path}", right, key or self.keys[path, right], lifetime)
        self.assertEqual(self.put_token(connection, path, token), 401 if key or lifetime < 0 else 202)
        return connection

    def everybody(self, path):
        """Of each caller a connection, and its rights on the entity."""
        return {
            **{right: (self.as_rule(path, right), RIGHTS if right == "Manage" else (right,)) for right in RIGHTS},
            "by a token": (self.with_token(path, "Listen"), ("Listen",)),
            "nobody": (self.dial(), ()),
            "elsewhere": (self.as_rule("other", "Manage"), ()),
            "with a wrong key": (self.dial(mechanism="PLAIN", user="Manage", key="wrong"), ()),
            "with an expired token": (self.with_token(path, "Manage", lifetime=-10), ()),
            "with a forged token": (self.with_token(path, "Manage", key="forged"), ()),
        }

    def attach(self, connection, address, sends, options=None):
        """What it was refused with, or None; and the link."""
        name = f"link {next(self.names)}"
        try:
            if sends:
                return None, connection.create_sender(address, name=name, options=options)
            return None, connection.create_receiver(address, name=name, credit=0)
        except LinkDetached as refused:
            return refused.condition, None

    def as_root(self, **options):
        return self.dial(mechanism="PLAIN", user=self.root[0], key=self.root[1], **options)


class RefusalTest(RightsTest):

    def assert_logged(self, connect, line, counter):
        """And counted; it asks until the log says so, which has a line a second: each time on a connection of its own,
        for who has proven nothing may not ask for long."""
        before, asked = getattr(self.rules.statistics(), counter), []

        def ask():
            connection = connect()
            asked.append(self.attach(connection, "q", True))
            connection.close()
            self.assertEqual(asked[-1][0], REFUSED)
            pattern = rf"warning refused a call from .*127\.0\.0\.1:\d+ {line} \(tracking id [0-9a-f-]{{36}}\)"
            if not any(re.search(pattern, said) for said in self.daemon.log):
                raise LookupError(self.daemon.log)
        daemon_test.wait_for(ask, LookupError)
        self.assertEqual(getattr(self.rules.statistics(), counter), before + len(asked))

    def test_refusals_are_counted_and_logged_with_the_name_of_the_key(self):
        for user, key in (("Manage", "not-the-key"), ("nobody", "not-the-key")):
            self.assert_logged(functools.partial(self.dial, mechanism="PLAIN", user=user, key=key),
                               f"that claims the rule '{user}': there is no rule of that name for this, or this is no "
                               "key of it", "unauthorized_count")
        for prove in (self.as_rule, self.with_token):
            self.assert_logged(functools.partial(prove, "q", "Listen"),
                               "with rule q#[Ll]isten: the token gives no right to Send on 'q'", "forbidden_count")
        self.assertNotIn("not-the-key", "".join(self.daemon.log))


class Rights(RightsTest):

    def ask(self, connection, path, operation, body):
        """What it was refused with, or None: whatever else became of it."""
        refused, sender = self.attach(connection, f"{path}/$management", True)
        if refused:
            return refused
        receiver = connection.create_receiver(f"{path}/$management", name=f"link {next(self.names)}", credit=1)
        sender.send(Message(id=1, reply_to=receiver.link.name, body=body,
                            properties={"operation": f"com.microsoft:{operation}"}))
        answer = receiver.receive(timeout=wire.TIMEOUT)
        sender.close()
        receiver.close()
        return answer.properties["errorCondition"] if answer.properties["statusCode"] == 401 else None

    def test_each_link_takes_its_right(self):
        for entity in ("q", "t"):
            for who, (connection, rights) in self.everybody(entity).items():
                for what, (address, right, sends) in LINKS.items():
                    if address.split("/")[0] != entity:
                        continue
                    with self.subTest(who=who, what=what):
                        refused, link = self.attach(connection, address, sends)
                        self.assertEqual(refused, None if right in rights else REFUSED)
                        if link is not None:
                            link.close()

    def test_each_operation_takes_its_right(self):  # BDL-9
        for entity in ("q", "t"):
            for who, (connection, rights) in self.everybody(entity).items():
                for operation, (path, right, body) in OPERATIONS.items():
                    if path.split("/")[0] != entity:
                        continue
                    with self.subTest(who=who, operation=operation):
                        self.assertEqual(self.ask(connection, path, operation, body),
                                         None if right in rights else REFUSED)

    def test_who_sends_by_way_of_an_entity_may_send_to_both(self):
        for who, wanted in (("q", REFUSED), ("other", REFUSED), (None, None)):
            with self.subTest(who=who):
                connection = self.as_rule(who, "Send") if who else self.as_root()
                self.assertEqual(self.attach(connection, "q", True, Via())[0], wanted)


class Topic(LinkOption):
    """A JMS consumer of a topic; durable ones have the name of the link."""

    def __init__(self, durable):
        self.durable = durable

    def apply(self, link):
        link.source.capabilities.put_array(False, Data.SYMBOL)
        link.source.capabilities.enter()
        link.source.capabilities.put_symbol(symbol("topic"))
        link.source.capabilities.exit()
        if self.durable:
            link.source.durability = Terminus.DELIVERIES
            link.source.expiry_policy = Terminus.EXPIRE_NEVER


class NoSource(LinkOption):
    """Of a link that unsubscribes: Proton writes no source that says nothing."""

    def apply(self, link):
        link.source.type = Terminus.UNSPECIFIED


class JmsRights(RightsTest):
    """What JMS makes takes Manage, what it uses Listen, and each message Send where it goes."""
    FLAGS = ("--access=on", "--jms")

    def as_client(self, path, right, client_id="shop"):
        container = Container()
        container.container_id = client_id
        if path is None:
            return self.as_root(container=container)
        return self.dial(mechanism="PLAIN", user=right, key=self.keys[path, right], container=container)

    def consume(self, connection, durable, name="prices"):
        try:
            connection.create_receiver("t", name=name, credit=0, options=Topic(durable)).link.detach()
        except LinkDetached as refused:
            return refused.condition
        return None

    def test_a_subscription_is_made_by_who_manages_and_used_by_who_listens(self):
        for durable in (False, True):
            for path, right, wanted in (("t", "Send", REFUSED), ("t", "Listen", REFUSED), ("other", "Manage", REFUSED),
                                        ("t", "Manage", None)):
                with self.subTest(durable=durable, path=path, right=right):
                    connection = self.as_client(path, right)
                    self.assertEqual(self.consume(connection, durable), wanted)
                    connection.close()
        # It is there now.
        for right, wanted in (("Send", REFUSED), ("Listen", None)):
            with self.subTest(right=right):
                connection = self.as_client("t", right)
                self.assertEqual(self.consume(connection, True), wanted)
                connection.close()
        # To unsubscribe is to manage it; who may not is not told that it is there.
        for path, right, wanted in (("t", "Listen", MISSING), ("other", "Manage", MISSING), ("t", "Manage", None)):
            with self.subTest(unsubscribes=(path, right)):
                connection = self.as_client(path, right)
                try:
                    connection.create_receiver(None, name="prices", credit=0, options=NoSource()).close()
                    refused = None
                except LinkDetached as detached:
                    refused = detached.condition
                self.assertEqual(refused, wanted)
                connection.close()
        self.assertEqual([each.name for each in self.rules.topics.list_subscriptions("t").subscriptions], ["s"])

    def test_a_temporary_queue_takes_manage_on_everything(self):
        for path, right, wanted in (("q", "Manage", REFUSED), ("t", "Listen", REFUSED), (None, None, None)):
            with self.subTest(path=path, right=right):
                try:
                    self.as_client(path, right, str(path)).create_receiver(None, dynamic=True, name="d", credit=0)
                    refused = None
                except LinkDetached as detached:
                    refused = detached.condition
                self.assertEqual(refused, wanted)

    def test_a_message_without_a_link_takes_send_where_it_goes(self):
        for path, right, to, wanted in (("q", "Send", "q", None), ("q", "Send", "other", REFUSED),
                                        ("q", "Listen", "q", REFUSED), ("q", "Manage", "q", None)):
            with self.subTest(path=path, right=right, to=to):
                sender = self.as_client(path, right, f"{right} {to}").create_sender(None, name="relay")
                try:
                    sender.send(Message(address=to, body=b"x", inferred=True, id="i"))
                    refused = None
                except SendException:
                    refused = REFUSED
                self.assertEqual(refused, wanted)

    def test_a_browser_listens(self):
        for right, wanted in (("Send", REFUSED), ("Listen", None)):
            with self.subTest(right=right):
                self.assertEqual(self.attach(self.as_client("q", right, right), "q", False, Copy())[0], wanted)


if __name__ == "__main__":
    unittest.main()
