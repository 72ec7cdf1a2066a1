"""What tests of the HTTP listener share: a daemon that has one, and what it answers."""

import http.client
import json
import re

import wire

PLACES = "127.0.0.1:0,operations://127.0.0.1:0"


def port_of(daemon):
    """That of the first operations listener of the ready line."""
    (line,) = [line for line in daemon.log if "wharfd ready on " in line]
    return int(re.search(r" operations(?:\+tls)?://127\.0\.0\.1:(\d+) ", line).group(1))


def get(port, path, headers=None, method="GET", context=None):
    """The status, the headers and the body; over TLS with a context."""
    options = {"timeout": wire.TIMEOUT, **({"context": context} if context else {})}
    connection = (http.client.HTTPSConnection if context else http.client.HTTPConnection)("127.0.0.1", port, **options)
    try:
        connection.request(method, path, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        connection.close()


def causes(port):
    """Why it is not ready, by name; none if it is."""
    status, _, body = get(port, "/readyz", {"Accept": "application/json"})
    report = json.loads(body)
    assert report["ok"] == (status == 200), body
    return {cause["name"]: cause["message"] for cause in report["causes"]}
