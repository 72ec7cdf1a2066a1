"""Who may do what: everything that can be asked, as everybody; what ends when a key or a rule does."""

import os
import pathlib
import re
import shutil
import stat
import subprocess
import tempfile
import threading
import time
import unittest

import grpc

import access_calls
import daemon_test
import operations
import wire
from access_calls import AccessClient, QUEUE, REFUSALS, TOPIC, connection_of, make_token
from wharf.v1 import management_pb2, messaging_pb2

SECOND = 1.0
SECONDARY = management_pb2.ACCESS_KEY_SLOT_SECONDARY


class AccessTest(daemon_test.DaemonTest):
    """A daemon with access on, and `self.root`, who may do everything."""

    def start_on(self, *flags, **options):
        daemon = wire.Daemon(self.data, flags=["--access=on", *flags], **options)
        self.addCleanup(daemon.kill)
        self.daemon = daemon
        self.root = self.client_of(make_token("sb://host/", "RootManageSharedAccessKey", self.root_key()))
        return daemon

    def root_file(self):
        return pathlib.Path(self.data, "root-connection-string")

    def root_key(self):
        return connection_of(self.root_file().read_text(encoding="ascii"))["SharedAccessKey"]

    def client_of(self, token):
        client = AccessClient(self.daemon.address, token)
        self.addCleanup(client.close)
        return client

    def rule_client(self, path, name, *rights):
        rule = self.root.make_rule(path, name, *rights)
        return self.client_of(make_token(f"sb://h/{path}", name, rule.primary_key)), rule

    def assert_code(self, code, call, *arguments, **options):
        with self.assertRaises(grpc.RpcError) as raised:
            call(*arguments, **options)
        self.assertEqual(raised.exception.code(), code, raised.exception)
        return raised.exception

    def assert_unauthenticated(self, call, *arguments, **options):
        return self.assert_code(grpc.StatusCode.UNAUTHENTICATED, call, *arguments, **options)


# By the administration clients of the SDKs alone; tests/http/atom has their rights.
ASKED_OVER_HTTP = ("GetNamespaceRequest",)


class Matrix(AccessTest):
    """Made from the broker's own table of rights (broker/requests/need.h)."""

    @classmethod
    def setUpClass(cls):
        cls.needs = access_calls.needs()

    def make_tokens(self):
        """By who has it, of each entity: the good ones by their right, and those that are worth nothing."""
        for path in (QUEUE, TOPIC):
            self.good[path], self.bad[path] = {}, {"nobody": None, "no text": "", "another scheme": "Bearer abc"}
            uri = f"sb://host/{path}"
            for right in ("Send", "Listen", "Manage"):
                rule = self.root.make_rule(path, right, right)
                self.good[path][right] = make_token(uri, right, rule.primary_key)
                self.bad[path][f"{right}, lapsed"] = make_token(uri, right, rule.primary_key, -1)
                self.bad[path][f"{right}, on the namespace"] = make_token("sb://host/", right, rule.primary_key)
                self.bad[path][f"{right}, on its parent"] = make_token("sb://host", right, rule.secondary_key)
            token = self.good[path]["Manage"]
            self.bad[path]["a bad signature"] = token.replace("sig=", "sig=A")
            self.bad[path]["another's signature"] = make_token(uri, "Manage", "k" * 44)
            rolled = self.root.make_rule(path, "rolled", "Manage")
            self.root.rotate(path, "rolled")
            self.bad[path]["a rotated key"] = make_token(uri, "rolled", rolled.primary_key)
            removed = self.root.make_rule(path, "removed", "Manage")
            self.root.remove_rule(path, "removed")
            self.bad[path]["a removed rule"] = make_token(uri, "removed", removed.primary_key)
        other = self.root.make_rule("payments", "Manage", "Manage")
        self.other = make_token("sb://host/payments", "Manage", other.primary_key)

    def ask_everything(self, ask, methods=None):
        """As everybody; `ask` answers what a method is refused with, of its name, a request and a token."""
        self.root.create(QUEUE)
        self.root.create("payments")
        self.root.topics.create(TOPIC)
        self.root.topics.subscribe(TOPIC, "me")
        self.good, self.bad = {}, {}
        self.make_tokens()
        root = make_token("sb://host/", "RootManageSharedAccessKey", self.root_key())

        for name, (request, path, message) in (methods or access_calls.METHODS).items():
            on, right = self.needs[request]
            for who, token in self.bad[path or QUEUE].items():
                with self.subTest(method=name, who=who):
                    self.assertEqual(ask(name, message, token), grpc.StatusCode.UNAUTHENTICATED)
            right = access_calls.PART if on == "parts" else right
            for has, token in self.good[path or QUEUE].items():
                enough = right == "-" or (on != "namespace" and has in (right, "Manage"))
                with self.subTest(method=name, who=f"who may {has}"):
                    self.assert_allowed(enough, ask(name, message, token))
            with self.subTest(method=name, who="who manages another entity"):
                self.assert_allowed(right == "-", ask(name, message, self.other))
            with self.subTest(method=name, who="root"):
                self.assert_allowed(True, ask(name, message, root))

    def assert_allowed(self, is_allowed, code):
        if is_allowed:
            self.assertNotIn(code, REFUSALS)
        else:
            self.assertEqual(code, grpc.StatusCode.PERMISSION_DENIED)


