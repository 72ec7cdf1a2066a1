"""A page of another origin, and a foreign name that points to this machine, get nothing of a broker without access."""

import daemon_test
import foreign_site
import operations

EVIL = "evil.example"


class BrowserTest(daemon_test.DaemonTest):

    def setUp(self):
        super().setUp()
        daemon = self.start(listen=operations.PLACES)
        self.port = operations.port_of(daemon)
        self.grpc_port = int(daemon.address.rpartition(":")[2])
        self.client.create("secret-orders")

    def url(self, path, host="127.0.0.1"):
        return f"http://{host}:{self.port}{path}"

    def test_the_operator_sees_it(self):
        self.assertIn("ok", foreign_site.page_at(self.url("/readyz")))
        self.assertIn("secret-orders", foreign_site.page_at(self.url("/metrics")))

    # What a name of the attacker's points to is of one origin with his page, so the browser lets it be read.
    def test_a_name_that_points_to_it_gets_nothing(self):
        for path in ("/metrics", "/readyz"):
            said = foreign_site.page_at(self.url(path, EVIL), EVIL)

            self.assertIn("this is not for", said)
            self.assertNotIn("secret-orders", said)

    def test_a_page_of_another_origin_hears_nothing(self):
        site = foreign_site.ForeignSite()
        self.addCleanup(site.close)
        own = {"url": f"http://127.0.0.1:{site.port}/"}
        ways = ({}, {"mode": "no-cors"}, {"headers": {"X-Any": "1"}}, {"method": "POST", "body": "x"})
        others = [{"url": self.url(path), "options": way} for path in ("/metrics", "/readyz", "/livez") for way in ways]
        call = f"http://127.0.0.1:{self.grpc_port}/wharf.v1.Management/ListQueues"
        grpc_door = [{"url": call, "options": {"method": "POST", "mode": mode, "body": "\0\0\0\0\0"}}
                     for mode in ("cors", "no-cors")]

        heard = site.what_a_page_hears([own, *others, *grpc_door])

        self.assertEqual((heard[0]["type"], heard[0]["status"]), ("basic", 200))  # It can hear what it may.
        self.assertEqual(len(heard), 1 + len(others) + len(grpc_door))
        for one in heard[1:]:
            self.assertIn(one["type"], ("error", "opaque"), one)
            self.assertEqual((one["status"], one["body"]), (0, ""), one)
        self.client.send("secret-orders", b"goes on")
