"""wharfd --emulator: the entities of a Config.json, over restarts and changes; any key, but no web page; and folders
that go with the process."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess

import grpc

import daemon_test
import rest_client
import wire
from free_ports import free_port
from topic_calls import path_of, sql
from wharf.v1 import management_pb2

PLACES = "127.0.0.1:0,amqp://127.0.0.1:0,servicebus://127.0.0.1:0"
KEY = {"Authorization": "anything"}
# A client that says all that it has to until its connection is open: SASL, as nobody; AMQP; and its name.
AMQP_OPEN = b"\x00\x53\x10"
AMQP_OPENING = (b"AMQP\x03\x01\x00\x00" b"\x00\x00\x00\x19\x02\x01\x00\x00\x00\x53\x41\xc0\x0c\x01\xa3\x09ANONYMOUS"
                b"AMQP\x00\x01\x00\x00" b"\x00\x00\x00\x14\x02\x00\x00\x00" + AMQP_OPEN + b"\xc0\x07\x01\xa1\x04test")


def config(queues=(), topics=()):
    return {"UserConfig": {"Namespaces": [{"Name": "sbemulatorns", "Queues": list(queues), "Topics": list(topics)}],
                           "Logging": {"Type": "File"}}}


def queue(name, **properties):
    return {"Name": name, "Properties": properties}


def topic(name, *subscriptions, **properties):
    return {"Name": name, "Properties": properties, "Subscriptions": list(subscriptions)}


def subscription(name, *rules, **properties):
    return {"Name": name, "Properties": properties, "Rules": list(rules)}


def sql_rule(name, filter_text, action=None):
    rule = {"Name": name, "Properties": {"FilterType": "Sql", "SqlFilter": {"SqlExpression": filter_text}}}
    if action:
        rule["Properties"]["Action"] = {"SqlExpression": action}
    return rule


def correlation_rule(name, **wanted):
    return {"Name": name, "Properties": {"FilterType": "Correlation", "CorrelationFilter": wanted}}


class Ephemeral(wire.Daemon):
    """A broker without a folder of its own, in a place of the test's."""

    def __init__(self, place, *flags):  # pylint: disable=super-init-not-called
        self._command = [os.environ["WHARFD"], "--listen", "127.0.0.1:0", "--ephemeral", *flags]
        self.start(env={**os.environ, "TMPDIR": place})
        self.data = re.search(r" data=(\S+)", self.log[-1]).group(1)


class EmulatorTest(rest_client.RestTest):

    def setUp(self):
        super().setUp()
        self.file = f"{self.folder.name}/Config.json"

    def write(self, content):
        text = content if isinstance(content, str) else json.dumps(content, indent=1)
        pathlib.Path(self.file).write_text(text, encoding="utf-8")

    def emulate(self, content=None, *flags):
        if content is not None:
            self.write(content)
        return self.serve("--emulator", self.file, *flags, places=PLACES)

    def again(self, daemon, end="kill", content=None):
        getattr(daemon, end)()
        return self.emulate(content)

    def refuse(self, *flags, code, content=None, listen=PLACES):
        """What it says as it ends."""
        if content is not None:
            self.write(content)
        ended = subprocess.run([os.environ["WHARFD"], "--listen", listen, *flags], stderr=subprocess.PIPE, text=True,
                               timeout=wire.TIMEOUT, check=False)
        self.assertEqual(ended.returncode, code, ended.stderr)
        return ended.stderr

    def refuse_emulation(self, content, code=1):
        return self.refuse("--data", self.data, "--emulator", self.file, code=code, content=content)

    def counts(self, daemon):
        """Of entities and rules: how many were made, how many changed."""
        (line,) = [line for line in daemon.log if "Config.json is there" in line]
        return tuple(map(int, re.search(r"rules (\d+) were made and (\d+) changed", line).groups()))


