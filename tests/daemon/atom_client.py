"""What tests of management over HTTP share that say themselves what stands in the XML: its descriptions, as they are
written, and as a reader understands them."""

import http.client
import re
import xml.etree.ElementTree as ElementTree

import rest_client
import wire

PLACES = "127.0.0.1:0,servicebus://127.0.0.1:0"
ATOM = "http://www.w3.org/2005/Atom"
BUS = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"
QUEUE, TOPIC, SUBSCRIPTION = "QueueDescription", "TopicDescription", "SubscriptionDescription"


def entry(content="", kind=QUEUE, declarations=""):
    return (f'<entry xmlns="{ATOM}"><content type="application/xml"><{kind} xmlns="{BUS}" '
            f'xmlns:i="http://www.w3.org/2001/XMLSchema-instance" {declarations}>{content}</{kind}></content></entry>')


def port_of(daemon):
    return rest_client.RestTest.port_of(daemon, "servicebus")


def ask(port, method, path, body="", headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=wire.TIMEOUT)
    try:
        connection.request(method, path, body=body.encode(), headers=headers or {})
        return rest_client.Answer(connection.getresponse())
    finally:
        connection.close()


def put(port, path, body, if_match=None):
    return ask(port, "PUT", path, body, {"If-Match": if_match} if if_match else {})


def descriptions(answer):
    """Those of an entry, or of each entry of a feed."""
    root = ElementTree.fromstring(answer.body)
    entries = [root] if root.tag == f"{{{ATOM}}}entry" else root.findall(f"{{{ATOM}}}entry")
    return [each.find(f"{{{ATOM}}}content")[0] for each in entries]


def meaning(element):
    """All that a reader of XML has to tell apart, of an element and of what is in it."""
    return (element.tag, dict(element.attrib), element.text or "",
            [(meaning(child), child.tail or "") for child in element])


def behind_the_known(description):
    """The meaning of what stands behind the last element that Wharf itself writes into a description."""
    names = [each.tag for each in description]
    last = max(names.index(f"{{{BUS}}}{name}") for name in ("MaxMessageSizeInKilobytes", "EntityAvailabilityStatus")
               if f"{{{BUS}}}{name}" in names)
    return [meaning(each) for each in description[last + 1:]]


def meanings(content, declarations=""):
    """Of the elements of a description that a client wrote."""
    (description,) = ElementTree.fromstring(entry(content, declarations=declarations))[0]
    return [meaning(each) for each in description]


def etag_of(answer):
    assert re.fullmatch(r'"[0-9a-f-]{36}"', answer.headers["ETag"]), answer.headers["ETag"]
    return answer.headers["ETag"]