class MatrixTest(Matrix):

    def test_every_method_and_every_request_has_a_line(self):
        methods = {f"{service.name}.{method.name}" for service in access_calls.SERVICES for method in service.methods}
        self.assertEqual({name.split(" ")[0] for name in access_calls.METHODS}, methods)
        asked = {request for request, _, _ in access_calls.METHODS.values()}
        # A door asks it for what was delivered to it, and the clock's Advance asks it itself.
        self.assertEqual(set(self.needs) - asked, {"ReadBodyChunkRequest", "AwaitDueRequest", *ASKED_OVER_HTTP})

    def test_everything_asked_as_everybody(self):  # SEC-20, SEC-21, SEC-22, SEC-23, SEC-24
        self.start_on("--clock=manual")
        channel = grpc.insecure_channel(self.daemon.address)
        self.addCleanup(channel.close)
        self.ask_everything(lambda name, message, token: access_calls.ask(channel, name, message, token))

    def test_health_is_open_and_reflection_is_not(self):
        from grpc.health.v1 import health_pb2, health_pb2_grpc  # pylint: disable=import-outside-toplevel
        from grpc.reflection.v1alpha import reflection_pb2, reflection_pb2_grpc  # pylint: disable=C0415
        self.start_on()
        channel = grpc.insecure_channel(self.daemon.address)
        self.addCleanup(channel.close)

        health = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=wire.TIMEOUT)
        self.assertEqual(health.status, health_pb2.HealthCheckResponse.SERVING)

        def reflect(token):
            request = reflection_pb2.ServerReflectionRequest(list_services="")
            metadata = [("authorization", token)] if token else []
            call = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(
                iter([request]), timeout=wire.TIMEOUT, metadata=metadata)
            return [service.name for answer in call for service in answer.list_services_response.service]

        self.assertIn("wharf.v1.Messaging",
                      reflect(make_token("sb://h", "RootManageSharedAccessKey", self.root_key())))
        self.assert_code(grpc.StatusCode.CANCELLED, reflect, None)
        self.assert_code(grpc.StatusCode.CANCELLED, reflect, "SharedAccessSignature sr=x")


