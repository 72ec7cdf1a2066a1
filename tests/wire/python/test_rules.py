"""Rules: which subscription gets what, and why."""

import unittest

import grpc

import wire
from topic_calls import correlation, everything, path_of, sql
from wire import Value, topics_pb2

DEAD = "/$DeadLetterQueue"
NOT_FOUND = grpc.StatusCode.NOT_FOUND, "MessagingEntityNotFound"
EXISTS = grpc.StatusCode.ALREADY_EXISTS, "MessagingEntityAlreadyExists"
FILTER = grpc.StatusCode.INVALID_ARGUMENT, "FilterException"
ACTION = grpc.StatusCode.INVALID_ARGUMENT, "RuleActionException"
ARGUMENT = grpc.StatusCode.INVALID_ARGUMENT, "ArgumentError"
FULL = grpc.StatusCode.RESOURCE_EXHAUSTED, "QuotaExceeded"
MATCH, NO_MATCH = topics_pb2.FILTER_OUTCOME_MATCH, topics_pb2.FILTER_OUTCOME_NO_MATCH
UNKNOWN, ERROR = topics_pb2.FILTER_OUTCOME_UNKNOWN, topics_pb2.FILTER_OUTCOME_ERROR


def value_of(value):
    if isinstance(value, str):
        return Value(string_value=value)
    return Value(int64_value=value)


def with_properties(body=b"", **properties):
    return wire.Message(body=body, application_properties={name: value_of(value) for name, value in properties.items()})


def text(message, name):
    return message.message.application_properties[name].string_value


