"""Who holds a link hears when its entity is deleted or disabled, whether it sends or receives (STS-8)."""

import subprocess
import unittest

import served
import test_node
import wire
from proton import Delivery, Message
from proton.utils import LinkDetached
from test_served import HAS_SDK
from wire import management_pb2

ACTIVE, DISABLED = management_pb2.ENTITY_STATUS_ACTIVE, management_pb2.ENTITY_STATUS_DISABLED
# The address of each link, and whether it sends.
OF_QUEUE = (("q", True), ("q", False), ("q/$DeadLetterQueue", False))
OF_TOPIC = (("t", True), ("t/Subscriptions/s", False))
MESSAGE = Message(body=b"x", inferred=True, group_id="s")


class EntityEnds(served.ServedTest):

    def setUp(self):
        super().setUp()
        self.serve()
        self.create_what_the_sdk_wants(self.client)

    def attach(self, address, sends):
        connection = self.dial(heartbeat=None)
        if sends:
            connection.create_sender(address)
        else:
            connection.create_receiver(address, credit=1)
        return connection

    def assert_each_hears(self, condition, links, change):
        attached = [(link, self.attach(*link)) for link in links]
        change()
        for link, connection in attached:
            with self.subTest(link=link):
                with self.assertRaises(LinkDetached) as ended:
                    connection.wait(lambda: False, timeout=wire.TIMEOUT)
                self.assertEqual(ended.exception.condition, condition)

    def set_status(self, status):
        self.client.update("q", mask=["status"], status=status)

    def test_that_it_is_deleted(self):
        self.assert_each_hears("amqp:resource-deleted", OF_QUEUE, lambda: self.client.delete("q"))
        self.assert_each_hears("amqp:resource-deleted", OF_TOPIC, lambda: self.client.topics.delete("t"))

    def test_that_it_is_disabled(self):
        # Of another entity it hears nothing.
        other = self.dial().create_sender("letters")
        self.assert_each_hears("com.microsoft:entity-disabled", OF_QUEUE[:2], lambda: self.set_status(DISABLED))
        self.set_status(ACTIVE)
        for sender in (other, self.dial().create_sender("q")):
            self.assertEqual(sender.send(MESSAGE).remote_state, Delivery.ACCEPTED)

    @unittest.skipUnless(HAS_SDK, "the SDK's packages need Node 20")
    def test_azures_sender_goes_on_when_it_is_enabled_again(self):
        test_node.install()
        with subprocess.Popen(["node", "sdk_disabled_story.mjs", served.connection_string(self.port)],
                              cwd=test_node.NODE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
            self.addCleanup(program.kill)
            for said, change in (("sent", lambda: self.set_status(DISABLED)),
                                 ("heard that it is disabled", lambda: self.set_status(ACTIVE)),
                                 ("goes on", lambda: self.client.delete("q"))):
                self.assertEqual(program.stdout.readline(), f"{said}\n")
                change()
                program.stdin.write("done\n")
                program.stdin.flush()
            told, _ = program.communicate(timeout=wire.TIMEOUT)
        self.assertEqual((told, program.returncode), ("heard that it is gone\n", 0))


if __name__ == "__main__":
    unittest.main()
