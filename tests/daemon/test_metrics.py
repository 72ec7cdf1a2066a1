"""What it tells to Prometheus, and what the pages and rules beside it make of that."""

import json
import pathlib
import re
import shutil
import socket
import subprocess
import time
import unittest
import urllib.parse

import certificates
import daemon_test
import operations
import wire

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
        identity = certificates.Authority(self.folder.name).sign("broker")
        daemon = self.start_with_http("grpc+tls://127.0.0.1:0", flags=(
            "--tls-cert", str(identity.certificate), "--tls-key", str(identity.key)))
        self.client.create("orders")
        return daemon

    def test_the_table_is_what_is_told(self):
        self.start_with_all()
        _, described = parse(self.scrape()[1])
        rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+?) \|$", (DEPLOY / "METRICS.md").read_text(), re.M)
        wanted = [f"| `{name}` | {kind} | {what} |" for name, (kind, what) in described.items()]
        self.assertEqual([f"| `{name}` | {kind} | {what} |" for name, kind, what in rows], wanted,
                         "\n".join(wanted))

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
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
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
        values, _ = parse(self.scrape()[1])
        there = {series.split("{")[0] for series in values}
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
        self.assertEqual(after['wharf_entity_messages_total{entity="orders"}'], 5)
        self.assertGreaterEqual(after['wharf_entity_bytes{entity="orders"}'], 400)
        self.assertLess(abs(after['wharf_entity_accessed_timestamp_seconds{entity="orders"}'] - time.time()), 60)
        self.assertEqual(after["wharf_send_seconds_count"], 1)
        self.assertEqual(grown["wharf_settle_seconds_count"], 4)
        self.assertEqual(grown["wharf_receive_seconds_count"], 4)
        for name in ("sync_seconds_count", "syncs_total", "commits_total", "turn_seconds_count"):
            self.assertGreater(grown[f"wharf_{name}"], 0, name)
        self.assertEqual(after["wharf_ready"], 1)
        self.assertGreater(after["process_resident_memory_bytes"], 10 << 20)
        self.assertLess(abs(after["process_start_time_seconds"] - time.time()), 60)
        self.assertEqual(daemon.terminate(), 0)

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


if __name__ == "__main__":
    unittest.main()