class RuleTest(wire.WireTest):

    def setUp(self):
        super().setUp()
        self.topics = self.client.topics
        self.topic = self.new_name()
        self.topics.create(self.topic)

    def subscribe(self, *rules, **properties):
        """A subscription with these rules; its path."""
        first, *others = rules
        path = self.topics.subscribe(self.topic, "s", first, **properties)
        for rule in others:
            self.topics.add_rule(self.topic, "s", rule)
        return path

    def took(self, path, *messages):
        """Sends messages; the bodies of those that have come in."""
        self.client.send(self.topic, *messages)
        received = self.client.receive(path, 250)
        if received:
            self.client.complete(path, *[message.lock_token for message in received])
        return wire.bodies(received)

    # What matches

    def test_sql_and_correlation_rules_select(self):  # RUL-4, COR-1, COR-3, COR-7, SQL-1
        red = self.topics.subscribe(self.topic, "red", sql("color = 'red' AND n > @least", least=value_of(2)))
        blue = self.topics.subscribe(self.topic, "blue", correlation(
            subject="urgent", application_properties={"Color": value_of("blue")}))
        nothing = self.topics.subscribe(self.topic, "nothing",
                                        topics_pb2.Rule(name="no", false_filter=topics_pb2.FalseFilter()))
        urgent = with_properties(b"c", color="blue")
        urgent.subject = "urgent"

        self.client.send(self.topic, with_properties(b"a", color="red", n=3), with_properties(b"b", color="red", n=2),
                         urgent, with_properties(b"d", color="blue"))

        self.assertEqual(wire.bodies(self.client.receive(red, 9)), [b"a"])
        self.assertEqual(wire.bodies(self.client.receive(blue, 9)), [b"c"])
        self.assertEqual(list(self.client.receive(nothing, 9)), [])

    def test_the_default_rule_takes_everything_until_it_is_removed(self):  # RUL-2, RUL-3, RUL-13
        path = self.topics.subscribe(self.topic, "s")
        self.topics.add_rule(self.topic, "s", sql("color = 'red'"))
        self.assertEqual(self.took(path, with_properties(b"a", color="red"), b"b"), [b"a", b"b"])

        self.topics.remove_rule(self.topic, "s", "$default")
        self.assertEqual(self.took(path, with_properties(b"a", color="red"), b"b"), [b"a"])

        self.topics.remove_rule(self.topic, "s", "RULE")
        self.assertEqual(self.took(path, with_properties(b"a", color="red"), b"b"), [])
        self.assertEqual(list(self.topics.list_rules(self.topic, "s").rules), [])

    def test_a_rule_is_as_it_was_given(self):  # RUL-10, RUL-15, RUL-16
        self.topics.subscribe(self.topic, "s")
        given = [sql("a = @x", "Sql", "SET b = @y", x=value_of(1)),
                 correlation("Correlation", correlation_id="c", message_id="m", to="t", reply_to="r", subject="s",
                             session_id="i", reply_to_session_id="j", content_type="k",
                             application_properties={"N": Value(int32_value=3)})]
        given[0].action.parameters["@y"].CopyFrom(Value(bool_value=True))

        for rule in given:
            added = self.topics.add_rule(self.topic, "s", rule)

            self.assertTrue(added.HasField("created_at"))
            self.assertEqual(self.topics.get_rule(self.topic, "s", rule.name.upper()), added)
            self.assertTrue(added.etag)
            added.ClearField("created_at")
            added.ClearField("etag")
            self.assertEqual(added, rule)
            self.assert_fails(*EXISTS, self.topics.add_rule, self.topic, "s", rule)
        self.assert_fails(*NOT_FOUND, self.topics.update_rule, self.topic, "s", sql("a = 1", "other"))
        self.assert_fails(*NOT_FOUND, self.topics.update_rule, self.topic, "other", given[0])
        for call in (self.topics.get_rule, self.topics.remove_rule):
            self.assert_fails(*NOT_FOUND, call, self.topic, "s", "other")
            self.assert_fails(*NOT_FOUND, call, self.topic, "other", "Sql")
            self.assert_fails(*NOT_FOUND, call, "wire-python/nobody", "s", "Sql")

    def test_a_rule_becomes_another_one(self):  # RUL-12, RUL-13
        path = self.topics.subscribe(self.topic, "s", sql("color = 'red'", "Rule", "SET seen = 1"))
        before = self.topics.get_rule(self.topic, "s", "Rule")

        changed = self.topics.update_rule(self.topic, "s", correlation("RULE", subject="blue"))

        self.assertEqual(changed, self.topics.get_rule(self.topic, "s", "rule"))
        self.assertEqual((changed.name, changed.created_at), ("Rule", before.created_at))
        self.assertFalse(changed.HasField("action"))
        self.assertEqual(changed.correlation_filter.subject, "blue")
        self.assertEqual(self.took(path, with_properties(b"a", color="red"),
                                   wire.Message(body=b"b", subject="blue")), [b"b"])
        self.assert_fails(*FILTER, self.topics.update_rule, self.topic, "s", sql("a ==", "Rule"))
        self.assertEqual(self.topics.get_rule(self.topic, "s", "rule"), changed)

    # Conformance

    def test_13_rules_with_actions_have_copies_of_their_own(self):  # RUL-4, RUL-5, RUL-6
        rules = [sql("n = 1", "plain-1"), everything("plain-2"), correlation("plain-3", subject="x"),
                 sql("n = 1", "loud", "SET n = 2; SET sys.Label = 'loud'"), everything("quiet", "REMOVE n")]
        path = self.subscribe(*rules)
        message = with_properties(b"x", n=1)
        message.subject = "x"

        self.client.send(self.topic, message)

        copies = self.client.receive(path, 9)
        self.assertEqual(len(copies), 3)
        by_rule = {text(copy, "RuleName"): copy.message for copy in copies}
        self.assertEqual(set(by_rule), {"", "loud", "quiet"})
        self.assertEqual((by_rule[""].application_properties["n"].int64_value, by_rule[""].subject), (1, "x"))
        loud = by_rule["loud"]
        self.assertEqual((loud.application_properties["n"].int64_value, loud.subject), (2, "loud"))
        self.assertNotIn("n", by_rule["quiet"].application_properties)

    def test_14_without_subscriptions_a_message_is_dropped(self):  # TOP-2
        (sent,) = self.client.send(self.topic, b"x")

        self.assertEqual(sent.sequence_number, 1)
        path = self.topics.subscribe(self.topic, "s")
        self.assertEqual(list(self.client.peek(path).messages), [])
        self.assertEqual(self.topics.runtime(self.topic).size_in_bytes, 0)

    def test_15_a_copy_without_a_session_is_dead_lettered(self):  # RSN-4, SES-3
        path = self.topics.subscribe(self.topic, "s", requires_session=True)

        self.client.send(self.topic, b"x", wire.message_in("red", b"y"))

        (dead,) = self.client.receive(path + DEAD, 5)
        self.assertEqual((dead.message.body, text(dead, "DeadLetterReason")), (b"x", "Session ID is null."))
        self.assertEqual(text(dead, "DeadLetterErrorDescription"),
                         "Session enabled entity doesn't allow a message whose session identifier is null.")
        session = self.client.sessions.accept(path, "red").session_lock_token
        self.assertEqual(wire.bodies(self.client.receive(path, 5, session=session)), [b"y"])

    def test_24_a_number_is_not_a_text(self):  # COR-4, COR-5, COR-6
        path = self.subscribe(correlation(application_properties={"n": Value(int32_value=2)}))

        self.assertEqual(self.took(path, with_properties(b"text", n="2"), with_properties(b"number", n=2)), [b"number"])

    def test_25_what_is_missing_is_neither_true_nor_false(self):  # SQL-12, SQL-17, SQL-23
        either = self.topics.subscribe(self.topic, "either", sql("a = 1 OR b = 2"))
        neither = self.topics.subscribe(self.topic, "not", sql("NOT (b = 2)"))

        self.client.send(self.topic, with_properties(b"x", a=1))

        self.assertEqual(wire.bodies(self.client.receive(either, 5)), [b"x"])
        self.assertEqual(list(self.client.receive(neither, 5)), [])

    # Failures

    def test_a_rule_that_cannot_be_evaluated_dead_letters_or_does_not_match(self):  # RUL-8, RUL-9, RSN-6
        dead = self.topics.subscribe(self.topic, "dead", sql("1 / n = 1"))
        acted = self.topics.subscribe(self.topic, "acted", everything(action="SET x = 1 / n"))
        quiet = self.topics.subscribe(self.topic, "quiet", sql("1 / n = 1"),
                                      dead_lettering_on_filter_evaluation_exceptions=False)

        self.client.send(self.topic, with_properties(b"x", n=0))

        for path, reason in ((dead, "FilterException"), (acted, "RuleActionException")):
            (message,) = self.client.receive(path + DEAD, 5)
            self.assertEqual((message.message.body, text(message, "DeadLetterReason")), (b"x", reason))
            self.assertIn("zero", text(message, "DeadLetterErrorDescription"))
            self.assertEqual(list(self.client.receive(path)), [])
        self.assertEqual(list(self.client.peek(quiet).messages) + list(self.client.peek(quiet + DEAD).messages), [])

    def test_a_bad_text_is_refused_with_its_place(self):  # RUL-11, SQL-12, SQL-24, ACT-6, ACT-8, ERR-21
        self.topics.subscribe(self.topic, "s")
        bad = [(FILTER, sql("n == 1"), "column 4"), (FILTER, sql("n"), "column"), (FILTER, sql(""), "column"),
               (FILTER, sql("sys.Colour = 1"), "column 5"), (FILTER, sql("n = @x"), "column 5"),
               (FILTER, sql("n = 1".ljust(1025)), "1024 characters"), (FILTER, correlation(), "at least one"),
               (FILTER, correlation(application_properties={"n": Value()}), "no value"),
               (FILTER, correlation(application_properties={"n": value_of(1), "N": value_of(1)}), "twice"),
               (ACTION, everything(action="SET"), "column 4"),
               (ACTION, everything(action="SET sys.Size = 1"), "column"),
               (ACTION, everything(action="REMOVE a;" * 33), "32")]
        for (code, reason), rule, said in bad:
            for call in (lambda: self.topics.add_rule(self.topic, "s", rule),
                         lambda: self.topics.create_subscription(self.topic, "t", rule),
                         lambda: self.topics.evaluate(wire.Message(), rule)):
                with self.subTest(rule=str(rule)[:60]):
                    self.assert_fails(code, reason, call)
                    with self.assertRaisesRegex(grpc.RpcError, said):
                        call()
        self.assertEqual(len(self.topics.list_rules(self.topic, "s").rules), 1)
        self.assert_fails(*NOT_FOUND, self.topics.get_subscription, self.topic, "t")

    def test_a_rule_has_no_more_values_than_a_message(self):  # SIZ-5
        self.topics.subscribe(self.topic, "s")
        large = {f"p{n}": Value(string_value="x" * 30000) for n in range(3)}

        for rule in (correlation(application_properties=large), sql("p0 = @p0", **large)):
            self.assert_fails(*ARGUMENT, self.topics.add_rule, self.topic, "s", rule)

    def test_a_property_of_a_rule_must_fit_its_type(self):  # ERR-16
        self.topics.subscribe(self.topic, "s")
        rule = correlation(application_properties={"n": Value(int8_value=1000)})

        self.assert_fails(grpc.StatusCode.OUT_OF_RANGE, "ArgumentOutOfRange",
                          self.topics.add_rule, self.topic, "s", rule)