class Entities(EmulatorTest):

    def test_what_the_file_names_is_there_before_any_client(self):
        daemon = self.emulate(config(
            [queue("orders", LockDuration="PT30S", MaxDeliveryCount=3, ForwardDeadLetteredMessagesTo="dead"),
             queue("dead")],
            [topic("news", subscription("all"), subscription("red", sql_rule("r", "color = 'red'", "SET seen = 1")),
                   subscription("mine", correlation_rule("c", Label="mine", Properties={"size": 5})))]))

        self.assertEqual(self.counts(daemon), (6, 1))
        orders = self.client.get("orders")
        self.assertEqual((orders.lock_duration.seconds, orders.max_delivery_count,
                          orders.forward_dead_lettered_messages_to), (30, 3, "dead"))
        self.client.send(
            "news", wire.Message(body=b"1", application_properties={"color": wire.Value(string_value="red")}),
            wire.Message(body=b"2", subject="mine", application_properties={"size": wire.Value(int32_value=5)}))
        self.assertEqual(wire.bodies(self.client.receive_all(path_of("news", "all"), 2)), [b"1", b"2"])
        (red,) = self.client.receive_all(path_of("news", "red"), 1)
        self.assertEqual((red.message.body, red.message.application_properties["seen"].int64_value), (b"1", 1))
        self.assertEqual(wire.bodies(self.client.receive_all(path_of("news", "mine"), 1)), [b"2"])

    def test_a_restart_keeps_messages_and_changes_nothing(self):
        content = config([queue("a", ForwardTo="b", DefaultMessageTimeToLive="PT1H"), queue("b", MaxDeliveryCount=3)],
                         [topic("t", subscription("s", sql_rule("r", "a = 1"), correlation_rule("c", To="x")))])
        daemon = self.emulate(content)
        self.client.send("b", b"kept")
        before = self.client.get("b")

        daemon = self.again(daemon)

        self.assertEqual(self.counts(daemon), (0, 0))
        self.assertEqual(self.client.get("b"), before)
        self.assertEqual(self.client.receive_one("b").message.body, b"kept")

    def test_what_the_file_says_anew_is_changed_and_all_else_stays(self):
        daemon = self.emulate(config([queue("orders", MaxDeliveryCount=3), queue("dropped")],
                                     [topic("t", subscription("s"), subscription("u", sql_rule("r", "a = 1")))]))
        self.client.send("orders", b"kept")
        self.client.create("own")
        self.client.update("orders", ["lock_duration"], lock_duration=wire.seconds(45))
        self.client.topics.add_rule("t", "u", sql("b = 1", "mine"))

        daemon = self.again(daemon, "terminate", config(
            [queue("orders", MaxDeliveryCount=4), queue("more")],
            [topic("t", subscription("s", sql_rule("r", "a = 1")), subscription("u", sql_rule("r", "a = 2")))]))

        self.assertEqual(self.counts(daemon), (2, 3))
        orders = self.client.get("orders")
        self.assertEqual((orders.max_delivery_count, orders.lock_duration.seconds), (4, 45))
        self.assertEqual(self.client.receive_one("orders").message.body, b"kept")
        for name in ("own", "dropped", "more"):
            self.client.get(name)
        rules = {rule.name: rule.sql_filter.text for rule in self.client.topics.list_rules("t", "u").rules}
        self.assertEqual(rules, {"r": "a = 2", "mine": "b = 1"})
        # What would let everything through was there for want of others.
        self.assertEqual([rule.name for rule in self.client.topics.list_rules("t", "s").rules], ["r"])

    def test_a_kill_while_they_are_made_is_made_good(self):
        names = [f"q{i}" for i in range(200)]
        content = config([queue(name, MaxDeliveryCount=7) for name in names],
                         [topic("t", *(subscription(f"s{i}", sql_rule("one", "a = 1"), sql_rule("two", "a = 2"))
                                       for i in range(100)))])
        self.write(content)
        command = [os.environ["WHARFD"], "--data", self.data, "--listen", PLACES, "--emulator", self.file]
        for _ in range(3):
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as killed:
                for line in killed.stderr:
                    if " is made" in line or "wharfd ready" in line:
                        break
                killed.kill()

        daemon = self.emulate()

        made, changed = self.counts(daemon)
        self.assertEqual(changed, 0)
        self.assertLess(made, 401)
        for name in names:
            self.assertEqual(self.client.get(name).max_delivery_count, 7)
        for i in range(100):
            self.assertEqual([rule.name for rule in self.client.topics.list_rules("t", f"s{i}").rules], ["one", "two"])

    def test_a_client_that_cannot_wait_finds_all_of_them(self):
        self.port = free_port()
        self.write(config([queue(f"q{i}") for i in range(1000)]))
        command = [os.environ["WHARFD"], "--data", self.data, "--emulator", self.file,
                   "--listen", f"127.0.0.1:0,servicebus://127.0.0.1:{self.port}"]
        daemon = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.kill)

        # From its first moment on; nobody answers until all are there.
        answer = daemon_test.wait_for(lambda: self.ask("GET", "/q999", headers=KEY), OSError)

        self.assertEqual(answer.status, 200)

    def test_two_hundred_connections_and_five_hundred_entities_are_nothing_special(self):
        daemon = self.emulate(config([queue(f"q{i}", LockDuration="PT10S") for i in range(400)],
                                     [topic(f"t{i}", subscription("s", sql_rule("r", "a = 1"))) for i in range(50)]))
        port = self.port_of(daemon, "amqp")

        self.assertEqual(self.counts(daemon), (500, 0))
        opened = [socket.create_connection(("127.0.0.1", port), timeout=wire.TIMEOUT) for _ in range(200)]
        for connection in opened:
            self.addCleanup(connection.close)
            connection.sendall(AMQP_OPENING)
        for connection in opened:
            heard = b""
            while AMQP_OPEN not in heard:
                heard += connection.recv(4096)


