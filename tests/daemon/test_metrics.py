"""What it tells to Prometheus, and what the pages and rules beside it make of that."""

import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time
import unittest
import urllib.parse

import grpc

import certificates
import cluster_nodes
import daemon_test
import operations
import wire
from free_ports import free_port
from wharf.v1 import management_pb2

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"
OPEN_METRICS = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3"


def parse(text):
    """{line without its value: value}, and {name: (type, help)}."""
    values, described = {}, {}
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name, what = line[7:].split(" ", 1)
            described[name] = ("", what)
        elif line.startswith("# TYPE "):
            name, kind = line[7:].split(" ")
            described[name] = (kind, described[name][1])
        elif line != "# EOF":
            series, value = line.rsplit(" ", 1)
            assert series not in values, series
            values[series] = float(value)
    return values, described


def names_in(text):
    """The metrics that an expression asks for."""
    return set(re.findall(r"\b((?:wharf|process)_[a-z0-9_]+)\b", text))


class MetricsTest(daemon_test.DaemonTest):

    def start_with_http(self, *places, **options):
        daemon = self.start(listen=",".join((operations.PLACES, *places)), **options)
        self.port = operations.port_of(daemon)
        return daemon

    def scrape(self, accept=""):
        status, headers, text = operations.get(self.port, "/metrics", {"Accept": accept} if accept else {})
        self.assertEqual(status, 200)
        return headers["Content-Type"], text

    def values(self):
        return parse(self.scrape()[1])[0]

    def entity(self, name):
        pattern = re.compile(rf'wharf_entity_messages{{entity="{re.escape(name)}",state="(\w+)"}}$')
        return {found.group(1): value for series, value in self.values().items() if (found := pattern.match(series))}

    def start_with_all(self):
        """With everything that there may be something to tell of."""
        identity = certificates.Authority(self.folder.name).sign("broker", days=1)
        places = ("grpc+tls://127.0.0.1:0", "amqp://127.0.0.1:0", "servicebus://127.0.0.1:0",
                  "console://127.0.0.1:0")
        daemon = self.start_with_http(*places, flags=(
            "--tls-cert", str(identity.certificate), "--tls-key", str(identity.key), "--metrics-histograms=orders"))
        self.client.create("orders")
        return daemon

    def test_the_table_is_what_is_told(self):
        self.start_with_all()
        _, described = parse(self.scrape()[1])
        self.assertEqual(self.rows(lambda name: not name.startswith("wharf_cluster_")), self.rows_of(described))

    def test_the_table_of_a_node_is_what_one_tells(self):
        node = cluster_nodes.LoneNode(self, "n1", listen=operations.PLACES)
        self.port = operations.port_of(node.daemon)
        daemon_test.wait_for(lambda: self.assertIn("wharf_cluster_waits", self.scrape()[1]), AssertionError)
        _, described = parse(self.scrape()[1])
        of_cluster = {name: about for name, about in described.items() if name.startswith("wharf_cluster_")}
        self.assertEqual(self.rows(lambda name: name.startswith("wharf_cluster_")), self.rows_of(of_cluster))

    def rows(self, is_meant):
        rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+?) \|$", (DEPLOY / "METRICS.md").read_text(), re.M)
        return [f"| `{name}` | {kind} | {what} |" for name, kind, what in rows if is_meant(name)]

    def rows_of(self, described):
        return [f"| `{name}` | {kind} | {what} |" for name, (kind, what) in described.items()]

    def test_names_follow_the_conventions(self):
        self.start_with_all()
        values, described = parse(self.scrape()[1])
        for name, (kind, what) in described.items():
            self.assertEqual(name.endswith("_total"), kind == "counter", name)
            self.assertRegex(what, r"^[A-Z0-9][^\"\\]*\.$")
        for series in values:
            name = re.sub(r"_(bucket|sum|count)$", "", series.split("{")[0])
            self.assertIn(name if name in described else series.split("{")[0], described)

    def test_prometheus_and_open_metrics(self):
        self.start_with_all()
        kind, text = self.scrape()
        self.assertEqual(kind, "text/plain; version=0.0.4; charset=utf-8")
        self.assertNotIn("# EOF", text)
        kind, text = self.scrape(OPEN_METRICS)
        self.assertEqual(kind, "application/openmetrics-text; version=1.0.0; charset=utf-8")
        self.assertTrue(text.endswith("\n# EOF\n"))
        self.assertEqual(text.count("# EOF"), 1)
        self.assertIn("# TYPE wharf_messages_sent counter\nwharf_messages_sent_total ", text)

    def test_no_two_metrics_have_one_name_in_either_format(self):
        self.start_with_all()
        for accept in ("", OPEN_METRICS):
            _, text = self.scrape(accept)
            families = re.findall(r"^# TYPE (\S+) ", text, re.M)
            self.assertGreater(len(families), 50)
            self.assertEqual(sorted(families), sorted(set(families)))
            bounds = set(re.findall(r'_bucket{le="([^"]+)"}', text)) - {"+Inf"}
            self.assertEqual({"10.0", "3600.0"} <= bounds, accept == OPEN_METRICS)
            self.assertEqual({"10", "3600"} <= bounds, accept == "")

    @unittest.skipUnless(shutil.which("promtool"), "promtool is not installed")
    def test_promtool_finds_nothing(self):
        self.start_with_all()
        subprocess.run(["promtool", "check", "metrics"], input=self.scrape()[1], text=True, check=True,
                       timeout=wire.TIMEOUT, capture_output=True)
        subprocess.run(["promtool", "check", "rules", str(DEPLOY / "alerts.yml")], check=True, timeout=wire.TIMEOUT,
                       capture_output=True)

    def ask_prometheus(self, port, path):
        """What its API answers; LookupError as long as it does not."""
        try:
            status, _, body = operations.get(port, path)
        except OSError as error:
            raise LookupError from error
        if status != 200:
            raise LookupError(body)
        return json.loads(body)["data"]

    @unittest.skipUnless(shutil.which("prometheus"), "prometheus is not installed")
    def test_a_real_prometheus_scrapes_it_and_knows_the_rules(self):
        self.start_with_all()
        self.client.send("orders", b"a", b"b")
        port = free_port()
        config = pathlib.Path(self.folder.name, "prometheus.yml")
        config.write_text(json.dumps({  # JSON is YAML.
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(DEPLOY / "alerts.yml")],
            "scrape_configs": [{"job_name": "wharf", "static_configs": [{"targets": [f"127.0.0.1:{self.port}"]}]}]}))
        prometheus = subprocess.Popen(
            ["prometheus", f"--config.file={config}", f"--web.listen-address=127.0.0.1:{port}",
             f"--storage.tsdb.path={self.folder.name}/tsdb"], stderr=subprocess.DEVNULL)
        self.addCleanup(prometheus.wait)
        self.addCleanup(prometheus.kill)

        def look():
            query = urllib.parse.quote('wharf_entity_messages{job="wharf",entity="orders",state="available"}')
            (found,) = self.ask_prometheus(port, f"/api/v1/query?query={query}")["result"] or [None]
            if found is None:
                raise LookupError
            self.assertEqual(found["value"][1], "2")
            rules = [rule for group in self.ask_prometheus(port, "/api/v1/rules")["groups"] for rule in group["rules"]]
            told = {rule["name"]: (rule["health"], rule["state"]) for rule in rules}
            # The certificate of the test is good for a day.
            if told["WharfCertificateEnds"] != ("ok", "firing"):
                raise LookupError(told)
            return told
        rules = daemon_test.wait_for(look, LookupError)

        self.assertGreater(len(rules), 10)
        self.assertEqual({health for health, _ in rules.values()}, {"ok"}, rules)
        self.assertEqual({name for name, (_, state) in rules.items() if state != "inactive"}, {"WharfCertificateEnds"})

    def test_rules_and_dashboard_ask_for_what_there_is(self):
        self.start_with_all()
        self.client.send("orders", b"a")
        values, _ = parse(self.scrape()[1])
        there = {series.split("{")[0] for series in values}
        for row in self.rows(lambda name: name.startswith("wharf_cluster_")):
            name, kind = row.split("`")[1], row.split("|")[2].strip()
            there.add(f"{name}_bucket" if kind == "histogram" else name)
        dashboard = json.loads((DEPLOY / "grafana-dashboard.json").read_text())
        asked = {target["expr"] for panel in dashboard["panels"] for target in panel["targets"]}
        self.assertGreater(len(asked), 30)
        for expression in (*asked, (DEPLOY / "alerts.yml").read_text()):
            self.assertLessEqual(names_in(expression), there, expression)
        for state in re.findall(r'state=\\?"(\w+)', "".join(asked)):
            self.assertIn(f'wharf_entity_messages{{entity="orders",state="{state}"}}', values)

    def test_what_happens_is_counted(self):
        daemon = self.start_with_http()
        self.client.create("orders", max_delivery_count=5)
        self.client.send("orders", *[b"x" * 100] * 5)
        before = self.values()
        held = self.client.receive("orders", 3)
        self.client.complete("orders", held[0].lock_token)
        self.client.abandon("orders", held[1].lock_token)
        self.client.defer("orders", held[2].lock_token)
        (again,) = self.client.receive("orders")
        self.client.dead_letter("orders", again.lock_token)

        self.assertEqual(self.entity("orders"), {"available": 2, "locked": 0, "delayed": 0, "deferred": 1,
                                                 "scheduled": 0, "quarantined": 0, "dead_lettered": 1})
        after = self.values()
        grown = {name: after[name] - before[name] for name in after}
        for name, count in (("messages_sent", 0), ("messages_delivered", 4), ("messages_redelivered", 1),
                            ("messages_settled", 4), ("messages_dead_lettered", 1)):
            self.assertEqual(grown[f"wharf_{name}_total"], count, name)
        self.assertEqual(after["wharf_messages_sent_total"], 5)
        self.assertEqual(after['wharf_entity_numbered_messages_total{entity="orders"}'], 5)
        self.assertGreaterEqual(after['wharf_entity_bytes{entity="orders"}'], 400)
        self.assertLess(abs(after['wharf_entity_accessed_timestamp_seconds{entity="orders"}'] - time.time()), 60)
        self.assertEqual(after["wharf_send_seconds_count"], 1)
        self.assertEqual(grown["wharf_settle_seconds_count"], 4)
        self.assertEqual(grown["wharf_message_wait_seconds_count"], 3)  # One came for the second time.
        self.assertEqual(grown["wharf_receive_seconds_count"], 4)
        for name in ("sync_seconds_count", "syncs_total", "commits_total", "turn_seconds_count"):
            self.assertGreater(grown[f"wharf_{name}"], 0, name)
        self.assertEqual(after["wharf_ready"], 1)
        self.assertGreater(after["process_resident_memory_bytes"], 10 << 20)
        self.assertLess(abs(after["process_start_time_seconds"] - time.time()), 60)
        self.assertEqual(daemon.terminate(), 0)

    def test_entities_that_are_named_have_histograms(self):
        file = pathlib.Path(self.folder.name, "wharfd.toml")
        file.write_text('metrics-histograms = ["orders", "news/Subscriptions/all"]\n')
        daemon = self.start_with_http(flags=("--config", str(file)))
        self.client.create("Orders")
        self.client.create("bills")
        for name in ("orders", "bills"):
            self.client.send(name, b"a", b"b")
            for message in self.client.receive(name, 2):
                self.client.complete(name, message.lock_token)

        def counts():
            pattern = re.compile(r'wharf_entity_(\w+)_seconds_count{entity="(.+)"}$')
            return {(found.group(2), found.group(1)): value for series, value in self.values().items()
                    if (found := pattern.match(series))}
        self.assertEqual(counts(), {("Orders", "send"): 1, ("Orders", "message_wait"): 2, ("Orders", "settle"): 2})

        begin = len(daemon.log)
        file.write_text('metrics-histograms = ["bills"]\n')
        daemon.send_signal(signal.SIGHUP)

        def look():
            if ("bills", "send") not in counts():
                raise LookupError("".join(daemon.log[begin:]))
        daemon_test.wait_for(look, LookupError)
        self.assertEqual(counts(), {("bills", "send"): 0, ("bills", "message_wait"): 0, ("bills", "settle"): 0})
        self.assertEqual(daemon.terminate(), 0)

    def test_how_long_messages_wait(self):
        oldest = 'wharf_entity_oldest_available_timestamp_seconds{entity="orders"}'
        daemon = self.start_with_http(flags=("--clock=manual",))
        advance = wire.clock_pb2.AdvanceClockRequest(by=wire.seconds(3600 * 5))
        self.client.create("orders")
        self.assertNotIn(oldest, self.values())
        self.client.send("orders", b"a")
        first = self.values()[oldest]
        self.client.clock.Advance(advance, timeout=wire.TIMEOUT)
        self.client.send("orders", b"b")
        self.assertEqual(self.values()[oldest], first)

        taken = self.client.receive_one("orders")

        values = self.values()
        self.assertEqual(values['wharf_message_wait_seconds_bucket{le="3600"}'], 0)
        self.assertEqual(values['wharf_message_wait_seconds_bucket{le="21600"}'], 1)
        self.assertAlmostEqual(values[oldest] - first, 3600 * 5, delta=600)
        self.client.abandon("orders", taken.lock_token)
        self.assertNotIn(oldest, self.values())  # It was given back, and is read again when somebody asks for it.
        for _ in range(2):
            self.client.complete("orders", self.client.receive_one("orders").lock_token)
        self.assertNotIn(oldest, self.values())
        self.assertEqual(daemon.terminate(), 0)

    def test_clients_get_the_numbers_of_entities_page_by_page(self):
        self.start_with_http()
        self.client.create("orders")
        self.client.create("bills")
        self.client.topics.create("news")
        self.client.topics.subscribe("news", "all")
        self.client.send("orders", b"a", b"b", b"c")
        self.client.send("news", b"d")
        held, dead = self.client.receive("orders", 2)
        self.client.dead_letter("orders", dead.lock_token)

        def ask(token="", size=3):
            return self.client.management.ListEntityNumbers(
                management_pb2.ListEntityNumbersRequest(page_size=size, page_token=token), timeout=wire.TIMEOUT)
        first = ask()
        second = ask(first.next_page_token)
        found = {numbers.entity_path: numbers for page in (first, second) for numbers in page.entities}

        self.assertEqual(list(found), ["bills", "news", "news/Subscriptions/all", "orders"])
        self.assertEqual((len(first.entities), second.next_page_token), (3, ""))
        orders = found["orders"]
        self.assertEqual((orders.available_message_count, orders.locked_message_count,
                          orders.dead_letter_message_count, orders.numbered_message_count), (1, 1, 1, 3))
        self.assertTrue(orders.HasField("oldest_available_at"))
        self.assertFalse(found["bills"].HasField("oldest_available_at"))
        self.assertEqual(found["news/Subscriptions/all"].available_message_count, 1)
        self.client.complete("orders", held.lock_token)
        self.assert_fails(grpc.StatusCode.INVALID_ARGUMENT, "ArgumentError", ask, "x")
        self.assert_fails(grpc.StatusCode.OUT_OF_RANGE, "ArgumentOutOfRange", ask, "", 1001)

    def test_open_connections(self):
        daemon = self.start_with_http(f"unix:{self.folder.name}/socket")
        self.client.create("orders")

        def open_now():
            values = self.values()
            return values["wharf_grpc_open_connections"], values["wharf_http_open_connections"]

        def expect(grpc_count, http_count):
            def look():
                if open_now() != (grpc_count, http_count):
                    raise LookupError(open_now())
            daemon_test.wait_for(look, LookupError)

        expect(1, 1)
        others = [wire.Client(daemon.address) for _ in range(3)]
        for other in others:
            other.get("orders")
        with socket.create_connection(("127.0.0.1", self.port), wire.TIMEOUT):
            expect(4, 2)
        for other in others:
            other.close()
        expect(1, 1)
        with socket.socket(socket.AF_UNIX) as plug:
            plug.connect(f"{self.folder.name}/socket")
            expect(2, 1)
        expect(1, 1)

    def test_who_is_refused_is_counted(self):
        self.start_with_http(flags=("--access=on",))
        before = self.values()
        for _ in range(3):
            with self.assertRaises(grpc.RpcError):
                self.client.get("orders")
        after = self.values()
        name = 'wharf_requests_denied_total{reason="%s"}'
        self.assertEqual(after[name % "unauthorized"] - before[name % "unauthorized"], 3)
        self.assertEqual(after[name % "forbidden"], 0)

    def test_what_receivers_do_not_read_is_memory(self):
        name = 'wharf_memory_bytes{part="streams"}'
        self.start_with_http()
        self.client.create("orders")
        self.assertEqual(self.values()[name], 0)
        for _ in range(10):
            self.client.send("orders", *[b"x" * 100_000] * 10)
        stream = wire.ReceiveStream(self.client, "orders")
        def wait_until(is_right):
            def look():
                if not is_right(self.values()[name]):
                    raise LookupError(self.values()[name])
            daemon_test.wait_for(look, LookupError)

        stream.grant(100)
        wait_until(lambda held: held > 1_000_000)  # The rest lies with the client.
        stream.cancel()
        wait_until(lambda held: held == 0)

    def test_locks_that_expire_are_counted(self):
        self.start_with_http(flags=("--clock=manual",))
        self.client.create("orders")
        self.client.send("orders", b"x")
        self.client.receive_one("orders")
        self.client.clock.Advance(wire.clock_pb2.AdvanceClockRequest(by=wire.seconds(100)), timeout=wire.TIMEOUT)
        self.assertEqual(self.values()["wharf_lock_expiries_total"], 1)
        self.assertEqual(self.entity("orders")["available"], 1)

    def test_the_numbers_of_entities_are_there_after_a_crash(self):
        daemon = self.start_with_http()
        self.client.create("orders")
        self.client.create("gone")
        self.client.topics.create("news")
        self.client.topics.subscribe("news", "all")
        self.client.send("orders", b"a", b"b")
        self.client.send("news", b"c")
        self.client.receive_one("orders")
        self.client.delete("gone")
        before = self.entity("orders")
        daemon.kill()

        self.start_with_http()

        self.assertEqual(before["locked"], 1)
        self.assertEqual(self.entity("orders"), before)
        self.assertEqual(self.entity("news/Subscriptions/all")["available"], 1)
        self.assertEqual(self.entity("gone"), {})
        self.assertEqual(self.values()["wharf_entities"], 3)


class AlertTest(unittest.TestCase):
    """The rules of deploy/alerts.yml, in the states of alert_states.yml."""

    STATES = pathlib.Path(__file__).resolve().parent / "alert_states.yml"

    def test_each_alert_has_a_state_that_it_tells_of(self):
        alerts = re.findall(r"^ +- alert: (\w+)$", (DEPLOY / "alerts.yml").read_text(), re.M)
        self.assertEqual(re.findall(r"^  - name: (\w+)$", self.STATES.read_text(), re.M), alerts)

    @unittest.skipUnless(shutil.which("promtool"), "promtool is not installed")
    def test_a_bad_state_is_told_of_and_one_that_is_just_well_is_not(self):
        ended = subprocess.run(["promtool", "test", "rules", str(self.STATES)], timeout=wire.TIMEOUT, check=False,
                               capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)


if __name__ == "__main__":
    unittest.main()