class RuleLimitTest(wire.OwnBrokerTest):

    FLAGS = ("--max-subscriptions=2", "--max-sql-filters=2", "--max-correlation-filters=1")

    def test_a_topic_has_only_so_many_subscriptions_and_rules(self):  # RUL-14, ERR-9
        topics = self.client.topics
        topics.create("orders")
        topics.create("others")
        topics.subscribe("orders", "a", sql("n = 1"))
        topics.subscribe("orders", "b")

        self.assert_fails(*FULL, topics.create_subscription, "orders", "c")
        topics.add_rule("orders", "b", sql("n = 1", "one"))
        self.assert_fails(*FULL, topics.add_rule, "orders", "b", sql("n = 1", "two"))
        topics.add_rule("orders", "a", correlation("one", subject="x"))
        self.assert_fails(*FULL, topics.add_rule, "orders", "b", correlation("two", subject="x"))
        topics.add_rule("orders", "b", everything("two"))

        # It finds the room that it leaves.
        topics.update_rule("orders", "b", sql("n = 2", "one"))
        self.assert_fails(*FULL, topics.update_rule, "orders", "b", correlation("one", subject="x"))
        topics.remove_rule("orders", "b", "one")
        topics.add_rule("orders", "b", sql("n = 1", "other"))
        topics.delete_subscription("orders", "a")
        topics.subscribe("orders", "c", sql("n = 1"))
        topics.subscribe("others", "a", sql("n = 1"))


