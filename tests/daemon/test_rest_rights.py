"""Who may do what over HTTP: every call of the data plane and of management, as everybody."""

import collections
import unittest

import access_calls
import atom_client
from access_calls import make_token
from rest_client import RestAccessTest

QUEUE, TOPIC, SUBSCRIPTION = "q", "T/News", "T/News/Subscriptions/me"
RIGHTS = "Send", "Listen", "Manage"
LOCK = "00000000-0000-0000-0000-000000000001"
BATCH = {"Content-Type": "application/vnd.microsoft.servicebus.json"}
UPDATE = {"If-Match": "*"}
RULE = ('<Filter i:type="TrueFilter"><SqlExpression>1=1</SqlExpression></Filter><Action i:type="EmptyRuleAction"/>'
        "<Name>r</Name>")

# Of each: what it asks of the broker, by the name that the table of rights has for it (broker/requests/need.h); what it
# is about, which is under the rules of the queue, the topic or of nothing but the namespace; and with what it may be
# answered to who has the right. What destroys names what is not there: a right is looked at before that is seen.
Call = collections.namedtuple("Call", "request rules method path statuses body headers", defaults=("", {}))
MADE = 201, 409


def calls_on(entity, rules):
    """Of messages; a lock is nobody's."""
    lock = f"{entity}/messages/1/{LOCK}"
    return {
        f"peek-lock on {entity}": Call(
            "ReceiveRequest", rules, "POST", f"{entity}/messages/head?timeout=0", (201, 204)),
        f"receive and delete on {entity}": Call(
            "ReceiveRequest", rules, "DELETE", f"{entity}/messages/head?timeout=0", (200, 204)),
        f"complete on {entity}": Call("SettleRequest", rules, "DELETE", lock, (404,)),
        f"unlock on {entity}": Call("SettleRequest", rules, "PUT", lock, (404,)),
        f"renew on {entity}": Call("RenewLockRequest", rules, "POST", lock, (404,))}


def sends_to(entity):
    return {
        f"send to {entity}": Call("SendRequest", entity, "POST", f"{entity}/messages", (201,), "x"),
        f"send a batch to {entity}": Call("SendRequest", entity, "POST", f"{entity}/messages", (201,),
                                          '[{"Body": "x"}]', BATCH)}


def management_of(entity, kind):
    return {
        f"create below {entity}": Call("CreateEntityRequest", entity, "PUT", f"{entity}/made", MADE,
                                       atom_client.entry(kind=kind)),
        f"update {entity}": Call("UpdateEntityRequest", entity, "PUT", entity, (200,),
                                 atom_client.entry(kind=kind), UPDATE),
        f"get {entity}": Call("GetEntityRequest", entity, "GET", f"{entity}?enrich=True", (200,)),
        f"delete below {entity}": Call("DeleteEntityRequest", entity, "DELETE", f"{entity}/none", (404,))}


CALLS = {
    **sends_to(QUEUE), **sends_to(TOPIC),
    **calls_on(QUEUE, QUEUE), **calls_on(f"{QUEUE}/$DeadLetterQueue", QUEUE),
    **calls_on(SUBSCRIPTION, TOPIC), **calls_on(f"{SUBSCRIPTION}/$DeadLetterQueue", TOPIC),
    **management_of(QUEUE, atom_client.QUEUE), **management_of(TOPIC, atom_client.TOPIC),
    "create a subscription": Call("CreateEntityRequest", TOPIC, "PUT", f"{TOPIC}/Subscriptions/made", MADE,
                                  atom_client.entry(kind=atom_client.SUBSCRIPTION)),
    "update a subscription": Call("UpdateEntityRequest", TOPIC, "PUT", SUBSCRIPTION, (200,),
                                  atom_client.entry(kind=atom_client.SUBSCRIPTION), UPDATE),
    "get a subscription": Call("GetEntityRequest", TOPIC, "GET", SUBSCRIPTION, (200,)),
    "delete a subscription": Call("DeleteEntityRequest", TOPIC, "DELETE", f"{TOPIC}/Subscriptions/none", (404,)),
    "list subscriptions": Call("ListSubscriptionsRequest", TOPIC, "GET", f"{TOPIC}/Subscriptions?$top=9", (200,)),
    "add a rule": Call("AddRuleRequest", TOPIC, "PUT", f"{SUBSCRIPTION}/Rules/made", MADE,
                       atom_client.entry(RULE, "RuleDescription")),
    "update a rule": Call("UpdateRuleRequest", TOPIC, "PUT", f"{SUBSCRIPTION}/Rules/$Default", (200,),
                          atom_client.entry(RULE, "RuleDescription"), UPDATE),
    "get a rule": Call("GetRuleRequest", TOPIC, "GET", f"{SUBSCRIPTION}/Rules/$Default", (200,)),
    "delete a rule": Call("RemoveRuleRequest", TOPIC, "DELETE", f"{SUBSCRIPTION}/Rules/none", (404,)),
    "list rules": Call("ListRulesRequest", TOPIC, "GET", f"{SUBSCRIPTION}/Rules", (200,)),
    "list queues": Call("ListEntitiesRequest", "", "GET", "$Resources/Queues", (200,)),
    "list topics": Call("ListEntitiesRequest", "", "GET", "$Resources/Topics?$top=1", (200,)),
    "tell of the namespace": Call("GetNamespaceRequest", "", "GET", "$namespaceinfo", (200,)),
}


