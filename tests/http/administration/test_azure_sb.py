"""azure-sb 0.11.2, the older client of Azure that speaks REST and Atom alone, unchanged: each of its methods
(azure_sb_story.mjs), over TLS at port 443, which it cannot change."""

import os
import socket

import administration

# Of the loopback net; no other run has it.
HOST = f"127.0.{os.getpid() // 250 % 250}.{os.getpid() % 250 + 2}"
STEPS = ("queues", "topics", "sent", "settled", "subscribed", "refused")


def check_port():
    """Nothing is skipped: a run of which this is no part has not shown what it should."""
    with socket.socket() as probe:
        try:
            probe.bind((HOST, 443))
        except PermissionError as error:
            raise AssertionError(
                "azure-sb dials port 443 and no other, and who runs this may not listen there: run it as root, or once "
                "`sysctl -w net.ipv4.ip_unprivileged_port_start=443`") from error


class AzureSb(administration.AdministrationTest):

    def test_each_method(self):
        check_port()
        self.serve(f"servicebus+tls://{HOST}:443", names=f"IP:{HOST}")
        string = (f"Endpoint=sb://{HOST}/;SharedAccessKeyName=RootManageSharedAccessKey;"
                  f"SharedAccessKey={self.root_key}")
        self.tell("azure_sb_story.mjs", string, steps=STEPS)