class FirstStartTest(AccessTest):

    def test_it_makes_the_root_rule_and_its_file(self):  # SEC-3
        self.start_on()

        mode = self.root_file().stat().st_mode
        self.assertEqual(stat.S_IMODE(mode), 0o600)
        connection = connection_of(self.root_file().read_text(encoding="ascii"))
        self.assertEqual(connection["Endpoint"], f"sb://{self.daemon.address}/")
        self.assertEqual(connection["SharedAccessKeyName"], "RootManageSharedAccessKey")
        self.root.create("orders")
        self.assertNotIn(connection["SharedAccessKey"], "".join(self.daemon.log))

    def test_who_makes_the_first_rule_hears_what_that_means(self):
        daemon = self.daemon = self.start(flags=("--listen", "operations://127.0.0.1:0"))
        self.assertIn(" access=off", daemon_test.wait_for_line(daemon, "wharfd ready on "))
        client = self.client_of(None)
        self.assertFalse(client.statistics().access_enabled)

        shop = client.make_rule("", "shop", "Manage")
        said = daemon_test.wait_for_line(daemon, "warning access is off, and there are access rules now")
        self.assertIn("from the next start on", said)
        client.make_rule("", "store", "Manage")
        client.create("orders")  # As before, until then.
        self.assertEqual("".join(daemon.log).count("there are access rules now"), 1)
        self.assertIn("\nwharf_access_enabled 0\n", operations.get(operations.port_of(daemon), "/metrics")[2])
        self.assertEqual(daemon.terminate(), 0)

        self.daemon = self.start()
        self.assertIn(" access=on", daemon_test.wait_for_line(self.daemon, "wharfd ready on "))
        self.assert_unauthenticated(self.client.get, "orders")
        client = self.client_of(make_token("sb://h", "shop", shop.primary_key))
        self.assertTrue(client.statistics().access_enabled)

    def test_a_first_rule_without_manage_locks_nobody_out(self):
        self.daemon = self.start()
        self.client_of(None).make_rule("", "sender", "Send")
        self.daemon.kill()

        self.start_on()

        self.root.create("orders")

    def test_a_rule_that_was_made_by_mistake_goes_again(self):
        self.daemon = self.start()
        client = self.client_of(None)
        client.make_rule("", "shop", "Manage")
        client.remove_rule("", "shop")
        self.daemon.kill()

        self.start()
        self.client.create("orders")

    def test_later_starts_leave_rule_and_file_alone(self):
        self.start_on()
        key = self.root_key()
        self.daemon.kill()
        self.root_file().unlink()

        daemon = wire.Daemon(self.data)  # By itself: the folder has rules.
        self.addCleanup(daemon.kill)
        self.daemon = daemon

        self.assertFalse(self.root_file().exists())
        client = self.client_of(make_token("sb://h", "RootManageSharedAccessKey", key))
        client.create("orders")
        self.assert_unauthenticated(self.client_of(None).create, "payments")

    def test_a_start_that_ended_between_rule_and_file_is_made_good(self):
        # The name of the file that is written first is taken: so the start ends behind the commit of the rule.
        blocked = pathlib.Path(self.data, "root-connection-string.dbtmp")
        blocked.mkdir(parents=True)
        (blocked / "in-the-way").touch()
        self.assert_refuses_on("cannot write .*root-connection-string")
        self.assertFalse(self.root_file().exists())
        (blocked / "in-the-way").unlink()

        self.start_on()

        self.root.create("orders")

    def assert_refuses_on(self, pattern):
        with self.assertRaisesRegex(AssertionError, pattern):
            wire.Daemon(self.data, flags=["--access=on"])

    def test_any_kill_leaves_a_folder_that_lets_its_operator_in(self):
        for delay in (0.01, 0.03, 0.05, 0.08, 0.12, 0.2):
            with self.subTest(delay=delay):
                self.data = f"{self.folder.name}/{delay}"
                started = subprocess.Popen([os.environ["WHARFD"], "--data", self.data, "--listen", "127.0.0.1:0",
                                            "--access=on"], stderr=subprocess.DEVNULL)
                time.sleep(delay)  # Wherever that is.
                started.kill()
                started.wait()
                self.start_on()
                self.root.create("orders")
                self.daemon.kill()

    def test_rules_are_obeyed_unless_somebody_says_off(self):
        self.start_on()
        self.daemon.kill()
        daemon = wire.Daemon(self.data, flags=["--access=off"])
        self.addCleanup(daemon.kill)
        self.daemon = daemon

        self.client_of(None).create("orders")
        self.assertRegex("".join(daemon.log), "warning access is off, though the folder has 1 access rules")

    def test_nothing_but_the_flag_says_off_to_rules(self):
        self.start_on()
        self.daemon.kill()
        file = pathlib.Path(self.folder.name, "wharfd.toml")
        file.write_text('access = "off"\n', encoding="ascii")
        said = "the folder has 1 access rules, and {} says that access is off; that takes the flag --access=off"
        for origin, flags, variables in ((f"{file}:1", ["--config", str(file)], {}),
                                         ("WHARFD_ACCESS", [], {"WHARFD_ACCESS": "off"})):
            with self.assertRaisesRegex(AssertionError, said.format(origin)):
                wire.Daemon(self.data, flags=flags, env={**os.environ, **variables})

        other = f"{self.folder.name}/without-rules"
        self.start(other, env={**os.environ, "WHARFD_ACCESS": "off"})
        self.client.create("orders")

    def test_all_is_lost_and_yet_somebody_gets_in(self):
        self.start_on()
        self.root_file().unlink()
        self.daemon.kill()
        daemon = wire.Daemon(self.data, flags=["--access=off"])
        self.daemon = daemon
        rule = self.client_of(None).rotate("", "RootManageSharedAccessKey")
        daemon.kill()

        daemon = wire.Daemon(self.data)
        self.addCleanup(daemon.kill)
        self.daemon = daemon

        self.client_of(make_token("sb://h", "RootManageSharedAccessKey", rule.primary_key)).create("orders")


