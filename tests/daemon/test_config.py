"""What the daemon is told, by a file, by variables and by flags; and what it takes over while it runs."""

import json
import os
import pathlib
import re
import signal
import ssl
import subprocess
import unittest

import grpc

import certificates
import daemon_test
import operations
import wire


class FileDaemon(wire.Daemon):
    """Told nothing but the name of a file."""

    def __init__(self, file):
        self._command = [os.environ["WHARFD"], "--config", str(file)]
        self.start()


class ConfigTest(daemon_test.DaemonTest):

    def setUp(self):
        super().setUp()
        self.file = pathlib.Path(self.folder.name, "wharfd.toml")

    def write(self, *lines):
        self.file.write_text("".join(f"{line}\n" for line in lines))

    def run_wharfd(self, *arguments, **variables):
        """Ends by itself; answers it, with what it printed."""
        return subprocess.run([os.environ["WHARFD"], *map(str, arguments)], capture_output=True, text=True,
                              env={**os.environ, **variables}, timeout=wire.TIMEOUT, check=False)

    def start_configured(self, *flags, **variables):
        return self.start(flags=("--config", str(self.file), *flags), env={**os.environ, **variables})


class CheckTest(ConfigTest):

    def test_a_good_file(self):
        self.write('data = "/var/lib/wharf"', "max-entities = 5")

        ended = self.run_wharfd("config", "check", "--config", self.file)

        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "the configuration is good\n", ""))

    def test_all_that_is_wrong_is_told_with_its_line(self):
        self.write("log-levl = 3", "", "max-entities = 0", 'transaction-timeout = "5"')
        wanted = [f"{self.file}:1: there is no key 'log-levl'; did you mean 'log-level'?",
                  f"{self.file}:3: max-entities takes a number from 1 to 1000000, not 0",
                  f"{self.file}:4: transaction-timeout takes a time from 1s to 1d, for example 30s, 5m or 1h30m, "
                  'not "5"',
                  'WHARFD_CLOCK takes system or manual, not "sun"',
                  "--max-subscriptions takes a number from 1 to 100000, not 0"]
        for verb in (["config", "check"], ["config", "print"], ["--data", self.data]):
            ended = self.run_wharfd(*verb, "--config", self.file, "--max-subscriptions=0", WHARFD_CLOCK="sun")

            self.assertEqual((ended.returncode, ended.stdout, ended.stderr.splitlines()), (2, "", wanted))
        self.assertFalse(os.path.exists(self.data))

    def test_files_that_it_names_are_looked_at(self):
        certificate, key = f"{self.folder.name}/broker.pem", f"{self.folder.name}/none.key"
        pathlib.Path(certificate).write_text("no certificate", encoding="ascii")
        self.write('listen = "grpc+tls://127.0.0.1:0"', f'tls-cert = "{certificate}"', f'tls-key = "{key}"',
                   f'jwt-keys = ["2026:RS256:{key}"]', 'jwt-issuer = "i"', 'jwt-audience = "a"', 'jwt-claim = "c"',
                   f'backup-folder = "{self.folder.name}"', f'backup-encrypt-to = "{certificate}"',
                   'trace-otlp-endpoint = "https://h:1/"', f'trace-otlp-ca = "{key}"')

        ended = self.run_wharfd("config", "check", "--config", self.file)

        self.assertEqual(ended.returncode, 2)
        said = ended.stderr.splitlines()
        self.assertEqual([line.split(": ")[0] for line in said],
                         [f"{self.file}:{line}" for line in (2, 4, 9, 11)], ended.stderr)
        for line in said:
            self.assertRegex(line, "broker.pem|none.key")

    def test_what_no_start_takes_is_not_good(self):
        for line, why in (('data = ""', 'data takes the name of a folder, not ""'),
                          ('data = "/x\\u0000y"', "no NUL stands in it"),
                          ('node = "A"', '"A" is no name for a node'),
                          ('advertise = "0.0.0.0"', "any address of this machine is none that others find"),
                          ('advertise = "[::0]:5680"', "any address of this machine")):
            self.write(line)
            ended = self.run_wharfd("config", "check", "--config", self.file)
            self.assertEqual((ended.returncode, ended.stdout), (2, ""), line)
            self.assertTrue(ended.stderr.startswith(f"{self.file}:1: "), ended.stderr)
            self.assertIn(why, ended.stderr)

    def test_a_password_is_not_shown(self):
        self.write('trace-otlp-endpoint = "http://user:s3cret@h:1/"')
        ended = self.run_wharfd("config", "check", "--config", self.file)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("it names a user", ended.stderr)
        self.assertNotIn("s3cret", ended.stderr)

    def test_a_file_that_cannot_be_read(self):
        ended = self.run_wharfd("--data", self.data, "--config", self.file)

        self.assertEqual(ended.returncode, 2)
        self.assertEqual(ended.stderr, f"cannot read {self.file}: No such file or directory\n")
        self.assertFalse(os.path.exists(self.data))

    def test_what_is_not_said_and_what_is_said_in_vain(self):
        ended = self.run_wharfd("config", "check", WHARFD_LOG_LEVL="debug")

        self.assertEqual(ended.returncode, 0)
        self.assertEqual(ended.stdout.splitlines(), [
            "the variable WHARFD_LOG_LEVL means nothing to wharfd; did you mean WHARFD_LOG_LEVEL?",
            "data is not said here: wharfd needs --data or WHARFD_DATA, too",
            "the configuration is good"])


