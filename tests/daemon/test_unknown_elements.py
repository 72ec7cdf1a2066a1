"""What a client's XML says of an entity that Service Bus does not have: it is kept, and given back. Raw XML, over the
real daemon."""

import xml.etree.ElementTree as ElementTree

import atom_client
import daemon_test
import wire
from atom_client import QUEUE, SUBSCRIPTION, TOPIC, behind_the_known, descriptions, entry, etag_of, meanings

DECLARATIONS = 'xmlns:m="urn:mine" xmlns:amp="urn:a&amp;b" xmlns:idle="urn:never"'
# Of its own namespace and of others, with attributes, in each other, and with all that has to be escaped.
UNKNOWN = """<Newer a="1" b="&quot;&amp;&#10;&#9;&#13;&lt;'">0</Newer><m:Mine m:of="x" of="y"><Deep><m:Deeper/></Deep>
 tail <![CDATA[<b>&amp;]]>]]&gt;</m:Mine><Newer/><LockDuration xmlns="urn:other">none</LockDuration>
<Typed i:type="amp:t">amp:value</Typed><Bare xmlns=""><In xmlns="urn:in"/></Bare>
<T xml:lang="de">\u00e4\u20ac\U0001f389</T>"""
BOUND = 8192


class UnknownElementsTest(daemon_test.DaemonTest):

    def serve(self):
        daemon = self.start(listen=atom_client.PLACES)
        self.port = atom_client.port_of(daemon)
        return daemon

    def put(self, path, content="", kind=QUEUE, declarations="", if_match=None, status=None):
        answer = atom_client.put(self.port, path, entry(content, kind, declarations), if_match)
        self.assertEqual(answer.status, status or (200 if if_match else 201), answer.body)
        return answer

    def update(self, path, content="", **options):
        return self.put(path, content, if_match="*", **options)

    def get(self, path):
        answer = atom_client.ask(self.port, "GET", path)
        self.assertEqual(answer.status, 200, answer.body)
        return answer

    def assert_kept(self, answer, wanted):
        (description,) = descriptions(answer)
        self.assertEqual(behind_the_known(description), wanted)

    def test_they_come_back_wherever_the_entity_is_shown(self):  # EPR-24
        daemon = self.serve()
        wanted = meanings(UNKNOWN, DECLARATIONS)
        self.client.create("plain")

        self.assert_kept(self.put("/orders", UNKNOWN + "<MaxDeliveryCount>3</MaxDeliveryCount>",
                                  declarations=DECLARATIONS), wanted)
        self.put("/news", UNKNOWN, TOPIC, DECLARATIONS)
        self.put("/news/Subscriptions/mine", UNKNOWN, SUBSCRIPTION, DECLARATIONS)

        paths = ("/orders", "/news", "/news/Subscriptions/mine")
        for end in (None, wire.Daemon.terminate, wire.Daemon.kill):
            if end is not None:
                end(daemon)
                daemon = self.serve()
            for path in paths:
                self.assert_kept(self.get(path), wanted)
            queues = descriptions(self.get("/$Resources/queues"))
            self.assertEqual([behind_the_known(each) for each in queues], [wanted, []])
            for feed in ("/$Resources/topics", "/news/Subscriptions"):
                self.assertEqual([behind_the_known(each) for each in descriptions(self.get(feed))], [wanted])
        self.assertEqual(self.client.get("orders").max_delivery_count, 3)
        # What nothing in an element means is not there.
        self.assertNotIn(b"urn:never", self.get("/orders").body)
        self.assertIn(b'xmlns:amp="urn:a&amp;b" i:type="amp:t"', self.get("/orders").body)

    def test_who_gives_back_what_it_read_changes_nothing(self):  # EPR-24, EPR-30
        self.serve()
        self.put("/orders", UNKNOWN, declarations=DECLARATIONS)
        before, wanted = self.get("/orders"), meanings(UNKNOWN, DECLARATIONS)

        # To the letter, and as an SDK does that took it apart: with prefixes of its own.
        for body in (before.body.decode(), ElementTree.tostring(ElementTree.fromstring(before.body), "unicode")):
            answer = atom_client.put(self.port, "/orders", body, etag_of(self.get("/orders")))
            self.assertEqual(answer.status, 200, answer.body)
            self.assert_kept(answer, wanted)
        self.assert_kept(self.get("/orders"), wanted)

    def test_an_update_replaces_them(self):  # EPR-30
        self.serve()
        first = self.put("/orders", "<Newer>1</Newer><Other/>")

        second = self.update("/orders", "<Other>2</Other>")
        self.assert_kept(second, meanings("<Other>2</Other>"))
        self.assertNotEqual(etag_of(first), etag_of(second))
        late = atom_client.put(self.port, "/orders", entry("<Newer>3</Newer>"), etag_of(first))
        self.assertEqual(late.status, 412)

        self.assert_kept(self.update("/orders", "<LockDuration>PT30S</LockDuration>"), [])
        self.assert_kept(self.get("/orders"), [])

    def test_who_has_no_word_for_them_leaves_them_alone(self):  # EPR-24
        self.serve()
        self.put("/orders", UNKNOWN, declarations=DECLARATIONS)
        self.put("/news", UNKNOWN, TOPIC, DECLARATIONS)
        self.put("/news/Subscriptions/mine", UNKNOWN, SUBSCRIPTION, DECLARATIONS)

        self.client.update("orders", max_delivery_count=7)
        self.client.update("orders", mask=["user_metadata"], user_metadata="x")
        self.client.topics.update("news", user_metadata="x")
        self.client.topics.update_subscription("news", "mine", user_metadata="x")

        for path in ("/orders", "/news", "/news/Subscriptions/mine"):
            self.assertIn(b"<UserMetadata>x<", self.get(path).body)
            self.assert_kept(self.get(path), meanings(UNKNOWN, DECLARATIONS))

    def test_too_much_of_it_is_refused_and_changes_nothing(self):  # EPR-24
        self.serve()
        most = f"<Much>{'x' * (BOUND - len('<Much></Much>'))}</Much>"
        self.assert_kept(self.put("/orders", most), meanings(most))
        before = self.get("/orders")

        more = most.replace("x", "xx", 1)
        for path, if_match in (("/orders", "*"), ("/new", None)):
            refused = self.put(path, f"<MaxDeliveryCount>3</MaxDeliveryCount>{more}", if_match=if_match, status=400)
            self.assertIn(b"SubCode=40000", refused.body)
            self.assertIn(b"not known of a QueueDescription has more than 8192 bytes", refused.body)
        self.assertEqual(etag_of(self.get("/orders")), etag_of(before))
        self.assertEqual(atom_client.ask(self.port, "GET", "/new").status, 404)
        self.assertEqual([queue.name for queue in self.client.management.ListQueues(
            wire.management_pb2.ListQueuesRequest(), timeout=wire.TIMEOUT).queues], ["orders"])

    def test_what_is_hostile(self):
        self.serve()
        for content in ("<n:A/>", "<A n:b='1'/>", "<A>&#1;</A>", "<A>\x01</A>", "<A b='&file;'/>", "<A></B></A>",
                        "<a>" * 4000 + "</a>" * 4000, "<a/>" * 4000, "<A b='1' b='2'/>",
                        f"<A xmlns='{'u' * 100000}'/>", "</QueueDescription><QueueDescription>"):
            self.put("/orders", content, status=400)
        document_type = '<!DOCTYPE entry [<!ENTITY a "b">]>' + entry("<A>&a;</A>")
        self.assertEqual(atom_client.put(self.port, "/orders", document_type).status, 400)

        # Text that would end what it stands in, if it were written as it was meant.
        sly = '<Sly a="&quot;/>&lt;x/>">&lt;/Sly>&lt;/QueueDescription>&lt;Sly>&amp;amp;]]&gt;</Sly>'
        self.assert_kept(self.put("/orders", sly), meanings(sly))
        self.assert_kept(self.get("/orders"), meanings(sly))

    def test_what_service_bus_has_is_not_kept(self):
        self.serve()
        computed = "".join(f"<{name}>1</{name}>" for name in (
            "SizeInBytes", "MessageCount", "CreatedAt", "UpdatedAt", "AccessedAt", "EntityAvailabilityStatus",
            "SubscriptionCount", "SkippedUpdate"))
        self.assert_kept(self.put("/orders", f"{computed}<CountDetails><A xmlns='urn:a'/></CountDetails>"
                                             "<IsAnonymousAccessible>false</IsAnonymousAccessible>"), [])
        for path, kind in (("/news", TOPIC), ("/news/Subscriptions/mine", SUBSCRIPTION)):
            self.put(path, kind=kind)
            given_back = atom_client.put(self.port, path, self.get(path).body.decode(), "*")
            self.assert_kept(given_back, [])

    def test_many_entities_that_have_them(self):  # EPR-24
        """Each its own, on each page; and as much as there may be of it on a page."""
        daemon = self.serve()
        contents = {f"q{number:03}": f"<Number>{number}</Number><Much>{'x' * 8000}</Much>" for number in range(120)}
        for name, content in contents.items():
            self.put(f"/{name}", content)
        daemon.kill()
        self.serve()

        found = {}
        for skip in (0, 100):
            page = atom_client.ask(self.port, "GET", f"/$Resources/queues?$skip={skip}&$top=100")
            for number, description in enumerate(descriptions(page), skip):
                found[f"q{number:03}"] = behind_the_known(description)
        self.assertEqual(found, {name: meanings(content) for name, content in contents.items()})