class SecretsTest(AccessTest):

    def owner_of_memory(self, *flags, then=lambda address: None):
        """Who may look into a daemon of an ordinary user, and who that is."""
        os.chmod(self.folder.name, 0o777)
        wharfd = shutil.copy(os.environ["WHARFD"], self.folder.name)
        user = {"user": "nobody"} if os.getuid() == 0 else {}
        data = tempfile.mkdtemp(dir=self.folder.name)
        os.chmod(data, 0o777)
        command = [wharfd, "--data", f"{data}/data", "--listen", "127.0.0.1:0", *flags]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **user) as daemon:
            self.addCleanup(daemon.kill)
            ready = next(line for line in daemon.stderr if "wharfd ready on " in line)
            then(re.search(r"ready on (\S+)", ready)[1])
            process = pathlib.Path(f"/proc/{daemon.pid}")
            owner = process.joinpath("environ").stat().st_uid
            status = process.joinpath("status").read_text(encoding="ascii")
            daemon.kill()
            return owner, int(next(line for line in status.splitlines() if line.startswith("Uid:")).split()[1])

    def test_keys_are_in_no_core_dump(self):
        # What cannot be dumped belongs to root below /proc.
        owner, user = self.owner_of_memory("--access=on")
        self.assertEqual(owner, 0)
        self.assertNotEqual(user, 0)
        owner, user = self.owner_of_memory()
        self.assertEqual(owner, user)

    def test_nor_are_those_of_a_rule_that_comes_later(self):
        def make_rule(address):
            client = AccessClient(address, None)
            self.addCleanup(client.close)
            client.make_rule("", "shop", "Manage")

        owner, user = self.owner_of_memory(then=make_rule)

        self.assertEqual(owner, 0)
        self.assertNotEqual(user, 0)

    def test_the_service_leaves_no_core_dump_either(self):
        unit = pathlib.Path(__file__).resolve().parents[2] / "deploy/wharfd.service"
        self.assertIn("\nLimitCORE=0\n", unit.read_text(encoding="ascii"))