class PrintTest(ConfigTest):

    def test_what_is_in_force_and_who_says_so(self):
        self.write('data = "/x"', "max-entities = 1", "max-subscriptions = 1", "max-sql-filters = 1")

        ended = self.run_wharfd("config", "print", "--max-entities", "3", WHARFD_CONFIG=str(self.file),
                                WHARFD_MAX_ENTITIES="2", WHARFD_MAX_SUBSCRIPTIONS="2")

        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        told = {line.split(" = ")[0]: line.split(" = ")[1].split() for line in ended.stdout.splitlines()}
        self.assertEqual(told["data"], ['"/x"', "#", f"{self.file}:1"])
        self.assertEqual(told["max-entities"], ["3", "#", "--max-entities"])
        self.assertEqual(told["max-subscriptions"], ["2", "#", "WHARFD_MAX_SUBSCRIPTIONS"])
        self.assertEqual(told["max-sql-filters"], ["1", "#", f"{self.file}:4"])
        self.assertEqual(told["clock"], ['"system"', "#", "default"])

    def test_what_it_prints_it_reads(self):
        self.write(*self.run_wharfd("config", "print", "--data", "/x", "--min-free-disk=100").stdout.splitlines())

        ended = self.run_wharfd("config", "print", "--config", self.file)

        self.assertIn('min-free-disk = "100MiB"', ended.stdout)
        self.assertEqual(ended.returncode, 0)

    def test_the_example_is_a_file(self):
        self.file.write_text(self.run_wharfd("config", "example").stdout)

        self.assertEqual(self.run_wharfd("config", "check", "--config", self.file).returncode, 0)


class StartTest(ConfigTest):

    def test_a_file_is_enough(self):
        self.write(f'data = "{self.data}"', 'listen = "127.0.0.1:0"', 'clock = "manual"')
        daemon = FileDaemon(self.file)
        self.addCleanup(daemon.kill)

        self.connect(daemon).create("orders")

        self.assertIn(f"data={self.data} queues=0", "".join(daemon.log))

    def test_flags_go_before_variables_and_variables_before_the_file(self):
        self.write("max-entities = 1")
        for flags, variables, allowed in (((), {}, 1), ((), {"WHARFD_MAX_ENTITIES": "2"}, 2),
                                          (("--max-entities=3",), {"WHARFD_MAX_ENTITIES": "2"}, 3)):
            daemon = self.start_configured(*flags, **variables)
            for number in range(allowed):
                self.client.create(f"q{number}")
            with self.assertRaisesRegex(grpc.RpcError, "QuotaExceeded|as many"):
                self.client.create("one-too-many")
            for number in range(allowed):
                self.client.delete(f"q{number}")
            self.assertEqual(daemon.terminate(), 0)

    def test_a_variable_that_is_none_is_told(self):
        daemon = self.start(env={**os.environ, "WHARFD_LOG_LEVL": "debug"})

        self.assertIn("warning the variable WHARFD_LOG_LEVL means nothing to wharfd; did you mean WHARFD_LOG_LEVEL?",
                      "".join(daemon.log))

    def test_a_log_as_json(self):
        daemon = self.start(flags=("--log-format", "json", "--log-level=debug"))
        with self.assertRaises(grpc.RpcError):
            self.client.get('no"such\\')

        self.assertEqual(daemon.terminate(), 0)

        lines = [json.loads(line) for line in daemon.log]
        self.assertEqual({tuple(line) for line in lines}, {
            ("time", "level", "message"), ("time", "level", "message", "entity", "client", "tracking_id")})
        for line in lines:
            self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            self.assertIn(line["level"], ("debug", "info", "warning", "error"))
        self.assertEqual(lines[-1]["message"], "wharfd stopped")