class Refusals(EmulatorTest):

    def test_what_is_wrong_with_the_file_is_told_with_its_place(self):
        for text, *words in (
                ('{"UserConfig": {\n"Namespaces": [{"Queues": [\n{"Name": "q", "Properties":\n{"LockDuraton": 1}}]}]}}',
                 f"{self.file}:4: UserConfig.Namespaces[0].Queues[0].Properties.LockDuraton is nothing that can be "
                 "said here, where there is LockDuration, MaxDeliveryCount, ", "; did you mean LockDuration?\n"),
                ("[" * 10000, f"{self.file}: line 1: it is deeper than 32"),
                ("", f"{self.file}: line 1: it is no JSON")):
            said = self.refuse_emulation(text, code=2)
            for each in words:
                self.assertIn(each, said)
            self.assertFalse(os.path.exists(self.data))

    def test_what_is_no_good_file_is_told(self):
        said = self.refuse("--data", self.data, "--emulator", f"{self.folder.name}/nowhere.json", code=2)
        self.assertIn("nowhere.json: No such file or directory", said)
        with open(self.file, "wb") as file:
            file.truncate(100 << 20)
        self.assertIn("it has more than 16 MiB", self.refuse("--data", self.data, "--emulator", self.file, code=2))

    def test_config_check_looks_at_the_file_too(self):
        self.write(config([queue("q", MaxDeliveryCount=0)]))
        command = [os.environ["WHARFD"], "config", "check", "--data", self.data, "--emulator", self.file]
        checked = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(checked.returncode, 2)
        self.assertIn("MaxDeliveryCount is 0: max_delivery_count must be 1 or more", checked.stderr)

    def test_what_cannot_be_changed_ends_the_start_and_changes_nothing(self):
        daemon = self.emulate(config([queue("q", RequiresSession=False, MaxDeliveryCount=3)]))
        daemon.terminate()

        said = self.refuse_emulation(config([queue("q", RequiresSession=True, MaxDeliveryCount=4), queue("new"),
                                             queue("far", ForwardTo="nowhere")]))

        self.assertIn("Queues[0].Properties.RequiresSession is another one than that of the queue in the data folder, "
                      "and cannot be changed", said)
        self.assertIn("Queues[2] forwards to 'nowhere', which is not there", said)
        self.assertRegex(said.splitlines()[-1], "error wharfd ends: .*Config.json wants what cannot be")
        self.start()
        self.assertEqual(self.client.get("q").max_delivery_count, 3)
        with self.assertRaises(grpc.RpcError):
            self.client.get("new")

    def test_what_only_the_broker_knows_is_told_with_its_place(self):
        said = self.refuse_emulation(config([queue("a", ForwardTo="b"), queue("b", ForwardTo="a")]))
        self.assertRegex(said.splitlines()[-1], r"Config\.json:\d+: UserConfig\.Namespaces\[0\]\.Queues\[0\] cannot be "
                                                "had: .*its messages would come back to it")

    def test_a_folder_with_access_rules_is_refused(self):
        self.start(flags=["--access=on"]).terminate()

        for flags in ([], ["--access=off"]):
            said = self.refuse("--data", self.data, "--emulator", *flags, code=1)
            self.assertIn("has access rules, 1 of them, and the emulator takes any key", said)

    def test_access_rules_that_its_own_clients_made_are_kept_and_not_asked(self):
        daemon = self.emulate(config([queue("q")]))
        rule = management_pb2.AccessRule(entity_path="q", name="mine", rights=[management_pb2.ACCESS_RIGHT_SEND])
        made = self.client.management.CreateAccessRule(
            management_pb2.CreateAccessRuleRequest(rule=rule, show_keys=True), timeout=wire.TIMEOUT)

        daemon = self.again(daemon)

        self.assertTrue(any("the emulator takes any key: 1 access rules are kept and not asked" in line
                            for line in daemon.log), daemon.log)
        self.send("q", b"x", KEY)
        kept = self.client.management.GetAccessRule(
            management_pb2.GetAccessRuleRequest(entity_path="q", name="mine", show_keys=True), timeout=wire.TIMEOUT)
        self.assertEqual(kept.primary_key, made.primary_key)

    def test_what_does_not_go_with_it_is_refused(self):
        for flags, sentence in (
                (["--data", self.data, "--emulator", "--access=on"], "--access: the emulator takes any key"),
                (["--data", self.data, "--emulator", "--node", "a"], "--node: the emulator runs by itself"),
                (["--data", self.data, "--ephemeral"], "--ephemeral: only the emulator can be ephemeral"),
                (["--data", self.data, "--emulator", "--ephemeral"], "--data: data names a folder that stays")):
            self.assertIn(sentence, self.refuse(*flags, code=2))
        self.assertIn("beyond this machine", self.refuse("--data", self.data, "--emulator", code=2,
                                                         listen="127.0.0.1:0,amqp://0.0.0.0:0"))