class RulesTest(AccessTest):

    def test_the_last_rule_with_manage_stays(self):
        self.start_on()
        self.root.make_rule("", "sender", "Send")
        self.root.create("orders")
        self.root.make_rule("orders", "owner", "Manage")
        with self.assertRaisesRegex(grpc.RpcError, "is the last access rule of the namespace with Manage"):
            self.root.remove_rule("", "RootManageSharedAccessKey")
        self.root.create("payments")  # As it could before.

        other, _ = self.rule_client("", "second", "Manage")
        other.remove_rule("", "RootManageSharedAccessKey")
        with self.assertRaisesRegex(grpc.RpcError, "is the last access rule"):
            other.remove_rule("", "second")
        other.remove_rule("", "sender")
        other.remove_rule("orders", "owner")

    def test_a_restart_keeps_rules_and_what_was_rotated(self):
        self.start_on()
        self.root.create("orders")
        _, rule = self.rule_client("orders", "reader", "Listen")
        rotated = self.root.rotate("orders", "reader")
        self.daemon.kill()
        self.start_on()

        self.assert_unauthenticated(self.client_of(make_token("orders", "reader", rule.primary_key)).peek, "orders")
        for key in (rotated.primary_key, rule.secondary_key):
            self.client_of(make_token("orders", "reader", key)).peek("orders")
        with self.assertRaisesRegex(grpc.RpcError, "was replaced, and is not taken back"):
            self.root.rotate("orders", "reader", key=rule.primary_key)

    def test_an_update_of_a_queue_leaves_its_rules_alone(self):
        self.start_on()
        self.root.create("orders")
        reader, _ = self.rule_client("orders", "reader", "Listen")

        self.root.update("orders", max_delivery_count=3)

        reader.peek("orders")
        self.daemon.kill()
        self.start_on()
        self.assertEqual(len(self.root.management.ListAccessRules(
            management_pb2.ListAccessRulesRequest(entity_path="orders"), timeout=wire.TIMEOUT).rules), 1)

    def test_rules_go_with_their_queue(self):
        self.start_on()
        self.root.create("orders")
        reader, _ = self.rule_client("orders", "reader", "Listen")
        self.root.delete("orders")
        self.root.create("orders")

        self.assert_unauthenticated(reader.peek, "orders")

    def test_refusals_are_counted_and_logged_without_secrets(self):
        self.start_on()
        self.root.create("orders")
        reader, rule = self.rule_client("orders", "reader", "Listen")
        bad = make_token("orders", "reader", "k" * 44)
        self.assert_unauthenticated(self.client_of(bad).peek, "orders")
        time.sleep(1.1)  # A line a second.
        refused = self.assert_code(grpc.StatusCode.PERMISSION_DENIED, reader.send, "orders", b"x")

        statistics = self.root.statistics()
        self.assertEqual((statistics.unauthorized_count, statistics.forbidden_count), (1, 1))
        self.daemon.terminate()
        log = "".join(self.daemon.log)
        info = wire.error_info(wire.status_of(refused))
        self.assertRegex(log, f"with rule orders#reader: .*no right to Send on 'orders' .*{info.metadata['tracking_id']}")
        self.assertRegex(log, "refused a call from ipv4:127[^ ]+ that claims the rule 'reader': the token is not valid")
        for secret in (rule.primary_key, rule.secondary_key, self.root_key(), bad):
            self.assertNotIn(secret, log)

    def test_a_hostile_token_is_refused_and_harms_nobody(self):
        self.start_on()
        self.root.create("orders")
        channel = grpc.insecure_channel(self.daemon.address)
        self.addCleanup(channel.close)
        for token in ("SharedAccessSignature " + "&" * 6000, "SharedAccessSignature sr=%zz&sig=%&se=1&skn=r",
                      "SharedAccessSignature sr=" + "a/" * 1900 + "&sig=" + "A" * 43 + "%3d&se=9999999999&skn=r", " "):
            code = access_calls.ask(channel, "Messaging.Peek", {"entity_path": "orders"}, token)
            self.assertEqual(code, grpc.StatusCode.UNAUTHENTICATED, token[:60])
        self.root.peek("orders")

    def test_expiry_goes_by_the_wall_clock_also_where_time_stands_still(self):
        self.start_on("--clock=manual")
        self.root.create("orders")
        rule = self.root.make_rule("orders", "reader", "Listen")
        token = make_token("orders", "reader", rule.primary_key, 600)
        reader = self.client_of(lambda: token)
        reader.peek("orders")
        self.root.advance(wire.seconds(3600))
        reader.peek("orders")
        token = make_token("orders", "reader", rule.primary_key, 2)
        reader.peek("orders")  # It stands, so that this takes no second.

        time.sleep(2.1)

        self.assert_unauthenticated(reader.peek, "orders")