class ReloadTest(ConfigTest):

    def hear(self, daemon, begin, end):
        """What is said from line `begin` of the log to the first line that matches `end`, without the times, and
        without what became of entities meanwhile."""
        def find():
            said = [re.sub(r"^\d\S+ ", "", line.rstrip("\n")) for line in daemon.log[begin:]]
            said = [line for line in said if not line.startswith("info the ")]
            for number, line in enumerate(said):
                if re.search(end, line):
                    return said[:number + 1]
            raise LookupError(said)
        return daemon_test.wait_for(find, LookupError)

    def reload(self, daemon, end="info reloaded "):
        begin = len(daemon.log)
        daemon.send_signal(signal.SIGHUP)
        return self.hear(daemon, begin, end)

    def test_what_can_change_does_and_what_cannot_waits(self):
        self.write("max-entities = 1")
        daemon = self.start_configured()
        self.client.create("one")
        with self.assertRaises(grpc.RpcError):
            self.client.create("two")

        self.write("", "max-entities = 2", 'clock = "manual"')
        said = self.reload(daemon)

        self.assertEqual(said, [
            f"info max-entities is now 2, and was 1 ({self.file}:2)",
            f'warning clock waits for a restart: it will be "manual", and is "system" ({self.file}:3)',
            f"info reloaded {self.file}: 1 changed, 1 wait for a restart"])
        self.client.create("two")
        with self.assertRaises(grpc.RpcError):
            self.client.create("three")
        self.assertEqual(self.reload(daemon)[0], said[1])  # For as long as it waits.

    def test_each_limit_that_is_taken_over_holds_from_then_on(self):
        self.write("")
        daemon = self.start_configured()
        self.client.create("orders")
        self.client.topics.create("news")
        self.client.send("orders", *[b"x"] * 10)
        begun = self.client.transactions.begin()

        self.write("max-locked-messages = 3", "max-subscriptions = 1", "max-open-transactions = 1")
        self.assertEqual(len(self.reload(daemon)), 4)

        self.assertEqual(len(self.client.receive("orders", 10)), 3)
        self.client.topics.subscribe("news", "first")
        with self.assertRaisesRegex(grpc.RpcError, "subscriptions"):
            self.client.topics.subscribe("news", "second")
        with self.assertRaisesRegex(grpc.RpcError, "transactions"):
            self.client.transactions.begin()
        self.assertIsNotNone(begun)

    def test_how_many_may_connect_is_taken_over(self):  # QUO-6
        self.write("max-connections = 1")
        daemon = self.start_configured()
        self.client.create("orders")
        other = self.connect(daemon)
        with self.assertRaises(grpc.RpcError):
            other.get("orders")

        self.write("max-connections = 2")
        self.assertIn(f"info max-connections is now 2, and was 1 ({self.file}:1)", self.reload(daemon))

        daemon_test.wait_for(lambda: other.get("orders"), grpc.RpcError)

    def alarms(self):
        return [alarm.name for alarm in self.client.statistics().alarms]

    def test_the_size_of_the_namespace_bounds_sends_alone(self):  # QUO-4
        self.write('max-namespace-size = "1KiB"')
        daemon = self.start_configured()
        self.client.create("orders")
        self.client.create("bills")
        self.assertEqual(self.alarms(), [])
        self.client.send("orders", b"x" * 1000)
        self.assertEqual(self.alarms(), ["namespace_nearly_full"])
        daemon_test.wait_for_line(daemon, "warning all entities together have 0 of 0 MB")

        with self.assertRaisesRegex(grpc.RpcError, "namespace in bytes:1100, Max namespace size in bytes:1024"):
            self.client.send("bills", b"x" * 100)
        stored, refused = self.client.send("bills", b"x" * 24, b"y")
        self.assertEqual(stored.sequence_number, 1)
        self.assertEqual(wire.error_info(refused.error).reason, "QuotaExceeded")
        with self.assertRaisesRegex(grpc.RpcError, "The maximum namespace size has been reached"):
            self.client.send("bills", b"x")
        self.assertTrue(self.client.complete("orders", self.client.receive_one("orders").lock_token))
        self.assertEqual(self.alarms(), [])
        begin = len(daemon.log)
        self.client.send("bills", b"x" * 1000)
        self.hear(daemon, begin, "warning all entities together have 0 of 0 MB")

        with self.assertRaisesRegex(grpc.RpcError, "The maximum namespace size has been reached"):
            self.client.send("orders", b"x")
        self.write("")
        self.assertEqual(self.reload(daemon)[0],
                         'info max-namespace-size is now "0B", and was "1KiB" (default)')
        self.client.send("orders", b"x" * 5000)

    def test_the_room_that_sends_leave_is_taken_over(self):
        self.write("")
        daemon = self.start_configured()
        self.client.create("orders")
        begin = len(daemon.log)
        self.write('min-free-disk = "1000TiB"')
        self.reload(daemon)
        self.hear(daemon, begin, "sends are refused below")
        with self.assertRaisesRegex(grpc.RpcError, "disk"):
            self.client.send("orders", b"x")

        self.write("")
        self.reload(daemon)

        self.hear(daemon, begin, "sends are taken again")
        self.client.send("orders", b"x")

    def test_the_log_changes_and_tells_of_it_on_both_ways(self):
        self.write("")
        daemon = self.start_configured()
        self.write('log-level = "error"')
        self.assertEqual(self.reload(daemon)[0], f'info log-level is now "error", and was "info" ({self.file}:1)')
        self.client.create("unheard")
        self.write('log-level = "debug"')
        self.assertEqual(self.reload(daemon)[0], f'info log-level is now "debug", and was "error" ({self.file}:1)')
        self.assertNotIn("unheard", "".join(daemon.log))
        with self.assertRaises(grpc.RpcError):
            self.client.get("none")
        self.hear(daemon, 0, "^debug a wharf.v1.GetQueueRequest from ")

        self.write('log-level = "error"', 'log-format = "json"')
        self.assertEqual(self.reload(daemon)[0], f'info log-level is now "error", and was "debug" ({self.file}:1)')
        self.write("nonsense = 1")
        daemon.send_signal(signal.SIGHUP)
        self.hear(daemon, 0, '"level":"error","message":"nothing is reloaded')

    def test_a_bad_file_changes_nothing_and_is_told(self):
        self.write("max-entities = 1")
        daemon = self.start_configured()
        self.client.create("one")

        self.write("max-entities = 2", "max-entites = 3")
        said = self.reload(daemon, "nothing is reloaded")
        self.file.unlink()
        gone = self.reload(daemon, "nothing is reloaded")

        self.assertEqual(said, [
            f"error {self.file}:2: there is no key 'max-entites'; did you mean 'max-entities'?",
            f"error nothing is reloaded: {self.file} has errors"])
        self.assertEqual(gone[0], f"error cannot read {self.file}: No such file or directory")
        with self.assertRaises(grpc.RpcError):
            self.client.create("two")

    def test_what_the_next_start_would_refuse_is_taken_by_no_reload(self):
        secret = pathlib.Path(self.folder.name, "secret")
        secret.write_text("s" * 32, encoding="ascii")
        secret.chmod(0o600)
        self.write(f'jwt-keys = ["a:HS256:{secret}"]', 'jwt-issuer = "i"', 'jwt-audience = "a"', 'jwt-claim = "c"')
        daemon = self.start_configured()  # Access is off, and yet the start reads it.

        for lines, why in ((["max-entities = 9", 'jwt-keys = ["a:HS256:/nope"]', 'jwt-issuer = "i"',
                             'jwt-audience = "a"', 'jwt-claim = "c"'], f"{self.file}:2: jwt-keys: /nope: No such file"),
                           (["max-entities = 9", f'backup-folder = "{self.folder.name}"',
                             'backup-encrypt-to = "/nope"'], f"{self.file}:3: .*/nope"),
                           (["max-entities = 9", 'node = "A"'], f'{self.file}:2: "A" is no name for a node')):
            self.write(*lines)
            said = self.reload(daemon, "error nothing is reloaded")
            self.assertRegex(said[0], why)
            self.assertEqual(len(said), 2, said)

    def test_limits_and_certificates_are_taken_over_at_once(self):
        authority = certificates.Authority(self.folder.name)
        identity = authority.sign("broker")
        lines = ['listen = ["127.0.0.1:0", "operations+tls://127.0.0.1:0"]', f'tls-cert = "{identity.certificate}"',
                 f'tls-key = "{identity.key}"', f'data = "{self.data}"']
        self.write(*lines, "max-entities = 1")
        daemon = FileDaemon(self.file)
        self.addCleanup(daemon.kill)
        client = self.connect(daemon)
        client.create("one")
        place = ("127.0.0.1", operations.port_of(daemon))
        before = ssl.get_server_certificate(place)

        authority.sign("fresh").write_over(identity)
        self.write(*lines, "max-entities = 2")
        said = self.reload(daemon, "info certificates are read from ")
        self.assertEqual(said[:2], [f"info max-entities is now 2, and was 1 ({self.file}:5)",
                                    f"info reloaded {self.file}: 1 changed, 0 wait for a restart"])
        self.assertNotEqual(ssl.get_server_certificate(place), before)
        client.create("two")

    def test_what_a_flag_or_a_variable_says_no_file_changes(self):
        self.write("")
        daemon = self.start_configured("--max-entities=1", WHARFD_MAX_SUBSCRIPTIONS="1")

        self.write("max-entities = 2", "max-subscriptions = 2")

        self.assertEqual(self.reload(daemon), [f"info reloaded {self.file}: 0 changed, 0 wait for a restart"])


if __name__ == "__main__":
    unittest.main()
