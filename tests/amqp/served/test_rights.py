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
from test_sessions import OfSession
from proton import Data, Delivery, Endpoint, Message, Terminus, symbol, timestamp
from proton.reactor import Container, Copy, LinkOption
from proton.utils import LinkDetached, SendException

REFUSED = "amqp:unauthorized-access"
MISSING = "amqp:not-found"
SUBSCRIPTION = "t/Subscriptions/s"
DEAD_LETTERS = "/$DeadLetterQueue"
FAR = 4_000_000_000_000


def scheduled():
    return Message(body=b"x", inferred=True, id="i", annotations={
        symbol("x-opt-scheduled-enqueue-time"): timestamp(FAR)}).encode()


# Of what is asked of `$management`: the entities, the right that it takes, and a request that does no harm.
QUEUES = ("q", f"q{DEAD_LETTERS}", SUBSCRIPTION, f"{SUBSCRIPTION}{DEAD_LETTERS}")
OPERATIONS = {
    "peek-message": (QUEUES, "Listen", {"from-sequence-number": 0, "message-count": 1}),
    "renew-lock": (QUEUES, "Listen", {"lock-tokens": [uuid.UUID(int=5)]}),
    "update-disposition": (QUEUES, "Listen", {"lock-tokens": [uuid.UUID(int=5)], "disposition-status": "completed"}),
    "receive-by-sequence-number": (QUEUES, "Listen", {"sequence-numbers": [1_000_000], "receiver-settle-mode": 1}),
    "batch-delete-messages": (QUEUES, "Listen", {"message-count": 1, "enqueued-time-utc": timestamp(0)}),
    "get-message-sessions": (("q", "letters"), "Listen", {"skip": 0, "top": 1}),
    "schedule-message": (("q", "t"), "Send", {"messages": [{"message": scheduled(), "message-id": "i"}]}),
    "cancel-scheduled-message": (("q", "t"), "Send", {"sequence-numbers": [1_000_000]}),
    "add-rule": ((SUBSCRIPTION,), "Manage", {
        "rule-name": "r", "rule-description": {"sql-filter": {"expression": "1=1"}}}),
    "remove-rule": ((SUBSCRIPTION,), "Manage", {"rule-name": "none"}),
    "enumerate-rules": ((SUBSCRIPTION,), "Listen", {"skip": 0, "top": 1}),
}
# Of who holds the session.
SESSION_OPERATIONS = {
    "renew-session-lock": {"session-id": "s"},
    "set-session-state": {"session-id": "s", "session-state": b"x"},
    "get-session-state": {"session-id": "s"},
}
# Of links: the entity, the right, whether it sends, and what else it asks for.
LINKS = {
    "sends": ("q", "Send", True, None),
    "publishes": ("t", "Send", True, None),
    "receives": ("q", "Listen", False, None),
    "receives dead letters": (f"q{DEAD_LETTERS}", "Listen", False, None),
    "receives from a subscription": (SUBSCRIPTION, "Listen", False, None),
    "holds a session": ("letters", "Listen", False, OfSession("another")),
}
ENTITIES = ("q", "t", "letters")
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
        self.rules.create("letters", requires_session=True)
        self.rules.topics.create("t")
        self.rules.topics.create_subscription("t", "s")
        self.keys = {(path, right): self.rules.make_rule(path, right, right).primary_key
                     for path in (*ENTITIES, "other") for right in RIGHTS}
        self.names = itertools.count()

    def as_rule(self, path, right):
        return self.dial(mechanism="PLAIN", user=right, key=self.keys[path, right])

    def put_token(self, connection, path, token):
        """The status number of the answer."""
        receiver = connection.create_receiver("$cbs", name="cbs", credit=1)
        sender = connection.create_sender("$cbs", name="cbs-asks")
        sender.send(Message(body=token, reply_to="cbs", id=1, properties={
            "operation": "put-token", "type": "servicebus.windows.net:sastoken", "name": f"sb://127.0.0.1/{path}"}))
        status = receiver.receive(timeout=wire.TIMEOUT).properties["status-code"]
        sender.close()
        receiver.close()
        return status

    def with_token(self, path, right, key=None, lifetime=3600, audience=None):
        connection = self.dial()
        token = access_calls.make_token(f"sb://127.0.0.1/{path}", right, key or self.keys[path, right], lifetime)
        is_good = not key and lifetime > 0 and audience in (None, path)
        self.assertEqual(self.put_token(connection, audience or path, token), 202 if is_good else 401)
        return connection

    def everybody(self, path):
        """Of each caller its name, a connection until the next one's turn, and its rights on the entity."""
        callers = {
            **{right: functools.partial(self.as_rule, path, right) for right in RIGHTS},
            **{f"{right} by a token": functools.partial(self.with_token, path, right) for right in RIGHTS},
            "nobody": self.dial,
            "elsewhere": functools.partial(self.as_rule, "other", "Manage"),
            "elsewhere by a token": functools.partial(self.with_token, "other", "Manage"),
            "with a token of another": functools.partial(self.with_token, "other", "Manage", audience=path),
            "with a wrong key": functools.partial(self.dial, mechanism="PLAIN", user="Manage", key="wrong"),
            "with an expired token": functools.partial(self.with_token, path, "Manage", lifetime=-10),
            "with a forged token": functools.partial(self.with_token, path, "Manage", key="forged"),
        }
        for who, connect in callers.items():
            right = who.removesuffix(" by a token")
            connection = connect()
            yield who, connection, RIGHTS if right == "Manage" else (right,) if right in RIGHTS else ()
            connection.close()

    def attach(self, connection, address, sends, options=None):
        """What it was refused with, or None; and the link."""
        name = f"link {next(self.names)}"
        try:
            if sends:
                return None, connection.create_sender(address, name=name, options=options)
            return None, connection.create_receiver(address, name=name, credit=0, options=options)
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
        self.answer = receiver.receive(timeout=wire.TIMEOUT).properties
        sender.close()
        receiver.close()
        return self.answer["errorCondition"] if self.answer["statusCode"] == 401 else None

    def assert_takes_rights(self, entity, who, connection, rights):
        for what, (address, right, sends, options) in LINKS.items():
            if address.split("/")[0] == entity:
                with self.subTest(who=who, what=what):
                    refused, link = self.attach(connection, address, sends, options)
                    self.assertEqual(refused, None if right in rights else REFUSED)
                    if link is not None:
                        link.close()
        for operation, (paths, right, body) in OPERATIONS.items():
            for path in paths:
                if path.split("/")[0] == entity:
                    with self.subTest(who=who, path=path, operation=operation):
                        self.assertEqual(self.ask(connection, path, operation, body),
                                         None if right in rights else REFUSED)

    def test_each_link_and_each_operation_takes_its_right(self):  # BDL-9
        for entity in ("q", "t"):
            for who, connection, rights in self.everybody(entity):
                self.assert_takes_rights(entity, who, connection, rights)

    def test_a_session_is_asked_for_by_who_holds_it(self):  # MGM-7, MGM-8, MGM-9
        def ask(connection, operation):
            refused = self.ask(connection, "letters", operation, SESSION_OPERATIONS[operation])
            return refused or self.answer["statusCode"]

        holder = self.dial(mechanism="PLAIN", user="Listen", key=self.keys["letters", "Listen"], heartbeat=None)
        holder.create_receiver("letters", name="holds", credit=0, options=OfSession("s"))
        for operation in SESSION_OPERATIONS:
            self.assertEqual(ask(holder, operation), 200, operation)
        for who, connection, rights in self.everybody("letters"):
            self.assert_takes_rights("letters", who, connection, rights)
            for operation in SESSION_OPERATIONS:
                with self.subTest(who=who, operation=operation):
                    self.assertEqual(ask(connection, operation), 410 if "Listen" in rights else REFUSED)
        self.assertEqual(ask(holder, "get-session-state"), 200)

    def test_who_sends_by_way_of_an_entity_may_send_to_both(self):
        for who, wanted in (("q", REFUSED), ("other", REFUSED), (None, None)):
            with self.subTest(who=who):
                connection = self.as_rule(who, "Send") if who else self.as_root()
                self.assertEqual(self.attach(connection, "q", True, Via())[0], wanted)