class EndingTest(AccessTest):
    """What holds a permit ends within a second when that ends, and what another key proved goes on."""

    def setUp(self):
        super().setUp()
        self.start_on()
        self.root.create("orders")

    def open_all(self, token):
        """A receive stream, a send stream, and a call that waits; each tells when and how it ended."""
        client = self.client_of(token)
        ended = {}
        stop = threading.Event()

        def follow(name, call):
            try:
                for _ in call:
                    pass
                ended[name] = time.monotonic(), grpc.StatusCode.OK
            except grpc.RpcError as error:
                ended[name] = time.monotonic(), error.code()

        def requests(*first):
            yield from first
            stop.wait(wire.TIMEOUT)

        streams = {
            "receive": client.messaging.ReceiveStream(requests(
                messaging_pb2.ReceiveStreamRequest(start={"entity_path": "orders"}),
                messaging_pb2.ReceiveStreamRequest(grant={"messages": 5}))),
            "send": client.messaging.SendStream(requests()),
        }

        def wait():
            request = messaging_pb2.ReceiveRequest(entity_path="orders", max_wait=wire.seconds(60))
            yield client.messaging.Receive(request, timeout=wire.TIMEOUT)

        threads = [threading.Thread(target=follow, args=(name, call)) for name, call in streams.items()]
        threads.append(threading.Thread(target=follow, args=("wait", wait())))
        for thread in threads:
            thread.start()
        time.sleep(0.5)  # They stand.
        self.assertEqual(ended, {})

        def join():
            for thread in threads:
                thread.join(wire.TIMEOUT)
            return ended

        self.addCleanup(stop.set)
        return ended, join

    def assert_all_end_within_a_second(self, ended, join, since):
        join()
        self.assertEqual(set(ended), {"receive", "send", "wait"})
        for name, (when, code) in ended.items():
            self.assertEqual(code, grpc.StatusCode.UNAUTHENTICATED, name)
            self.assertLess(when - since, SECOND, name)

    def both_keys(self):
        rule = self.root.make_rule("orders", "worker", "Send", "Listen")
        return [make_token("sb://h/orders", "worker", key) for key in (rule.primary_key, rule.secondary_key)]

    def test_a_rotated_key_ends_what_it_proved_and_nothing_else(self):  # SEC-7
        first, second = self.both_keys()
        ended, join = self.open_all(first)
        other_ended, _ = self.open_all(second)

        since = time.monotonic()
        self.root.rotate("orders", "worker")

        self.assert_all_end_within_a_second(ended, join, since)
        time.sleep(SECOND)
        self.assertEqual(other_ended, {})
        self.root.rotate("orders", "worker", SECONDARY)

    def test_a_removed_rule_ends_what_it_proved(self):
        first, _ = self.both_keys()
        ended, join = self.open_all(first)
        since = time.monotonic()

        self.root.remove_rule("orders", "worker")

        self.assert_all_end_within_a_second(ended, join, since)

    def test_a_removed_rule_ends_reflection(self):
        from grpc.reflection.v1alpha import reflection_pb2, reflection_pb2_grpc  # pylint: disable=C0415
        rule = self.root.make_rule("orders", "worker", "Listen")
        channel = grpc.insecure_channel(self.daemon.address)
        self.addCleanup(channel.close)
        over = threading.Event()
        self.addCleanup(over.set)

        def requests():
            yield reflection_pb2.ServerReflectionRequest(list_services="")
            over.wait(wire.TIMEOUT)
        stream = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(
            requests(), timeout=wire.TIMEOUT,
            metadata=[("authorization", make_token("sb://h/orders", "worker", rule.primary_key))])
        next(stream)
        since = time.monotonic()

        self.root.remove_rule("orders", "worker")

        self.assert_code(grpc.StatusCode.CANCELLED, next, stream)
        self.assertLess(time.monotonic() - since, SECOND)
        self.assertEqual(self.daemon.terminate(), 0)

    def test_a_lapsed_token_ends_what_it_proved(self):
        rule = self.root.make_rule("orders", "worker", "Send", "Listen")
        token = make_token("sb://h/orders", "worker", rule.primary_key, 3)
        ended, join = self.open_all(token)
        since = time.monotonic() + int(re.search(r"&se=(\d+)&", token)[1]) - time.time()

        self.assert_all_end_within_a_second(ended, join, since)
        for when, _ in ended.values():
            self.assertGreater(when, since - 0.01)


class SlowReaderTest(AccessTest):
    """A stream that has a large message half written when what it was opened with ends."""

    def setUp(self):
        super().setUp()
        self.start_on()
        self.body = os.urandom(10 << 20)
        self.root.create("films", max_message_size_in_kilobytes=102400, lock_duration=wire.seconds(300))
        self.root.send_large("films", self.body)

    def begin(self, mode):
        """A stream that was given a first chunk, and whose rule is gone then."""
        rule = self.root.make_rule("films", "viewer", "Listen")
        client = self.client_of(make_token("sb://h/films", "viewer", rule.primary_key))
        over = threading.Event()
        self.addCleanup(over.set)

        def requests():
            yield messaging_pb2.ReceiveStreamRequest(start={"entity_path": "films", "mode": mode})
            yield messaging_pb2.ReceiveStreamRequest(grant={"messages": 1})
            over.wait(wire.TIMEOUT)

        stream = client.messaging.ReceiveStream(requests(), timeout=wire.TIMEOUT)
        self.addCleanup(stream.cancel)
        while not next(stream).HasField("header"):
            pass
        self.root.remove_rule("films", "viewer")
        return stream

    def test_what_is_consumed_arrives_whole(self):  # RCV-1
        stream = self.begin(messaging_pb2.RECEIVE_MODE_RECEIVE_AND_DELETE)
        time.sleep(SECOND)  # By now it was told to end.

        read = bytearray()
        with self.assertRaises(grpc.RpcError) as ended:
            for response in stream:
                read += response.chunk.data

        self.assertEqual(ended.exception.code(), grpc.StatusCode.UNAUTHENTICATED)
        self.assertEqual(len(read), len(self.body))
        self.assertEqual(read, self.body)

    def test_who_does_not_read_is_cut_off_and_others_get_the_message(self):
        self.begin(messaging_pb2.RECEIVE_MODE_PEEK_LOCK)

        stream = wire.ReceiveStream(self.root, "films")
        self.addCleanup(stream.cancel)
        stream.grant(1)
        stream.expect("started")

        # The one who was cut off never had the whole of it.
        self.assertEqual(stream.expect("header").message.delivery_count, 0)


