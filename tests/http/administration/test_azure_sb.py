"""azure-sb 0.11.2, the older client of Azure that speaks REST and Atom alone, unchanged: each of its methods
(azure_sb_story.mjs), over TLS at port 443, which it cannot change."""

import os
import socket
import unittest

import administration

# Of the loopback net; no other run has it.
HOST = f"127.0.{os.getpid() // 250 % 250}.{os.getpid() % 250 + 2}"
STEPS = ("queues", "topics", "sent", "settled", "subscribed", "refused")


def may_listen():
    with socket.socket() as probe:
        try:
            probe.bind((HOST, 443))
        except PermissionError:
            return False
    return True


@unittest.skipUnless(may_listen(), "who runs this may not listen on port 443")
class AzureSb(administration.AdministrationTest):

    def test_each_method(self):
        self.serve(f"servicebus+tls://{HOST}:443", names=f"IP:{HOST}")
        string = (f"Endpoint=sb://{HOST}/;SharedAccessKeyName=RootManageSharedAccessKey;"
                  f"SharedAccessKey={self.root_key}")
        self.tell("azure_sb_story.mjs", string, steps=STEPS)
