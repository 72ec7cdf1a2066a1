"""wharf definitions: the entities of a broker as a file: export, diff, apply."""

import json
import os
import pathlib
import subprocess
import unittest

import command_line
import daemon_test
import terminal
import wire
from command_line import DIFFERS, FAILED, OK, USAGE

EMPTY = '{"format_version": 1}'
# Something of everything; "hops" forwards to the topic, which must be there with its subscriptions first.
EVERYTHING = {
    "format_version": 1,
    "access_rules": [{"name": "ops", "rights": ["Manage"]}],
    "queues": [
        {"name": "hops", "forward_to": "sales"},
        {"name": "letters", "requires_session": True, "session_expiry_scope": "message", "lock_duration": 30,
         "user_metadata": "a \"quoted\" \u00fc \u001b[31m", "status": "receive-disabled",
         "forward_dead_lettered_messages_to": "failed", "auto_delete_on_idle": "1d",
         "retry_policy": {"backoff": "exponential", "base": 0.25, "jitter": 0.2},
         "event_log_size_in_kilobytes": 64, "event_log_retention": 3600,
         "access_rules": [{"name": "reader", "rights": ["Listen"]}, {"name": "writer", "rights": ["Send"]}]},
        {"name": "failed", "enable_priority": True, "forward_dead_lettered_messages_to": "events"},
        {"name": "events", "enable_partitioning": True, "forward_dead_lettered_messages_to": "failed"}],
    "topics": [
        {"name": "sales", "requires_duplicate_detection": True, "default_message_time_to_live": "1d",
         "enable_filtering_messages_before_publishing": True,
         "subscriptions": [
             {"name": "none", "rules": []},
             {"name": "some", "max_delivery_count": 3, "forward_to": "events", "event_log_size_in_kilobytes": 128,
              "rules": [
                 {"name": "red", "filter": {"kind": "sql", "text": "color = @c", "parameters": {"c": "red"}},
                  "action": {"text": "SET seen = TRUE"}},
                 {"name": "urgent", "filter": {"kind": "correlation", "subject": "urgent", "application_properties":
                                               {"n": {"type": "int32", "value": 5}}}}]}]}],
}


def definitions(*queues, **parts):
    return {"format_version": 1, "queues": list(queues), **parts}


def topic(*rules, **properties):
    """Definitions of the topic "t" with the subscription "s", which has these rules."""
    return definitions({"name": "orders"}, topics=[
        {"name": "t", "subscriptions": [{"name": "s", "rules": list(rules), **properties}]}])


def rule(name, text):
    return {"name": name, "filter": {"kind": "sql", "text": text}}