class MatrixTest(RestAccessTest):
    """Made from the broker's own table of rights."""

    def setUp(self):
        super().setUp()
        self.root.topics.create(TOPIC)
        self.root.topics.create_subscription(TOPIC, "me")
        for name in ("other", f"{QUEUE}/messages"):
            self.root.create(name)
        self.keys = {path: {right: self.root.make_rule(path, f"may{right}", right).primary_key for right in RIGHTS}
                     for path in ("", QUEUE, TOPIC, "other", f"{QUEUE}/messages")}
        self.needs = access_calls.needs()

    def token_of(self, rules, right, uri, **options):
        return make_token(uri, f"may{right}", self.keys[rules][right], **options)

    def spellings(self, call, rules, right):
        """Tokens of a rule that are for what is asked, as SDKs write them."""
        at, path = f"http://127.0.0.1:{self.port}", rules
        yield "as it is", self.token_of(rules, right, f"{at}/{path}")
        yield "of another scheme and host", self.token_of(rules, right, f"sb://ns.example.org/{path}/")
        yield "in lower case", self.token_of(rules, right, f"{at}/{path}".lower(), folded=True)
        yield "for the request, with port and query inside", self.token_of(rules, right, self.uri_of(call), folded=True)

    @staticmethod
    def uri_of(call):
        query = "&api-version=2016-07" if "?" in call.path else "?timeout=3&api-version=2016-07"
        return f"https://127.0.0.1:443/{call.path}{query}"

    def worthless(self, call):
        """Who asks with what proves nothing, or proves it of something else."""
        yield "nobody", None
        yield "another scheme", "Bearer abc"
        entity = call.rules or QUEUE
        here = f"http://127.0.0.1:{self.port}/{call.path}"
        for right in RIGHTS:
            own = self.keys[entity][right]
            yield f"{right}, lapsed", self.token_of(entity, right, f"sb://host/{entity}", lifetime=-1)
            yield f"{right}, lapsed, of the namespace", self.token_of("", right, "sb://host/", lifetime=-1)
            yield f"{right}, forged", make_token(here, f"may{right}", "k" * 44)
            yield f"{right}, forged as of the namespace", make_token("sb://host/", f"may{right}", own)
            yield f"{right}, changed", self.token_of(entity, right, here).replace("sig=", "sig=A")
            yield f"{right}, for another path", self.token_of(entity, right, "sb://host/other")
            yield f"{right}, of the namespace, for another path", self.token_of("", right, "sb://host/other")
            yield f"{right}, of another entity", self.token_of("other", right, "sb://host/other")
            yield f"{right}, of another entity, for this one", self.token_of("other", right, self.uri_of(call))
            yield f"{right}, of an entity called as the request", self.token_of(f"{QUEUE}/messages", right,
                                                                             f"sb://host/{QUEUE}/messages")

    def answer(self, call, token):
        headers = {**call.headers, **({"Authorization": token} if token else {})}
        return self.ask(call.method, f"/{call.path}", call.body.encode(), headers)

    def assert_answered(self, is_allowed, call, token):
        answer = self.answer(call, token)
        if is_allowed:
            self.assertIn(answer.status, call.statuses, answer.body)
        else:
            self.assert_refused(401, "SubCode=40100", answer)

    def test_everything_asked_as_everybody(self):  # SEC-4, SEC-5, SEC-20, SEC-21, SEC-22, SEC-23, SEC-24
        for name, call in CALLS.items():
            on, _ = self.needs[call.request]
            self.assertEqual(on == "namespace", call.rules == "", name)
            for who, token in self.worthless(call):
                with self.subTest(call=name, who=who):
                    self.assert_answered(False, call, token)
        self.assert_nothing_is_done()
        for name, call in CALLS.items():
            _, needed = self.needs[call.request]
            for rules in {"", call.rules}:
                for right in RIGHTS:
                    is_allowed = right in (needed, "Manage")
                    for how, token in self.spellings(call, rules, right):
                        with self.subTest(call=name, who=f"who may {right} on '{rules}'", token=how):
                            self.assert_answered(is_allowed, call, token)
            if not call.rules:
                for right in RIGHTS:
                    with self.subTest(call=name, who=f"who may {right} on an entity"):
                        self.assert_answered(False, call, self.token_of(QUEUE, right, f"sb://host/{QUEUE}"))

        kinds = {row.kind for row in self.root.statistics().http.requests}
        self.assertEqual(kinds, {"send", "peek-lock", "receive-and-delete", "complete", "unlock", "renew", "management",
                                 "refused"})

    def assert_nothing_is_done(self):
        self.assertEqual(self.root.runtime(QUEUE).total_message_count, 0)
        self.assertEqual({row.status[0] for row in self.root.statistics().http.requests}, {"4"})


if __name__ == "__main__":
    unittest.main()
