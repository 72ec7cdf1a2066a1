"""The next version of Azure's SDK for JavaScript (7.10.0-beta.2), whose programs do what those of the released one do."""

import os
import unittest
from unittest import mock

import certificates
import served
from test_served import HAS_SDK, SDK_STEPS, SESSION_STEPS


@unittest.skipUnless(HAS_SDK, "the SDK's packages need Node 20")
class Beta(served.ServedTest):

    def setUp(self):
        super().setUp()
        chosen = mock.patch.dict(os.environ, AZURE_SERVICE_BUS="@azure/service-bus-beta")
        chosen.start()
        self.addCleanup(chosen.stop)

    def test_with_nothing_changed_but_its_connection_string(self):
        self.serve()
        self.create_what_the_sdk_wants(self.client)
        self.tell("sdk_story.mjs", served.connection_string(self.port), steps=SDK_STEPS)
        self.tell("sdk_session_story.mjs", served.connection_string(self.port), steps=SESSION_STEPS)

    def test_over_tls(self):
        authority = certificates.Authority(self.folder.name)
        identity = authority.sign("broker")
        daemon = self.serve("amqp+tls://127.0.0.1:0",
                            flags=("--tls-cert", str(identity.certificate), "--tls-key", str(identity.key)))
        self.create_what_the_sdk_wants(self.client)
        with mock.patch.dict(os.environ, NODE_EXTRA_CA_CERTS=str(authority.certificate)):
            self.tell("sdk_story.mjs", served.connection_string(served.amqp_port(daemon, "amqp+tls"), more=""),
                      steps=SDK_STEPS)