class DefinitionsTest(command_line.CommandLineTest):

    def file(self, content, name="definitions.json"):
        path = pathlib.Path(self.folder.name, name)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return str(path)

    def export(self, *arguments):
        return self.run_wharf(*arguments, "definitions", "export")

    def apply(self, content, *flags, code=OK):
        return self.run_wharf("definitions", "apply", self.file(content), *flags, code=code)

    def diff(self, content, *flags, code=DIFFERS):
        return self.run_wharf("definitions", "diff", self.file(content), *flags, code=code)

    # A broker like another one

    def test_another_broker_becomes_like_this_one(self):
        self.apply(EVERYTHING)
        exported = self.export()
        other = wire.Daemon(f"{self.folder.name}/other")
        self.addCleanup(other.kill)
        there = ["--address", other.address]

        self.run_wharf(*there, "definitions", "diff", self.file(exported), code=DIFFERS)
        self.run_wharf(*there, "definitions", "apply", self.file(exported))
        self.assertEqual(self.export(*there), exported)
        nothing = "plan: 0 to create, 0 to update, 0 to delete; 13 are as they should be\n"
        self.assertEqual(self.run_wharf(*there, "definitions", "apply", self.file(exported)),
                         nothing + "nothing to do\n")
        self.assertEqual(self.run_wharf(*there, "definitions", "diff", self.file(exported)), nothing)

    def test_every_property_arrives(self):
        self.apply(EVERYTHING)
        letters = self.run_json("queue", "show", "letters")["properties"]
        wanted = dict(EVERYTHING["queues"][1], auto_delete_on_idle=86400)
        for name in set(wanted) - {"access_rules", "retry_policy"}:
            self.assertEqual(letters[name], wanted[name], name)
        self.assertEqual(letters["retry_policy"],
                         {"backoff": "exponential", "base": 0.25, "cap": 604800, "jitter": 0.2})
        self.assertEqual(self.run_json("rule", "list", "sales", "none")["rules"], [])
        self.assertEqual([each["name"] for each in self.run_json("rule", "list", "sales", "some")["rules"]],
                         ["red", "urgent"])
        reader = self.run_json("connection-string", "reader", "--entity", "letters", "--show-key")["connection_string"]
        self.assertIn("SharedAccessKey=", reader)

    def test_an_export_says_what_is_there_and_nothing_else(self):
        made = self.run_json("access", "create", "reader", "--entity", "orders", "--listen", "--show-key")
        before = self.export()
        self.run_wharf("send", "orders", "a body", "another", "--quiet")
        self.lock()
        self.run_wharf("send", "orders", "later", "--at", "+1h", "--quiet")

        after = self.export()
        self.assertEqual(after, before)
        for secret in (made["primary_key"], made["secondary_key"], "a body", "count", "created_at", "etag"):
            self.assertNotIn(secret, after.replace("max_delivery_count", ""))
        parsed = json.loads(after)
        self.assertEqual(json.loads(self.export("--json")), parsed)
        self.assertEqual(self.export("--json").count("\n"), 1)
        self.assertEqual(parsed["queues"][0]["access_rules"], [{"name": "reader", "rights": ["Listen"]}])
        shown = self.run_json("queue", "show", "orders")["properties"]
        del shown["etag"]
        self.assertEqual({**parsed["queues"][0], "access_rules": None}, {**shown, "access_rules": None})

    def test_many_entities_are_many_pages(self):
        for number in range(250):
            self.client.create(f"queue-{number:03}")
        exported = json.loads(self.export())
        self.assertEqual([queue["name"] for queue in exported["queues"]],
                         ["orders", *[f"queue-{number:03}" for number in range(250)]])
        self.diff(exported, code=OK)

    def test_files_and_standard_streams(self):
        file = pathlib.Path(self.folder.name, "exported.json")
        self.assertEqual(self.run_wharf("definitions", "export", str(file)),
                         "exported 1 queues, 0 topics and 0 subscriptions\n")
        self.assertEqual(file.read_text(encoding="utf-8"), self.export())
        self.assertEqual(self.run_shell(f"wharf definitions export | tee {file} | wharf definitions apply -"),
                         "plan: 0 to create, 0 to update, 0 to delete; 1 are as they should be\nnothing to do\n")
        self.run_wharf("definitions", "export", "/dev/full", code=FAILED)
        self.assertIn("/dev/full cannot be written: No space left", self.said)
        self.run_wharf("definitions", "export", f"{self.folder.name}/nowhere/x", code=FAILED)
        self.assertIn("cannot be written: No such file", self.said)

    def test_what_a_file_holds_does_not_reach_the_terminal(self):
        file = self.file({"format_version": 1, "queues": [{"name": "a\x1b[31mred\u202e"}]})
        self.run_wharf("definitions", "diff", file, code=USAGE)
        self.assertIn("red", self.said)
        self.assertTrue(self.said.rstrip("\n").isprintable(), self.said)

    def test_an_export_touches_nothing_but_its_file(self):
        folder = pathlib.Path(self.folder.name, "exports")
        folder.mkdir()
        file = folder / "broker.json"
        notes = folder / "notes"
        notes.write_text("mine", encoding="utf-8")
        # What one might take for a name that nobody else uses.
        (folder / "broker.json.new").symlink_to(notes)

        self.run_shell(f"umask 027; wharf definitions export {file}")
        self.assertEqual(file.stat().st_mode & 0o7777, 0o640)
        file.write_text("old", encoding="utf-8")
        file.chmod(0o600)
        self.run_wharf("definitions", "export", str(file))
        self.assertEqual(file.read_text(encoding="utf-8"), self.export())
        self.assertEqual(file.stat().st_mode & 0o7777, 0o600)

        self.run_shell(f"trap '' XFSZ; ulimit -f 0; wharf definitions export {file}")
        self.assertIn(f"{file} cannot be written: File too large", self.said)
        self.assertEqual(file.read_text(encoding="utf-8"), self.export())
        self.assertEqual(notes.read_text(encoding="utf-8"), "mine")
        self.assertEqual(sorted(each.name for each in folder.iterdir()), ["broker.json", "broker.json.new", "notes"])

    # Plans

    def test_a_plan_is_printed_and_nothing_is_done(self):
        wanted = definitions({"name": "orders", "lock_duration": "30s", "user_metadata": "\u001b[31m"},
                             {"name": "new", "forward_to": "orders"})
        plan = ("update queue orders\n  lock_duration  1m -> 30s\n  user_metadata  none -> \\x1b[31m\n"
                "create queue new\nplan: 1 to create, 1 to update, 0 to delete; 0 are as they should be\n")
        before = self.export()
        self.assertEqual(self.diff(wanted), plan)
        self.assertEqual(self.export(), before)
        self.assertEqual(self.apply(wanted), plan + "done: 2 changes\n")
        self.diff(wanted, code=OK)

    def test_a_plan_as_json(self):
        self.client.create("old")
        wanted = definitions({"name": "orders", "lock_duration": 30}, {"name": "new"})
        plan = json.loads(self.diff(wanted, "--json"))
        self.assertEqual(plan, {
            "changes": [{"change": "update", "kind": "queue", "path": "orders",
                         "properties": [{"name": "lock_duration", "from": 60, "to": 30}]},
                        {"change": "create", "kind": "queue", "path": "new"}],
            "leftovers": [{"kind": "queue", "path": "old"}], "obstacles": [], "unchanged": 0})
        lines = [json.loads(line) for line in self.apply(wanted, "--json").splitlines()]
        self.assertEqual(lines, [plan, {"done": 2, "not_done": 0}])

    def test_what_is_not_in_the_file_stays_unless_it_is_to_be_deleted(self):
        self.apply(EVERYTHING)
        kept = self.apply(EMPTY)
        for line in ("leave access rule ops of the namespace", "leave queue orders", "leave topic sales"):
            self.assertIn(f"{line}, which is not in the file\n", kept)
        self.assertIn("\nnothing to do\n", kept)
        self.assertIn("sales", self.run_wharf("topic", "list"))

        deleted = self.apply(EMPTY, "--delete", "--yes")
        # What forwards goes first.
        self.assertLess(deleted.index("delete queue hops"), deleted.index("delete topic sales"))
        self.assertEqual(json.loads(self.export()),
                         {"format_version": 1, "access_rules": [], "queues": [], "topics": []})
        self.assertIn("nothing to do", self.apply(EMPTY, "--delete"))

    # What would lose messages

    def test_messages_are_not_lost(self):
        self.apply(topic(rule("all", "1=1")))
        self.client.create("old")
        self.run_wharf("send", "old", "a", "b", "c", "--quiet")
        self.run_wharf("receive", "old", "--settle", "dead-letter")
        self.run_wharf("receive", "old", "--settle", "defer")
        self.run_wharf("receive", "old", "--settle", "none")
        self.run_wharf("send", "old", "later", "--at", "+1h", "--quiet")
        self.run_wharf("send", "t", "x", "--quiet")
        before = self.export()

        self.apply(EMPTY, "--delete", "--yes", code=FAILED)
        self.assertRegex(self.said, "InvalidOperation: nothing was done: .*holds .* message.*; and 1 more, see the")
        plan = self.diff(EMPTY, "--delete")
        for sentence in ("the queue 'old' holds 4 messages, which would be lost with it; say --lose-messages",
                         "the topic 't' holds 1 message, which would be lost with it; say --lose-messages"):
            self.assertIn(f"cannot: {sentence}", plan)
        self.apply(definitions({"name": "orders"}, {"name": "old"}, topics=[{"name": "t"}]), "--delete", code=FAILED)
        self.assertIn("the subscription 't/Subscriptions/s' holds 1 message", self.said)
        self.assertEqual(self.export(), before)

        self.apply(EMPTY, "--lose-messages", code=USAGE)
        self.assertIn("delete queue old, with 4 messages\n", self.apply(EMPTY, "--delete", "--lose-messages"))
        self.assertEqual(json.loads(self.export())["queues"], [])

    def set_state(self, path):
        """Of a session that has no message."""
        token = self.client.sessions.accept(path, "red").session_lock_token
        self.client.sessions.set_state(path, token, b"half done")

    def test_states_of_sessions_are_not_lost(self):
        self.client.create("letters", requires_session=True)
        self.set_state("letters")

        self.apply(definitions({"name": "orders"}), "--delete", "--yes", code=FAILED)
        self.assertRegex(self.said, "the queue 'letters' holds session states of [0-9]+ bytes, which would be lost")
        code, shown = self.asked(definitions({"name": "orders"}), lambda: None, "--lose-messages", answer="n\n")
        self.assertEqual(code, FAILED)
        self.assertRegex(shown, "delete queue letters, with session states of [0-9]+ bytes\n")
        self.assertIn("apply it, and delete 1 of what is there with 0 messages and session states? [y/N]", shown)
        self.apply(definitions({"name": "orders"}), "--delete", "--lose-messages", "--yes")
        self.assertNotIn("letters", self.export())

    def test_states_of_sessions_are_not_lost_with_a_topic(self):
        self.apply(topic(rule("all", "1=1"), requires_session=True))
        self.set_state("t/Subscriptions/s")
        self.apply(definitions({"name": "orders"}), "--delete", "--yes", code=FAILED)
        self.assertRegex(self.said, "the topic 't' holds session states of [0-9]+ bytes, which would be lost")

    def test_what_is_fixed_at_creation_is_in_the_way_of_all(self):
        self.run_wharf("send", "orders", "a", "--quiet")
        before = self.export()
        wanted = definitions({"name": "new"}, {"name": "orders", "enable_partitioning": True, "lock_duration": 30})
        self.apply(wanted, "--delete", "--lose-messages", code=FAILED)
        self.assertIn("nothing was done: 'orders' has enable_partitioning false on the broker and true in the file, "
                      "which is fixed when a queue is created: delete it first, with the 1 message that it holds",
                      self.said)
        self.assertEqual(self.export(), before)

    def test_rights_are_in_the_way(self):
        reader = definitions({"name": "orders", "access_rules": [{"name": "r", "rights": ["Listen"]}]})
        self.assertIn("create access rule r of orders, with new keys\n", self.apply(reader))
        reader["queues"][0]["access_rules"][0]["rights"] = ["Send"]
        self.apply(reader, code=FAILED)
        self.assertIn("the access rule 'r' of 'orders' has the rights Listen on the broker and Send in the file",
                      self.said)

    # Rules

    def test_rules_are_added_replaced_and_left(self):
        self.apply(topic(rule("a", "n = 1"), rule("b", "n = 2")))
        wanted = topic(rule("a", "n = 3"), rule("c", "n = 4"))
        self.assertIn("replace rule a of t/Subscriptions/s\n  filter  n = 1 -> n = 3\n"
                      "create rule c of t/Subscriptions/s: n = 4\n", self.apply(wanted))
        rules = self.run_json("rule", "list", "t", "s")["rules"]
        self.assertEqual([(each["name"], each["filter"]["text"]) for each in rules],
                         [("a", "n = 3"), ("b", "n = 2"), ("c", "n = 4")])
        self.assertIn("leave rule b of t/Subscriptions/s", self.diff(wanted))
        self.apply(wanted, "--delete", "--yes")
        self.assertEqual(len(self.run_json("rule", "list", "t", "s")["rules"]), 2)

    def test_a_rule_is_replaced_where_there_is_no_room_for_two(self):
        self.daemon.terminate()
        self.daemon = self.start(flags=[*self.FLAGS, "--max-sql-filters=1"])
        self.apply(topic(rule("a", "n = 1")))
        self.assertTrue(self.apply(topic(rule("a", "n = 2"))).endswith("done: 1 change\n"))
        (only,) = self.run_json("rule", "list", "t", "s")["rules"]
        self.assertEqual((only["name"], only["filter"]["text"]), ("a", "n = 2"))

    def test_a_rule_that_the_broker_does_not_take_is_found_before_anything_is_done(self):
        before = self.export()
        self.apply(topic(rule("good", "n = 1"), rule("bad", "n ==")), code=FAILED)
        self.assertRegex(self.said, "nothing was done: the rule 'bad' of 't/Subscriptions/s' cannot be: "
                                    "FilterException: .*column")
        self.assertEqual(self.export(), before)

    # Bad files

    def test_a_bad_file_is_one_sentence_and_nothing_is_done(self):
        before = self.export()
        file = self.file("")
        for content, sentence in (
                ("", f"{file}:1:1: the JSON ends too soon"),
                ('{"format_version": 1,\n "queues": nil}',
                 f"{file}:2:13: \"i\" is not expected there, so it is not JSON"),
                (definitions({"name": "new"}, {"name": "x", "lock_duraton": 1}),
                 f'{file}:.queues[1].lock_duraton: there is no such key; did you mean "lock_duration"?'),
                (definitions({"name": "new"}, {"name": "x", "lock_duration": 1}),
                 f"{file}:.queues[1] ('x'): lock_duration must be from 5s to 1d, not 1s"),
                (definitions({"name": "x", "status": "of"}),
                 f'{file}:.queues[0].status: "of" is none of active, disabled, send-disabled, receive-disabled')):
            for verb in ("diff", "apply"):
                self.run_wharf("definitions", verb, self.file(content), code=USAGE)
                self.assertEqual(self.said, f"wharf: {sentence}\n")
        self.run_wharf("definitions", "apply", f"{self.folder.name}/nosuch", code=USAGE)
        self.assertIn("nosuch cannot be read: No such file", self.said)
        self.assertEqual(self.export(), before)

    def test_a_file_that_is_too_large_is_not_read(self):
        with open(self.file(""), "wb") as file:
            file.truncate(64 * 1024 * 1024 + 1)
        self.run_wharf("definitions", "apply", file.name, code=USAGE)
        self.assertIn("is larger than 64 MiB, the most that is read", self.said)

    # Failures in the midst

    def test_what_was_done_before_a_failure_is_told_and_it_goes_on(self):
        self.daemon.terminate()
        self.daemon = self.start(flags=[*self.FLAGS, "--max-sql-filters=2"])
        wanted = topic(*[rule(name, f"{name} = 1") for name in ("a", "b", "c", "d")])
        out = self.apply(wanted, code=FAILED)
        self.assertTrue(out.endswith("done: 3 of 5 changes; apply the file again to go on\n"), out)
        self.assertRegex(self.said, "^wharf: QuotaExceeded: create rule c ")

        self.daemon.terminate()
        self.daemon = self.start(flags=self.FLAGS)
        self.assertTrue(self.apply(wanted).endswith("done: 2 changes\n"))
        self.diff(wanted, code=OK)

    def test_more_than_the_broker_takes_is_in_the_way_of_all(self):
        self.daemon.terminate()
        self.daemon = self.start(flags=[*self.FLAGS, "--max-entities=3"])
        wanted = definitions(*[{"name": name} for name in ("orders", "a", "b", "c")])
        self.apply(wanted, code=FAILED)
        self.assertIn("nothing was done: there would be 4 queues and topics, and this broker takes 3", self.said)
        self.assertEqual(self.run_wharf("queue", "list").count("\n"), 2)

    def asked(self, content, while_asked, *flags, answer="y\n"):
        """The exit code and the terminal of an apply that deletes, and of what is done while it asks."""
        ours, theirs = terminal.open_terminal(200)
        process = subprocess.Popen([daemon_test.WHARF, "definitions", "apply", self.file(content), "--delete", *flags],
                                   stdin=theirs, stdout=theirs, stderr=theirs, env=self.environment())
        os.close(theirs)
        shown = b""
        try:
            while b"[y/N]" not in shown:
                shown += os.read(ours, 4096)
            while_asked()
            os.write(ours, answer.encode())
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # Nobody writes any more.
            pass
        finally:
            os.close(ours)
            code = process.wait(wire.TIMEOUT)
        return code, shown.decode().replace("\r\n", "\n")

    def test_deletion_asks_first(self):
        self.client.create("old")
        code, shown = self.asked(definitions({"name": "orders"}, {"name": "new"}), lambda: None, answer="n\n")
        self.assertEqual(code, FAILED)
        self.assertIn("delete queue old\n", shown)
        self.assertIn("apply it, and delete 1 of what is there with 0 messages? [y/N]", shown)
        self.assertIn("nothing was done", shown)
        self.assertNotIn("new", self.run_wharf("queue", "list"))

    def test_a_concurrent_change_is_noticed(self):
        self.client.create("old")
        wanted = definitions({"name": "orders", "lock_duration": 30})
        update = ["queue", "update", "orders", "--max-delivery-count", "3"]
        code, shown = self.asked(wanted, lambda: self.run_wharf(*update))
        self.assertEqual(code, FAILED)
        self.assertIn("InvalidOperation: update queue orders: 'orders' is not as it was when it had this etag", shown)
        self.assertIn("done: 0 of 2 changes", shown)
        orders = self.run_json("queue", "show", "orders")["properties"]
        self.assertEqual((orders["max_delivery_count"], orders["lock_duration"]), (3, 60))

    def assert_notices(self, wanted, change, what):
        """A change of what the plan deletes or replaces, while it asks."""
        before = self.run_wharf("definitions", "export")
        code, shown = self.asked(wanted, lambda: self.run_wharf(*change))
        self.assertEqual(code, FAILED, shown)
        self.assertRegex(shown, f"InvalidOperation: {what}: '[^']+' is not as it was when it had this etag")
        self.assertIn("done: 0 of 1 change", shown)
        self.assertNotEqual(self.run_wharf("definitions", "export"), before)  # It is as somebody else wants it.

    def test_a_concurrent_change_is_noticed_by_a_deletion(self):
        self.apply(topic(rule("a", "n = 1"), rule("b", "n = 2")))
        update = ["rule", "update", "t", "s"]
        self.assert_notices(topic(rule("a", "n = 1")), [*update, "b", "--filter", "n = 5"],
                            "delete rule b of t/Subscriptions/s")
        self.apply(topic(rule("a", "n = 1")), "--delete", "--yes")
        self.client.create("old")
        self.assert_notices(topic(rule("a", "n = 1")), ["queue", "update", "old", "--max-delivery-count", "3"],
                            "delete queue old")

    def test_an_access_rule_that_was_made_anew_is_not_deleted(self):
        reader = {"name": "orders", "access_rules": [{"name": "r", "rights": ["Listen"]}]}
        self.apply(definitions(reader))

        def make_anew():
            self.run_wharf("access", "remove", "r", "--entity", "orders", "--yes")
            self.run_wharf("access", "create", "r", "--entity", "orders", "--send")
        code, shown = self.asked(definitions({"name": "orders"}), make_anew)
        self.assertEqual(code, FAILED, shown)
        self.assertIn("'r' is not as it was when it had this etag", shown)

    def test_what_was_sent_meanwhile_is_not_lost(self):
        self.client.create("old")
        code, shown = self.asked(definitions({"name": "orders"}), lambda: self.client.send("old", b"x"))
        self.assertEqual(code, FAILED)
        self.assertIn("the queue 'old' holds 1 message by now, which would be lost with it", shown)
        self.assertEqual(self.client.runtime("old").active_message_count, 1)