class RollTest(AccessTest):

    CALLERS, ROLLS = 4, 5

    def setUp(self):
        super().setUp()
        self.start_on()
        self.root.create("orders")
        rule = self.root.make_rule("orders", "worker", "Send", "Listen")
        self.keys = {"primary": rule.primary_key, "secondary": rule.secondary_key}
        self.using = "primary"
        # Of each caller: held while a call of it is under way.
        self.calls = [threading.Lock() for _ in range(self.CALLERS)]
        self.sent, self.received, self.refused = [0] * self.CALLERS, [], []
        self.is_over, self.is_read = threading.Event(), threading.Event()
        for event in (self.is_over, self.is_read):
            self.addCleanup(event.set)

    def token(self):
        return make_token("sb://h/orders", "worker", self.keys[self.using])

    def send_on_and_on(self, number):
        client = self.client_of(self.token)
        while not self.is_over.is_set():
            with self.calls[number]:
                try:
                    client.send("orders", b"x")
                    self.sent[number] += 1
                except grpc.RpcError as error:
                    self.refused.append(error)

    def follow(self, client):
        """All that comes on a stream, until that ends; why it did."""
        ends = []

        def requests():
            yield messaging_pb2.ReceiveStreamRequest(
                start={"entity_path": "orders", "mode": messaging_pb2.RECEIVE_MODE_RECEIVE_AND_DELETE})
            yield messaging_pb2.ReceiveStreamRequest(grant={"messages": 1_000_000})
            self.is_read.wait(wire.TIMEOUT)

        def receive():
            try:
                for response in client.messaging.ReceiveStream(requests()):
                    self.received.extend(response.deliveries.messages)
            except grpc.RpcError as error:
                ends.append(error)

        thread = threading.Thread(target=receive)
        thread.start()
        return thread, ends

    def wait_for_more(self):
        """Until many calls were begun and answered."""
        enough = sum(self.sent) + 100
        self.wait_until(lambda: self.root.statistics() and sum(self.sent) > enough)

    def switch_to(self, name):
        """Every caller takes that key, and what it began with the other one is over."""
        self.using = name
        for call in self.calls:
            with call:
                pass

    def test_both_keys_are_rolled_under_load_without_a_refused_call(self):
        callers = [threading.Thread(target=self.send_on_and_on, args=(number,)) for number in range(self.CALLERS)]
        for caller in callers:
            caller.start()
        for _ in range(self.ROLLS):
            for slot, name, other in ((management_pb2.ACCESS_KEY_SLOT_PRIMARY, "primary", "secondary"),
                                      (SECONDARY, "secondary", "primary")):
                self.switch_to(other)
                self.keys[name] = getattr(self.root.rotate("orders", "worker", slot), f"{name}_key")
                self.wait_for_more()
        self.is_over.set()
        for caller in callers:
            caller.join()

        self.assertEqual(self.refused, [])

    def test_a_stream_of_the_key_that_stays_misses_nothing(self):
        self.using = "secondary"
        thread, ends = self.follow(self.client_of(self.token()))
        callers = [threading.Thread(target=self.send_on_and_on, args=(number,)) for number in range(self.CALLERS)]
        for caller in callers:
            caller.start()
        for _ in range(self.ROLLS):
            self.keys["primary"] = self.root.rotate("orders", "worker").primary_key
            self.wait_for_more()
        self.is_over.set()
        for caller in callers:
            caller.join()
        self.wait_until(lambda: self.root.statistics() and len(self.received) == sum(self.sent))
        self.is_read.set()
        thread.join()

        self.assertEqual((self.refused, ends), ([], []))


if __name__ == "__main__":
    unittest.main()
