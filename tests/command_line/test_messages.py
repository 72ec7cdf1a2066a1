"""`wharf messages export` and `import`: what goes out comes in again, once, and nothing half."""

import json
import os
import re
import stat
import subprocess
import unittest

import grpc

import command_line
import wire
from command_line import FAILED, UNKNOWN, UNREACHABLE, USAGE
from wire import Message, message_pb2, timestamp_pb2

YEAR_2100 = timestamp_pb2.Timestamp(seconds=4102444800)
# The broker's own: another entity gives others.
OF_BROKER = {"sequence_number", "enqueued_time", "expires_at", "delivery_count", "state", "size",
             "enqueued_sequence_number", "available_at", "entity_path"}
LARGE = 3 << 20


def value(**kind):
    return message_pb2.PropertyValue(**kind)


def everything():
    """A message in which every field says something."""
    message = Message(
        body=b"\x00\x80\xff", body_kind=message_pb2.BODY_KIND_DATA, message_id="m-1", correlation_id="c", to="there",
        content_type="text/plain", subject="s\u20ac", reply_to="back", reply_to_session_id="rs", session_id="red",
        partition_key="red", content_encoding="none", user_id=b"\xfe\xff", group_sequence=7, priority=3, durable=True,
        first_acquirer=False)
    message.time_to_live.FromSeconds(86400 * 365)
    message.creation_time.FromSeconds(1700000000)
    properties = message.application_properties
    properties["bool"].CopyFrom(value(bool_value=True))
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        properties[name].CopyFrom(value(**{f"{name}_value": 100}))
    properties["float"].CopyFrom(value(float_value=0.5))
    properties["double"].CopyFrom(value(double_value=1e300))
    properties["decimal"].CopyFrom(value(decimal_value="12.50"))
    properties["char"].CopyFrom(value(char_value=0x20ac))
    properties["string"].CopyFrom(value(string_value="x"))
    properties["uuid"].CopyFrom(value(uuid_value=bytes(range(16))))
    properties["uri"].CopyFrom(value(uri_value="http://example.org"))
    properties["null"].CopyFrom(value())
    properties["timestamp"].timestamp_value.FromSeconds(1700000000)
    properties["timespan"].timespan_value.FromSeconds(90)
    message.annotations["x-opt-mine"].CopyFrom(value(int32_value=5))
    message.annotations["x-opt-symbol"].CopyFrom(value(encoded_value=b"\xa3\x03sym"))
    message.footer["x-sum"].CopyFrom(value(string_value="f"))
    message.amqp_form.long_names.append("string")
    return message