class GuardedDefinitionsTest(command_line.CommandLineTest):
    """Where access is on."""

    FLAGS = ["--access=on"]

    def start(self, data=None, **options):
        daemon = super().start(data, **options)
        os.environ["WHARF_CONNECTION_STRING"] = f"@{self.data}/root-connection-string"
        self.addCleanup(os.environ.pop, "WHARF_CONNECTION_STRING")
        return daemon

    def test_nobody_locks_himself_out(self):
        empty = pathlib.Path(self.folder.name, "empty.json")
        empty.write_text(EMPTY, encoding="utf-8")
        self.assertNotIn("Root", self.run_wharf("definitions", "export"))
        self.run_wharf("definitions", "apply", str(empty), "--delete")
        self.assertIn("RootManageSharedAccessKey", self.run_wharf("access", "list"))
        self.assertIn("nothing to do", self.run_wharf("definitions", "apply", str(empty), "--delete"))

    def test_nobody_deletes_the_rule_by_which_he_is_connected(self):
        empty = pathlib.Path(self.folder.name, "empty.json")
        empty.write_text(EMPTY, encoding="utf-8")
        for name in ("a-rule", "ops"):
            self.run_wharf("access", "create", name, "--manage")
        ops = pathlib.Path(self.folder.name, "ops")
        ops.write_text(self.run_wharf("connection-string", "ops", "--show-key"), encoding="ascii")
        apply = ["definitions", "apply", str(empty), "--delete"]

        self.run_wharf("--connection-string", f"@{ops}", *apply, code=FAILED)
        self.assertIn("nothing was done: the access rule 'ops' of the namespace would be deleted, by which you are "
                      "connected", self.said)
        self.assertIn("orders", self.run_wharf("queue", "list"))
        # By another one it can be done, and as the last of all.
        plan = self.run_wharf(*apply)
        self.assertRegex(plan, "(?s)delete queue orders.*delete access rule a-rule.*delete access rule ops.*done: 3")


if __name__ == "__main__":
    unittest.main()