class Doors(EmulatorTest):

    def setUp(self):
        super().setUp()
        self.emulate(config([queue("health"), queue("q")]))

    def test_health_is_the_emulators_where_no_key_is_sent(self):
        answer = self.ask("GET", "/health")
        self.assertEqual((answer.status, answer.body),
                         (200, b'{"status":"healthy","message":"Service is healthy."}'))
        entity = self.ask("GET", "/health", headers=KEY)
        self.assertEqual(entity.status, 200)
        self.assertIn(b"QueueDescription", entity.body)
        for method in ("HEAD", "POST", "PUT", "DELETE"):
            self.assertEqual(self.ask(method, "/health").status, 401, method)

    def test_without_a_key_nothing_is_told_or_done(self):
        for method, path in (("POST", "/q/messages"), ("DELETE", "/q/messages/head?timeout=0"), ("GET", "/q"),
                             ("PUT", "/made"), ("DELETE", "/q"), ("GET", "/$Resources/Queues"), ("GET", "/none")):
            answer = self.ask(method, path, b"x")
            self.assertEqual(answer.status, 401, (method, path))
        self.assertEqual(self.client.runtime("q").active_message_count, 0)
        self.send("q", b"x", KEY)
        self.assertEqual(self.client.runtime("q").active_message_count, 1)

    def test_any_key_manages(self):
        body = (b'<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><QueueDescription '
                b'xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"><MaxDeliveryCount>4'
                b'</MaxDeliveryCount></QueueDescription></content></entry>')
        self.assertEqual(self.ask("PUT", "/made?api-version=2021-05", body, KEY).status, 201)
        self.assertEqual(self.client.get("made").max_delivery_count, 4)

    def test_a_page_of_somebody_else_is_refused_whatever_key_it_has(self):
        for strange in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Origin": "null"},
                        {"Host": f"evil.example:{self.port}"}):
            for path in ("/health", "/q", "/q/messages/head?timeout=0"):
                for key in ({}, KEY):
                    self.assertEqual(self.ask("GET", path, headers={**strange, **key}).status, 403, (strange, path))
        preflight = self.ask("OPTIONS", "/q", headers={"Origin": "https://evil.example",
                                                       "Access-Control-Request-Headers": "authorization"})
        self.assertEqual(preflight.status, 403)
        self.assertIsNone(preflight.headers["Access-Control-Allow-Origin"])

    def test_elsewhere_a_queue_of_that_name_is_all_there_is(self):
        other = self.start(f"{self.folder.name}/other", listen=PLACES + ",operations://127.0.0.1:0")
        self.port = self.port_of(other, "servicebus")
        self.assertEqual(self.ask("GET", "/health").status, 404)


class Folders(EmulatorTest):

    def test_an_ephemeral_folder_goes_with_its_process(self):
        self.write(config([queue("q")]))
        daemon = Ephemeral(self.folder.name, "--emulator", self.file)
        self.addCleanup(daemon.kill)
        self.assertEqual(os.stat(daemon.data).st_mode & 0o777, 0o700)
        self.assertTrue(os.path.exists(f"{daemon.data}/CURRENT"))
        self.connect(daemon).send("q", b"x")

        self.assertEqual(daemon.terminate(), 0)

        self.assertFalse(os.path.exists(daemon.data))

    def test_what_a_kill_left_is_removed_by_the_next_start(self):
        killed = Ephemeral(self.folder.name, "--emulator")
        killed.kill()
        self.assertTrue(os.path.exists(killed.data))

        daemon = Ephemeral(self.folder.name, "--emulator")
        self.addCleanup(daemon.kill)
        other = Ephemeral(self.folder.name, "--emulator")
        self.addCleanup(other.kill)

        self.assertFalse(os.path.exists(killed.data))
        self.assertTrue(os.path.exists(f"{daemon.data}/CURRENT"))
        self.connect(daemon).create("q")

    def test_a_reload_leaves_its_folder_alone(self):
        settings = f"{self.folder.name}/wharfd.toml"
        pathlib.Path(settings).write_text('log-level = "info"\n', encoding="ascii")
        daemon = Ephemeral(self.folder.name, "--emulator", "--config", settings)
        self.addCleanup(daemon.kill)

        daemon.send_signal(signal.SIGHUP)

        told = daemon_test.wait_for_line(daemon, "reloaded")
        self.assertIn("0 changed, 0 wait for a restart", told)