class EvaluateTest(wire.WireTest):

    def setUp(self):
        super().setUp()
        self.topics = self.client.topics

    def evidence(self, verdict):
        return [each.name for each in verdict.evidence]

    def test_an_sql_rule_tells_what_it_looked_at(self):  # SQL-12, SQL-17, SQL-18
        message = with_properties(Color="red", n=2)
        message.subject = "x"

        verdict = self.topics.evaluate(message, sql("color = 'red' AND (n > 1 OR n < 0) AND sys.label = 'x'", "r"))
        self.assertEqual((verdict.rule, verdict.outcome), ("r", MATCH))
        self.assertEqual(self.evidence(verdict), ["Color", "n", "sys.Label"])
        self.assertEqual([each.actual for each in verdict.evidence], [value_of("red"), value_of(2), value_of("x")])
        self.assertFalse(verdict.HasField("copy") or verdict.evidence[0].HasField("wanted"))

        verdict = self.topics.evaluate(message, sql("Missing = 1 OR EXISTS(other) OR sys.To IS NOT NULL", ""))
        self.assertEqual((verdict.rule, verdict.outcome), ("$Default", UNKNOWN))
        self.assertEqual(self.evidence(verdict), ["missing", "other", "sys.To"])
        self.assertFalse(any(each.HasField("actual") for each in verdict.evidence))

        self.assertEqual(self.topics.evaluate(message, sql("n = 3")).outcome, NO_MATCH)
        verdict = self.topics.evaluate(message, sql("1 / (n - 2) = 1"))
        self.assertEqual(verdict.outcome, ERROR)
        self.assert_error(verdict.error, *FILTER)

    def test_a_stored_rule_sees_the_time_to_live_of_the_topic(self):  # TTL-1, TTL-3
        topic = self.new_name()
        self.topics.create(topic, default_message_time_to_live=wire.seconds(60))
        rule = sql("sys.TimeToLive IS NOT NULL")
        self.topics.subscribe(topic, "s", rule)
        message = wire.Message(body=b"x")

        (verdict,) = self.topics.evaluate_stored(message, topic, "s").verdicts

        self.assertEqual(verdict.outcome, MATCH)
        self.assertEqual(self.topics.evaluate(message, rule).outcome, NO_MATCH)

    def test_a_correlation_rule_tells_what_differs(self):  # COR-3, COR-5, COR-6
        message = with_properties(color="Red", n=2, text="2")
        message.subject = "x"
        rule = correlation("r", subject="x", to="", correlation_id="c", application_properties={
            "COLOR": value_of("red"), "n": Value(int32_value=2), "text": value_of(2)})

        verdict = self.topics.evaluate(message, rule)

        self.assertEqual(verdict.outcome, NO_MATCH)
        told = {each.name: each for each in verdict.evidence}
        self.assertEqual({name: each.is_equal for name, each in told.items()},
                         {"sys.Label": True, "sys.CorrelationId": False, "color": False, "n": True, "text": False})
        self.assertEqual((told["color"].wanted, told["color"].actual), (value_of("red"), value_of("Red")))
        self.assertEqual(told["sys.CorrelationId"].wanted, value_of("c"))
        self.assertFalse(told["sys.CorrelationId"].HasField("actual"))

    def test_an_action_shows_its_copy(self):  # RUL-5, ACT-1, ACT-5
        message = with_properties(b"body", n=2)

        verdict = self.topics.evaluate(message, everything("loud", "SET n = n + 1; SET m = n * 2; SET sys.Label = 'x'"))
        self.assertEqual(verdict.outcome, MATCH)
        self.assertEqual((verdict.copy.subject, verdict.copy.body), ("x", b""))
        self.assertEqual({name: verdict.copy.application_properties[name] for name in "mn"},
                         {"n": value_of(3), "m": value_of(6)})
        self.assertEqual(verdict.copy.application_properties["RuleName"], value_of("loud"))

        verdict = self.topics.evaluate(message, everything("bad", "SET x = 1 / (n - 2)"))
        self.assertEqual((verdict.outcome, verdict.HasField("copy")), (MATCH, False))
        self.assert_error(verdict.error, *ACTION)
        self.assertFalse(self.topics.evaluate(message, sql("n = 1", action="SET n = 2")).HasField("copy"))

    def test_rules_of_a_subscription(self):
        topic = self.new_name()
        self.topics.create(topic)
        path = self.topics.subscribe(topic, "s")
        for n in range(5):
            self.topics.add_rule(topic, "s", sql(f"n = {n}", f"r{n}"))
        message = with_properties(n=2)

        answer = self.topics.evaluate_stored(message, topic, "s")
        self.assertEqual([(verdict.rule, verdict.outcome) for verdict in answer.verdicts],
                         [("$Default", MATCH), ("r0", NO_MATCH), ("r1", NO_MATCH), ("r2", MATCH), ("r3", NO_MATCH),
                          ("r4", NO_MATCH)])
        self.assertEqual(answer.next_page_token, "")
        (verdict,) = self.topics.evaluate_stored(message, topic, "s", rule="R2").verdicts
        self.assertEqual((verdict.rule, verdict.outcome), ("r2", MATCH))

        names, token = [], ""
        while True:
            page = self.topics.evaluate_stored(message, topic, "s", page_size=2, page_token=token)
            names.append([verdict.rule for verdict in page.verdicts])
            token = page.next_page_token
            if not token:
                break
        self.assertEqual(names, [["$Default", "r0"], ["r1", "r2"], ["r3", "r4"]])
        self.assertEqual(list(self.client.peek(path).messages), [])

    def test_bad_questions(self):  # ERR-1, ERR-15, SIZ-5
        topic = self.new_name()
        self.topics.create(topic)
        self.topics.subscribe(topic, "s")
        message = wire.Message()

        self.assert_fails(*NOT_FOUND, self.topics.evaluate_stored, message, topic, "other")
        self.assert_fails(*NOT_FOUND, self.topics.evaluate_stored, message, "wire-python/nobody", "s")
        self.assert_fails(*NOT_FOUND, self.topics.evaluate_stored, message, topic, "s", rule="other")
        self.assert_fails(*ARGUMENT, self.topics.stub.EvaluateRule, topics_pb2.EvaluateRuleRequest(message=message))
        huge = with_properties(**{f"p{n}": "x" * 30000 for n in range(3)})
        self.assert_fails(grpc.StatusCode.INVALID_ARGUMENT, "MessageSizeExceeded",
                          self.topics.evaluate, huge, everything())

    def test_what_it_says_is_what_happens(self):  # RUL-4, RUL-5, RUL-8
        topic = self.new_name()
        self.topics.create(topic)
        rules = [sql("n / 2 = 1 AND color LIKE 'r%'"), sql("1 / n > 0"), sql("color IN ('red', NULL)"),
                 correlation(application_properties={"n": value_of(2)}), correlation(subject="x", to="y"),
                 everything(action="SET n = 1 / n"), sql("NOT (n = 3) OR sys.Label IS NULL")]
        messages = [with_properties(), with_properties(n=0), with_properties(n=2, color="red"), with_properties(n=3),
                    with_properties(color="blue"), wire.Message(subject="x", to="y")]
        for number, rule in enumerate(rules):
            self.topics.subscribe(topic, f"s{number}", rule)

        for message in messages:
            self.client.send(topic, message)
        for number, rule in enumerate(rules):
            path = path_of(topic, f"s{number}")
            verdicts = [self.topics.evaluate(message, rule) for message in messages]
            failed = sum(verdict.HasField("error") for verdict in verdicts)
            matched = sum(verdict.outcome == MATCH and not verdict.HasField("error") for verdict in verdicts)
            self.assertEqual((len(self.client.peek(path).messages), len(self.client.peek(path + DEAD).messages)),
                             (matched, failed), rule)


if __name__ == "__main__":
    unittest.main()