class ChangesTest(RightsTest):
    """What becomes of links that are open when the rule behind them changes (SEC-7)."""

    def setUp(self):
        super().setUp()
        self.rule = self.rules.make_rule("q", "mine", "Send", "Listen")

    def open_links(self):
        """Of each key and of each way to prove it a connection with a link that sends and one that receives."""
        found = {}
        for slot in ("primary", "secondary"):
            key = getattr(self.rule, f"{slot}_key")
            by_token = self.dial(heartbeat=None)
            token = access_calls.make_token("sb://127.0.0.1/q", "mine", key)
            self.assertEqual(self.put_token(by_token, "q", token), 202)
            by_key = self.dial(mechanism="PLAIN", user="mine", key=key, heartbeat=None)
            for how, connection in (("key", by_key), ("token", by_token)):
                receiver = connection.create_receiver("q", name="receives", credit=0)
                found[slot, how] = connection, connection.create_sender("q", name="sends"), receiver
        return found

    def assert_ended(self, connection, sender, receiver):
        """Both of its links, and no other one may be opened; the connection stays, for another proof."""
        conditions = []

        def has_ended():
            try:
                connection.wait(lambda: False, timeout=wire.TIMEOUT)
            except LinkDetached as ended:
                conditions.append(ended.condition)
            return len(conditions) == 2

        while not has_ended():
            pass
        self.assertEqual(conditions, [REFUSED, REFUSED])
        self.assertTrue(sender.link.state & receiver.link.state & Endpoint.REMOTE_CLOSED)
        self.assertEqual(self.attach(connection, "q", True)[0], REFUSED)

    def assert_goes_on(self, connection, sender, _):
        self.assertEqual(sender.send(Message(body=b"x", inferred=True)).remote_state, Delivery.ACCEPTED)
        self.assertEqual(self.attach(connection, "q", False)[0], None)

    def test_a_key_that_is_replaced_takes_its_links_along_and_no_others(self):
        links = self.open_links()
        fresh = self.rules.rotate("q", "mine")
        for how in ("key", "token"):
            with self.subTest(how=how):
                self.assert_ended(*links["primary", how])
                self.assert_goes_on(*links["secondary", how])
        for key, wanted in ((self.rule.primary_key, REFUSED), (fresh.primary_key, None)):
            connection = self.dial(mechanism="PLAIN", user="mine", key=key)
            self.assertEqual(self.attach(connection, "q", True)[0], wanted)
        # A new proof serves the connection whose links went.
        connection, _, _ = links["primary", "token"]
        self.assertEqual(self.put_token(connection, "q", access_calls.make_token(
            "sb://127.0.0.1/q", "mine", fresh.primary_key)), 202)
        self.assertEqual(self.attach(connection, "q", True)[0], None)

    def test_a_rule_that_is_removed_takes_its_links_along_and_no_others(self):
        links, other = self.open_links(), self.as_rule("q", "Manage")
        sender = other.create_sender("q", name="sends")
        self.rules.remove_rule("q", "mine")
        self.assert_goes_on(other, sender, None)
        for ended in links.values():
            self.assert_ended(*ended)


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
