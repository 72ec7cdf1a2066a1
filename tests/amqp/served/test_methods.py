"""Every method of Azure's SDK for JavaScript, of the released one and of the next: over TLS, with signatures that are
checked."""

import os
import unittest
from unittest import mock

import served
import wire
from test_served import HAS_SDK

STEPS = ("batched", "looped over", "changed what it settled", "streamed", "had sessions", "ruled", "renewed by itself",
         "closed", "left nothing out")


@unittest.skipUnless(HAS_SDK, "the SDK's packages need Node 20")
class Methods(served.ServedTest):

    def call_all(self, package):
        self.serve_secured()
        self.create_what_the_sdk_wants(self.client)
        # Long enough for a machine that is slow, and short enough to be renewed soon.
        self.client.create("brief", lock_duration=wire.seconds(5))
        self.client.create("brief/letters", lock_duration=wire.seconds(5), requires_session=True)
        with mock.patch.dict(os.environ, AZURE_SERVICE_BUS=package,
                             NODE_EXTRA_CA_CERTS=str(self.authority.certificate)):
            self.tell("sdk_methods_story.mjs", served.connection_string(self.tls_port, *self.root, more=""),
                      steps=STEPS)

    def test_of_the_released_sdk(self):
        self.call_all("@azure/service-bus")

    def test_the_next_sdk_deletes_nothing_where_nothing_is(self):  # BDL-2
        self.serve()
        self.client.create("q")
        with mock.patch.dict(os.environ, AZURE_SERVICE_BUS="@azure/service-bus-beta"):
            self.tell("sdk_purge_story.mjs", served.connection_string(self.port),
                      steps=("deleted nothing", "purged as many as it asks for"))

    def test_of_the_next_sdk(self):  # MGM-14
        self.call_all("@azure/service-bus-beta")


if __name__ == "__main__":
    unittest.main()
