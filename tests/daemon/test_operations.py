"""What it tells over HTTP of how it is, and gRPC's health in step with that."""

import http.client
import os
import pathlib
import re
import socket
import subprocess
import threading
import unittest

import grpc

import daemon_test
import full_disk
import operations
import wire
from free_ports import free_port
from http2_connection import begin_answer

from grpc.health.v1 import health_pb2, health_pb2_grpc  # noqa: E402  pylint: disable=wrong-import-order

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


class OperationsTest(daemon_test.DaemonTest):

    def start_with_http(self, **options):
        daemon = self.start(listen=operations.PLACES, **options)
        self.port = operations.port_of(daemon)
        return daemon

    def health(self):
        stub = health_pb2_grpc.HealthStub(self.client.channel)
        return stub.Check(health_pb2.HealthCheckRequest(service="wharf.v1.Messaging"), timeout=wire.TIMEOUT).status

    def wait_for_causes(self, *names):
        def look():
            if set(self.causes()) != set(names):
                raise LookupError(self.causes())
        daemon_test.wait_for(look, LookupError)

    def causes(self):
        return operations.causes(self.port)

    def test_a_broker_by_itself_runs_no_consensus_and_no_go(self):
        daemon = self.start()
        self.client.create("q")
        self.client.send("q", b"x")

        linked = subprocess.run(["ldd", os.environ["WHARFD"]], stdout=subprocess.PIPE, text=True, check=True,
                                timeout=wire.TIMEOUT).stdout
        mapped = pathlib.Path(f"/proc/{daemon.pid}/maps").read_text(encoding="utf-8")
        self.assertIn("librocksdb", mapped)
        for name in ("wharfraft", "libgo."):
            self.assertNotIn(name, linked)
            self.assertNotIn(name, mapped)

    def test_it_is_well(self):
        daemon = self.start_with_http()

        for path in ("/livez", "/readyz"):
            status, headers, body = operations.get(self.port, path)
            self.assertEqual((status, body), (200, "ok\n"))
            self.assertEqual(headers["Content-Type"], "text/plain; charset=utf-8")
        self.assertEqual(operations.get(self.port, "/nothing")[0], 404)
        self.assertEqual(operations.get(self.port, "/livez", method="POST")[0], 405)
        self.assertEqual(self.health(), SERVING)
        self.assertEqual(daemon.terminate(), 0)

    def test_a_page_in_a_browser_gets_nothing(self):
        self.start_with_http(flags=("--http-hosts", "wharf.example.org"))
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"}):
            status, _, body = operations.get(self.port, "/readyz", headers)
            self.assertEqual(status, 403, headers)
            self.assertRegex(body, "^this is not for ")
        self.assertEqual(operations.get(self.port, "/readyz", {"Host": "wharf.example.org"})[0], 200)

    def test_a_disk_that_does_not_answer_is_named_and_its_end(self):
        held = pathlib.Path(self.folder.name) / "held"
        self.addCleanup(lambda: held.unlink(missing_ok=True))
        daemon = self.start_with_http(
            env={**os.environ, "LD_PRELOAD": os.environ["HELD_DISK"], "WHARF_HELD_DISK": str(held)})
        self.client.create("orders")
        watch = health_pb2_grpc.HealthStub(self.client.channel).Watch(
            health_pb2.HealthCheckRequest(service=""), timeout=wire.TIMEOUT)
        self.assertEqual(next(watch).status, SERVING)
        held.touch()
        sender = threading.Thread(target=lambda: self.client.send("orders", b"held"))
        sender.start()

        self.wait_for_causes("slow-disk")

        self.assertRegex(self.causes()["slow-disk"], r"^the disk has not answered for \d+\.\d s")
        self.assertEqual(operations.get(self.port, "/livez")[0], 200)
        self.assertEqual(next(watch).status, NOT_SERVING)
        held.unlink()
        sender.join()
        self.wait_for_causes()
        self.assertEqual(next(watch).status, SERVING)
        watch.cancel()
        daemon_test.wait_for_line(daemon, "warning the disk has not answered for")
        daemon_test.wait_for_line(daemon, "warning slow-disk is over")

    def test_a_turn_that_hangs_is_named_and_its_end(self):
        """It tells the log that a queue was recounted, and nobody reads that: who looks for it must not wait, too."""
        held = pathlib.Path(self.folder.name) / "held"
        self.addCleanup(lambda: held.unlink(missing_ok=True))
        before = self.start()
        self.client.create("orders")
        self.client.send("orders", b"kept")
        before.terminate()
        subprocess.run([os.environ["DAMAGE_COUNTERS"], self.data], check=True, timeout=wire.TIMEOUT)
        daemon = self.start_with_http(
            env={**os.environ, "LD_PRELOAD": os.environ["HELD_DISK"], "WHARF_HELD_LOG": str(held)})
        held.touch()
        repair = subprocess.Popen([daemon_test.WHARF, "--address", daemon.address, "check", "queue", "orders",
                                   "--repair"], stdout=subprocess.DEVNULL)

        self.wait_for_causes("hung-turn")

        self.assertRegex(self.causes()["hung-turn"], r"^one turn of the broker has taken \d+\.\d s")
        self.assertEqual(self.health(), NOT_SERVING)
        self.assertEqual(operations.get(self.port, "/livez")[0], 503)
        held.unlink()
        self.assertEqual(repair.wait(wire.TIMEOUT), 0)
        self.wait_for_causes()
        self.assertEqual(self.health(), SERVING)
        daemon_test.wait_for_line(daemon, "warning one turn of the broker has taken")
        daemon_test.wait_for_line(daemon, "warning hung-turn is over")

    def test_a_disk_that_is_full_is_named(self):
        daemon = self.start_with_http(flags=("--min-free-disk=1000TiB",))

        self.wait_for_causes("full-disk")

        self.assertEqual(self.health(), NOT_SERVING)
        self.assertEqual(operations.get(self.port, "/livez")[0], 200)
        self.assertEqual(daemon.terminate(), 0)

    def test_a_log_that_is_closed_is_named_until_it_ends(self):
        files = full_disk.SmallFiles(f"{self.folder.name}/files")
        daemon = self.start_with_http(data=f"{files.path}/data", **files.limits)
        self.client.create("orders")
        self.addCleanup(begin_answer(daemon.address).close)
        with self.assertRaises(grpc.RpcError):
            while True:
                self.client.send("orders", bytes(1_000_000))

        self.wait_for_causes("stopping", "closed-log")

        self.assertRegex(self.causes()["closed-log"], "^the commit log is closed: .*File too large")
        self.assertEqual(daemon.wait(), 1)

    def test_it_tells_that_it_stops(self):
        held = pathlib.Path(self.folder.name) / "held"
        self.addCleanup(lambda: held.unlink(missing_ok=True))
        daemon = self.start_with_http(
            env={**os.environ, "LD_PRELOAD": os.environ["HELD_DISK"], "WHARF_HELD_DISK": str(held)})
        self.client.create("orders")
        held.touch()

        def send():
            try:
                self.client.send("orders", b"held")
            except grpc.RpcError:
                pass
        sender = threading.Thread(target=send)
        sender.start()
        daemon_test.wait_for(pathlib.Path(f"{held}.waits").unlink, FileNotFoundError)
        ended = threading.Thread(target=daemon.terminate)
        ended.start()

        def look():
            if "stopping" not in self.causes():
                raise LookupError
        daemon_test.wait_for(look, LookupError)
        held.unlink()
        ended.join()
        sender.join()

    def test_what_is_no_http_harms_nobody(self):
        daemon = self.start_with_http()
        plugs = [socket.create_connection(("127.0.0.1", self.port), wire.TIMEOUT) for _ in range(1500)]
        for number, plug in enumerate(plugs):
            try:
                plug.sendall((b"", b"GET /readyz HT", os.urandom(512), b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                              b"GET / HTTP/1.1\r\n" + b"X: " + bytes([0x61]) * 70_000)[number % 5])
            except (BrokenPipeError, ConnectionResetError):
                pass

        # As long as all places are taken by those who hear that theirs was no request, one more is refused.
        ready = daemon_test.wait_for(lambda: operations.get(self.port, "/readyz"), ConnectionResetError)
        self.assertEqual(ready[2], "ok\n")

        for plug in plugs:
            plug.close()
        self.client.create("orders")
        self.client.send("orders", b"x")
        self.assertLess(daemon.peak_memory(), 200 << 10)
        self.assertEqual(daemon.terminate(), 0)

    def test_a_unix_socket_does_as_well(self):
        path = f"{self.folder.name}/http"
        self.start(listen=f"127.0.0.1:0,operations://unix:{path}")
        with socket.socket(socket.AF_UNIX) as plug:
            plug.connect(path)
            plug.sendall(b"GET /livez HTTP/1.0\r\n\r\n")
            self.assertRegex(re.sub(r"\r", "", plug.makefile().read()), r"^HTTP/1.0 200 OK\n[^\0]*\nok\n$")


class RefusedThreadTest(daemon_test.DaemonTest):
    """A start that fails when everything is open: what watches must find it closed, not gone."""

    def test_a_start_that_is_refused_a_thread_ends_with_a_sentence_while_it_is_watched(self):
        port = free_port()
        over = threading.Event()

        def watch():
            while not over.is_set():
                try:
                    operations.get(port, "/metrics")
                except (OSError, http.client.HTTPException):
                    pass
        watchers = [threading.Thread(target=watch) for _ in range(4)]
        for watcher in watchers:
            watcher.start()
        try:
            for which, serves in (("1", False), ("2", True), ("3", True)):  # The listener of HTTP, of gRPC, of AMQP.
                said = self.assert_refuses(
                    "Resource temporarily unavailable",
                    listen=f"127.0.0.1:0,amqp://127.0.0.1:0,operations://127.0.0.1:{port}",
                    env={**os.environ, "LD_PRELOAD": os.environ["REFUSED_THREAD"], "WHARF_REFUSED_THREAD": which})
                self.assertNotIn("ready", said)
                self.assertEqual(os.path.exists(self.data), serves)
        finally:
            over.set()
            for watcher in watchers:
                watcher.join()
        self.start().terminate()


if __name__ == "__main__":
    unittest.main()