class MessagesTest(command_line.CommandLineTest):

    def path(self, name):
        return f"{self.folder.name}/{name}"

    def write(self, *lines):
        with open(self.path("given"), "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
        return self.path("given")

    def export(self, entity, *arguments):
        return [json.loads(line) for line in self.run_wharf("messages", "export", entity, *arguments).splitlines()]

    def substance(self, entity, *arguments):
        """What was sent, without what the broker says of it."""
        return [{name: at for name, at in message.items() if name not in OF_BROKER}
                for message in self.export(entity, *arguments)]

    def bodies(self, entity="orders"):
        return [message.get("body") for message in self.export(entity)]

    def test_what_is_exported_and_imported_elsewhere_is_exported_equal(self):
        self.client.create("large", max_message_size_in_kilobytes=102400)
        self.client.create("copies", max_message_size_in_kilobytes=102400)
        self.client.send("large", everything(), Message(body="€".encode()), Message(),
                         Message(body=b"later", scheduled_enqueue_time=YEAR_2100))
        with open(self.path("large-body"), "wb") as file:
            file.write(os.urandom(LARGE))
        self.run_wharf("send", "large", "--file", self.path("large-body"), "--message-id", "large")

        self.run_wharf("messages", "export", "large", "--to", self.path("out"))
        said = self.run_wharf("messages", "import", "copies", self.path("out"))

        self.assertEqual(said, "imported 5\n")
        self.assertEqual(self.substance("large"), self.substance("copies"))
        self.assertEqual(len(self.substance("copies")), 5)
        self.assertIn("amqp_form_base64", self.substance("copies")[0])
        self.run_wharf("receive", "copies", "--max", "3", "--wait", "0s", "--json")
        self.assertEqual(self.run_shell(f"wharf receive copies --raw | cmp - {self.path('large-body')}"), "")

    def test_every_state_is_exported_and_one_can_be_chosen(self):
        self.run_wharf("send", "orders", "locked", "deferred", "waiting")
        self.run_wharf("receive", "orders", "--settle", "none")
        self.run_wharf("receive", "orders", "--settle", "defer")
        self.run_wharf("send", "orders", "later", "--at", "+1h")

        self.assertEqual(self.bodies(), ["locked", "deferred", "waiting", "later"])
        self.assertEqual([each["body"] for each in self.export("orders", "--state", "deferred")], ["deferred"])
        self.assertEqual([each["body"] for each in self.export("orders", "--filter", "sys.SequenceNumber > 2")],
                         ["waiting", "later"])
        self.assertEqual([each["body"] for each in self.export("orders", "--max", "2")], ["locked", "deferred"])

    def test_dead_letters_are_exported_with_their_reasons(self):
        self.run_wharf("send", "orders", "bad")
        self.run_wharf("receive", "orders", "--settle", "dead-letter", "--reason", "Unreadable")

        (dead,) = self.export("orders", "--dead-letter")

        self.assertEqual(dead["application_properties"]["DeadLetterReason"], "Unreadable")

    def test_an_import_that_is_repeated_doubles_nothing_where_duplicates_are_detected(self):
        self.client.create("once", requires_duplicate_detection=True)
        self.run_wharf("send", "orders", "--message-id", "a", "x")
        self.run_wharf("send", "orders", "no id", "no id")
        self.run_wharf("messages", "export", "orders", "--to", self.path("out"))

        for said in ("imported 3\n", "imported 0, 3 were there already\n"):
            self.assertEqual(self.run_wharf("messages", "import", "once", self.path("out"), "--make-ids"), said)

        self.assertEqual(self.bodies("once"), ["x", "no id", "no id"])

    def export_to(self, name, *arguments):
        self.run_wharf("messages", "export", *arguments, "--to", self.path(name))
        return self.path(name)

    def test_made_ids_of_several_entities_never_meet(self):
        """Each counts for itself, and what one turn stores has one time: here all of it, as the clock stands still."""
        self.client.create("once", requires_duplicate_detection=True)
        files = []
        for number in range(20):
            self.run_wharf("queue", "create", f"q{number}")
            self.run_wharf("send", f"q{number}", "same", f"other {number}")
            files.append(self.export_to(f"out{number}", f"q{number}"))

        for said in ("imported 2\n", "imported 0, 2 were there already\n"):
            for file in files:
                self.assertEqual(self.run_wharf("messages", "import", "once", file, "--make-ids"), said)

        self.assertEqual(sorted(self.bodies("once")), sorted(["same"] * 20 + [f"other {at}" for at in range(20)]))

    def test_an_export_of_before_gets_ids_and_says_what_it_lacks(self):
        self.client.create("once", requires_duplicate_detection=True)
        self.run_wharf("queue", "create", "others")
        self.run_wharf("send", "orders", "apple")
        self.run_wharf("send", "others", "pear")
        for entity in ("orders", "others"):
            (line,) = self.export(entity)
            del line["entity_path"]
            given = self.write(json.dumps(line))
            for said in ("imported 1\n", "imported 0, 1 were there already\n"):
                self.assertEqual(self.run_wharf("messages", "import", "once", given, "--make-ids"), said)
                self.assertIn("1 messages do not say of which entity they are an export", self.said)

        self.assertEqual(self.bodies("once"), ["apple", "pear"])

    def holds_more_than(self, least):
        try:
            return self.client.runtime("once").active_message_count > least
        except grpc.RpcError:  # The connection was to the broker of before.
            return False

    def test_an_import_goes_on_when_the_broker_is_back(self):
        self.start_where_it_stays()
        self.client.create("once", requires_duplicate_detection=True, max_message_size_in_kilobytes=102400)
        bodies = [str(number) + (" " * 1200000 if number % 25 == 24 else "") for number in range(1000)]
        given = self.write(*[json.dumps({"body": body, "message_id": body.strip()}) for body in bodies])
        process = self.begin("messages", "import", "once", given, "--batch", "5", "--repeat-unknown",
                             stdout=subprocess.PIPE)
        for least in (100, 400):
            self.wait_until(lambda least=least: self.holds_more_than(least))
            self.daemon.kill()
            self.daemon.start()
            self.addCleanup(self.daemon.kill)
        _, said = process.communicate(timeout=120)

        self.assertEqual(process.returncode, 0, said)
        self.assertIn("the broker is back", said)
        self.assertEqual(self.bodies("once"), bodies)

    def test_an_import_over_a_kill_that_is_repeated_doubles_and_loses_nothing(self):
        self.start_where_it_stays()
        self.client.create("once", requires_duplicate_detection=True)
        given = self.write(*[json.dumps({"body": str(number), "message_id": f"m{number}"}) for number in range(5000)])
        process = self.begin("--connect-timeout", "1s", "messages", "import", "once", given, "--batch", "5",
                             "--reconnect-for", "0s", stdout=subprocess.PIPE)
        self.wait_until(lambda: self.client.runtime("once").active_message_count > 100)

        self.daemon.kill()
        _, said = process.communicate(timeout=60)

        self.assertIn(process.returncode, (UNKNOWN, UNREACHABLE), said)
        # In batches of five: one may be there that is not told, and none is there in part.
        (line,) = {int(found) for found in re.findall(r"--from-line (\d+)", said)}
        self.assertEqual(line % 5, 1)
        self.daemon.start()
        self.addCleanup(self.daemon.kill)
        there = len(self.bodies("once"))
        self.assertIn(there, (line - 1, line + 4))
        self.run_wharf("messages", "import", "once", given, "--from-line", str(line))
        self.assertEqual(self.bodies("once"), [str(number) for number in range(5000)])

    def test_messages_without_ids_are_told(self):
        self.run_wharf("messages", "import", "orders", self.write('{"body": "x"}'))
        self.assertIn("1 messages have no message_id", self.said)

    def test_of_a_batch_with_a_bad_line_nothing_is_sent_and_all_its_bad_lines_are_told(self):
        given = self.write('{"body": "1"}', '{"body": "2"}', '{"body": "3"}', "nonsense", '{"bdy": "x"}', '{"body": "6"}')

        self.run_wharf("messages", "import", "orders", given, "--batch", "2", code=USAGE)

        self.assertIn("line 4:", self.said)
        self.assertIn("line 5:", self.said)
        self.assertIn("nothing was sent from line 3 on: --from-line 3", self.said)
        self.assertEqual(self.bodies(), ["1", "2"])
        given = self.write('{"body": "1"}', '{"body": "2"}', '{"body": "3"}', '{"body": "4"}')
        self.run_wharf("messages", "import", "orders", given, "--from-line", "3")
        self.assertEqual(self.bodies(), ["1", "2", "3", "4"])

    def test_a_batch_that_is_refused_is_refused_as_a_whole(self):
        too_large = json.dumps({"body": "x" * 1200000})
        given = self.write('{"body": "1"}', '{"body": "2"}', too_large, '{"body": "4"}')

        self.run_wharf("messages", "import", "orders", given, code=FAILED)

        self.assertIn("MessageSizeExceeded", self.said)
        self.assertIn("--from-line 3", self.said)
        self.assertEqual(self.bodies(), ["1", "2"])

    def test_a_batch_that_is_invalid_is_refused_as_a_whole(self):
        self.client.create("sessions", requires_session=True)
        lines = [{"body": str(number), "session_id": "s"} for number in range(10)]
        del lines[5]["session_id"]

        self.run_wharf("messages", "import", "sessions", self.write(*map(json.dumps, lines)), code=FAILED)

        self.assertIn("--from-line 1", self.said)
        self.assertEqual(self.bodies("sessions"), [])

    def test_a_batch_that_is_more_than_the_entity_takes_goes_in_parts(self):
        self.client.create("small", max_message_size_in_kilobytes=100)
        bodies = [str(number) + "x" * 20000 for number in range(60)]
        given = self.write(*[json.dumps({"body": body}) for body in bodies])

        self.assertEqual(self.run_wharf("messages", "import", "small", given), "imported 60\n")

        self.assertEqual(self.bodies("small"), bodies)
        given = self.write(*[json.dumps({"body": "y" * size}) for size in (10, 10, 10, 200000, 10)])
        self.run_wharf("messages", "import", "small", given, code=FAILED)
        self.assertIn("--from-line 4", self.said)
        self.assertEqual(len(self.bodies("small")), 63)

    def test_a_body_of_zeros_comes_back(self):
        self.client.create("large", max_message_size_in_kilobytes=102400)
        with open(self.path("zeros"), "wb") as file:
            file.write(bytes(45 << 20))
        self.run_wharf("send", "large", "--file", self.path("zeros"))

        out = self.export_to("out", "large")

        self.assertLess(os.path.getsize(out), 64 << 20)
        self.assertEqual(self.run_wharf("messages", "import", "large", out), "imported 1\n")

    def test_what_is_said_twice_is_told_with_its_line(self):
        given = self.write('{"body": "a"}', '{"body": "b", "body": "c"}', '{"body": "d", "body_base64": "ZQ=="}')
        self.run_wharf("messages", "import", "orders", given, code=USAGE)
        self.assertRegex(self.said, r"line 2: \.body: this key stands twice")
        self.assertRegex(self.said, r"line 3: body and body_base64 exclude each other")

    def test_a_dry_run_sends_nothing_and_needs_no_broker(self):
        given = self.write('{"body": "1"}', "nonsense", '{"body": "3"}')
        self.assertEqual(self.run_wharf("--address", "127.0.0.1:1", "messages", "import", "orders", given, "--dry-run",
                                        code=USAGE), "2 messages\n")
        self.assertIn("line 2:", self.said)
        self.assertIn("1 lines are no messages", self.said)
        given = self.write('{"body": "1"}', '{"body": "2"}')
        self.assertEqual(self.run_wharf("messages", "import", "orders", given, "--dry-run"), "2 messages\n")
        self.assertEqual(self.bodies(), [])

    def test_a_partitioned_queue_takes_messages_of_all_keys(self):
        self.client.create("events", enable_partitioning=True)
        lines = [json.dumps({"body": str(number), "partition_key": f"k{number % 3}"}) for number in range(7)]

        self.assertEqual(self.run_wharf("messages", "import", "events", self.write(*lines)), "imported 7\n")

        self.assertEqual(sorted(self.bodies("events")), [str(number) for number in range(7)])

    def test_a_file_is_not_written_over_and_for_its_owner_alone(self):
        self.run_wharf("send", "orders", "x")
        self.run_wharf("messages", "export", "orders", "--to", self.path("out"))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("out")).st_mode), 0o600)

        self.run_wharf("messages", "export", "orders", "--to", self.path("out"), code=USAGE)

        self.assertIn("is there already: with --resume", self.said)

    def test_an_export_that_was_broken_off_goes_on_behind_its_last_whole_line(self):
        self.run_wharf("send", "orders", *[f"m{number}" for number in range(600)])
        self.run_wharf("messages", "export", "orders", "--to", self.path("out"))
        with open(self.path("out"), encoding="ascii") as file:
            whole = file.read()
        for cut in (0, 10, len(whole) // 2, len(whole) - 1, len(whole)):
            with self.subTest(cut):
                os.truncate(self.path("out"), cut)
                self.run_wharf("messages", "export", "orders", "--to", self.path("out"), "--resume")
                with open(self.path("out"), encoding="ascii") as file:
                    self.assertEqual(file.read(), whole)

    def test_an_export_that_fails_says_how_to_go_on(self):
        self.run_wharf("messages", "export", "nothing", "--from", "500", code=FAILED)
        self.assertIn("go on with --from 500", self.said)
        self.run_wharf("send", "orders", "a", "b", "c")
        self.client.create("gone")
        self.run_wharf("send", "gone", "x")
        gone = self.export_to("gone", "gone")
        self.client.delete("gone")
        self.run_wharf("messages", "export", "gone", "--to", gone, "--resume", code=FAILED)
        self.assertIn("go on with --resume", self.said)
        out = self.export_to("out", "orders", "--max", "2")
        self.run_wharf("messages", "export", "orders", "--to", out, "--resume")
        with open(out, encoding="ascii") as file:
            self.assertEqual([json.loads(line)["body"] for line in file], ["a", "b", "c"])

    def test_an_export_of_another_entity_is_not_gone_on_with(self):
        """Its numbers are of another count."""
        self.run_wharf("send", "orders", "a", "b")
        self.client.create("others")
        out = self.export_to("out", "orders")
        with open(out, encoding="ascii") as file:
            whole = file.read()
        os.truncate(out, len(whole) + 5)
        for other in (["others"], ["orders", "--dead-letter"]):
            self.run_wharf("messages", "export", *other, "--to", out, "--resume", code=USAGE)
            self.assertIn("it holds messages of 'orders', not of '", self.said)
        self.assertEqual(os.path.getsize(out), len(whole) + 5)
        self.run_wharf("messages", "export", "ORDERS", "--to", out, "--resume")
        with open(out, encoding="ascii") as file:
            self.assertEqual(file.read(), whole)

    def test_only_a_file_is_gone_on_with_and_only_behind_a_number_of_a_message(self):
        for device in ("/dev/full", "/dev/zero"):
            self.run_wharf("messages", "export", "orders", "--to", device, "--resume", code=USAGE)
            self.assertIn("it is no file", self.said)
        for number in (-5, 0, 2**63 - 1, 2**64 - 1):
            given = self.write(json.dumps({"sequence_number": number}))
            self.run_wharf("messages", "export", "orders", "--to", given, "--resume", code=USAGE)
            self.assertIn("its last line has no sequence_number", self.said)

    def test_what_is_no_export_is_not_gone_on_with(self):
        given = self.write('{"body": "mine"}')
        self.run_wharf("messages", "export", "orders", "--to", given, "--resume", code=USAGE)
        self.assertIn("its last line has no sequence_number", self.said)
        with open(given, encoding="utf-8") as file:
            self.assertEqual(file.read(), '{"body": "mine"}\n')


if __name__ == "__main__":
    unittest.main()
