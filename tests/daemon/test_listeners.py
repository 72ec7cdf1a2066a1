"""Where it listens: several places, Unix sockets, and what of them is refused."""

import os
import pathlib
import socket
import stat
import subprocess
import unittest

import grpc

import daemon_test
import operations
import wire


class ListenersTest(daemon_test.DaemonTest):

    def setUp(self):
        super().setUp()
        self.socket = pathlib.Path(self.folder.name, "s")

    def listen(self, *places, **options):
        daemon = self.start(listen=",".join(places), **options)
        return daemon, daemon.log[-1].split("ready on ")[1].split(" version=")[0].split()

    def test_every_place_is_named_and_served(self):
        daemon, places = self.listen("127.0.0.1:0", "grpc://[::1]:0", f"unix:{self.socket}")

        self.assertEqual(len(places), 3)
        self.assertRegex(places[1], r"^\[::1\]:\d+$")
        self.assertEqual(places[2], f"unix:{self.socket}")
        self.client.create("orders")
        for place in places:
            client = wire.Client(place)
            self.addCleanup(client.close)
            client.send("orders", place.encode())
        self.assertEqual(len(daemon_test.stored(self.client, "orders")), 3)
        self.assertEqual(daemon.terminate(), 0)
        self.assertFalse(self.socket.exists())

    def test_a_unix_socket_is_for_this_user_and_tells_who_came(self):
        daemon, _ = self.listen("127.0.0.1:0", f"unix:{self.socket}", flags=("--log-level=debug",))

        self.assertEqual(stat.S_IMODE(self.socket.stat().st_mode), 0o600)
        client = wire.Client(f"unix:{self.socket}")
        self.addCleanup(client.close)
        client.create("orders")
        client.send("orders", b"x")
        (held,) = client.receive("orders")
        self.assertTrue(client.complete("orders", held.lock_token))
        daemon_test.wait_for_line(daemon, f"a client connects from user {os.getuid()}, process {os.getpid()}")

    def test_what_a_dead_daemon_left_is_replaced_and_a_living_one_is_not(self):
        daemon, _ = self.listen("127.0.0.1:0", f"unix:{self.socket}")
        self.assert_refuses(f"cannot listen on unix:{self.socket}: somebody listens there already",
                            data=f"{self.folder.name}/other", listen=f"unix:{self.socket}")
        daemon.kill()
        self.assertTrue(self.socket.exists())

        daemon, _ = self.listen("127.0.0.1:0", f"unix:{self.socket}")

        client = wire.Client(f"unix:{self.socket}")
        self.addCleanup(client.close)
        self.assertEqual(client.statistics().entity_count, 0)
        self.assertEqual(daemon.terminate(), 0)

    def test_a_file_that_is_no_socket_stays(self):
        self.socket.write_text("precious")

        self.assert_refuses(f"cannot listen on unix:{self.socket}: there is a file of that name",
                            listen=f"unix:{self.socket}")

        self.assertEqual(self.socket.read_text(), "precious")
        self.assertFalse(os.path.exists(self.data))

    def test_one_bad_place_and_nothing_is_begun(self):
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)

        self.assert_refuses("cannot listen on 127.0.0.1:.*: it is in use",
                            listen=f"unix:{self.socket},127.0.0.1:{taken.getsockname()[1]}")

        self.assertFalse(self.socket.exists())
        self.assertFalse(os.path.exists(self.data))

    def test_what_is_advertised_is_what_connection_strings_say(self):
        for number, (advertise, endpoint) in enumerate((("wharf.example.org:7", "wharf.example.org:7"),
                                                        ("wharf.example.org", "wharf.example.org:{}"),
                                                        ("[2001:db8::1]", "[2001:db8::1]:{}"))):
            data = f"{self.folder.name}/{number}"
            daemon = wire.Daemon(data, flags=["--access=on", "--advertise", advertise])
            self.addCleanup(daemon.kill)
            said = pathlib.Path(data, "root-connection-string").read_text(encoding="ascii")
            port = daemon.address.rpartition(":")[2]
            self.assertTrue(said.startswith(f"Endpoint=sb://{endpoint.format(port)}/;"), said)

    def test_one_connection_too_many_is_turned_away(self):  # QUO-6
        daemon, places = self.listen("127.0.0.1:0", f"unix:{self.socket}", "operations://127.0.0.1:0",
                                     flags=("--max-connections=2",))
        self.client.create("orders")
        other = wire.Client(places[1])
        self.addCleanup(other.close)
        other.get("orders")

        third = self.connect(daemon)
        with self.assertRaises(grpc.RpcError) as refused:
            third.get("orders")
        self.assertEqual(refused.exception.code(), grpc.StatusCode.UNAVAILABLE)
        with socket.socket(socket.AF_UNIX) as plug:
            plug.settimeout(wire.TIMEOUT)
            plug.connect(str(self.socket))
            self.assertEqual(plug.recv(1), b"")  # Closed without a word.

        metrics = operations.get(operations.port_of(daemon), "/metrics")[2]  # HTTP does not count. RST-12
        self.assertRegex(metrics, r"\nwharf_grpc_connections_refused_total [2-9]\n")
        self.assertIn("\nwharf_grpc_open_connections 2\n", metrics)
        said = daemon_test.wait_for_line(daemon, "a client is turned away")
        self.assertIn("as many are connected as max-connections allows", said)
        other.close()
        daemon_test.wait_for(lambda: third.get("orders"), grpc.RpcError)
        self.assertEqual(daemon.terminate(), 0)

    def test_insecure_is_said_in_so_many_words_and_seen(self):
        places = "0.0.0.0:0,operations://127.0.0.1:0"
        daemon = self.start(listen=places, flags=("--insecure",))
        port = operations.port_of(daemon)

        client = wire.Client(daemon.address.replace("0.0.0.0", "127.0.0.1"))
        self.addCleanup(client.close)
        client.create("orders")
        said = 'warning insecure is set: others reach 0.0.0.0:0 without TLS and access = "on"'
        self.assertIn(said, "".join(daemon.log))
        self.assertEqual(operations.get(port, "/readyz")[0], 200)
        self.assertEqual(operations.get(port, "/readyz")[2],
                         "ok\ninsecure: listeners may do without TLS and without access\n")
        self.assertIn("\nwharf_insecure 1\n", operations.get(port, "/metrics")[2])
        daemon.kill()

        daemon = self.start(listen=operations.PLACES)
        self.assertNotIn("insecure", "".join(daemon.log))
        self.assertIn("\nwharf_insecure 0\n", operations.get(operations.port_of(daemon), "/metrics")[2])

    def test_what_others_could_reach_is_refused(self):
        for place in ("0.0.0.0:0", f"unix:{self.socket}?mode=0666"):
            ended = subprocess.run([os.environ["WHARFD"], "--data", self.data, "--listen", place],
                                   stderr=subprocess.PIPE, text=True, timeout=wire.TIMEOUT, check=False)

            self.assertEqual(ended.returncode, 2)
            self.assertRegex(ended.stderr, r'^--listen: \S+: [^\n]+ access = "on"[^\n]*\n$')
        self.assertFalse(os.path.exists(self.data))


if __name__ == "__main__":
    unittest.main()
