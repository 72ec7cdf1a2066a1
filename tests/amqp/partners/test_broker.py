"""Partners of another make send to a whole broker, and receive from it: Azure's JavaScript SDK, rhea and Proton."""

import os
import subprocess
import unittest
import uuid

import test_node
from endpoint import TIME
from proton import Delivery, Message, short, symbol
from proton.utils import BlockingConnection

PARTNER = os.environ["AMQP_BROKER_PARTNER"]


class BrokerTest(unittest.TestCase):
    def setUp(self):
        broker = subprocess.Popen([PARTNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

        def stop():
            broker.stdin.close()
            self.assertEqual(broker.wait(TIME), 0)
            broker.stdout.close()

        self.addCleanup(stop)
        self.port = int(broker.stdout.readline())

    def tell(self, story, whom, *steps):
        test_node.install()
        told = subprocess.run(["node", story, whom], cwd=test_node.NODE, timeout=TIME,
                              stdout=subprocess.PIPE, text=True)
        self.assertEqual(told.stdout.splitlines(), list(steps))
        self.assertEqual(told.returncode, 0)

    @unittest.skipIf(test_node.major_version() < 20, "the SDK's packages need Node 20")
    def test_azures_sdk_sends_receives_and_settles(self):
        whom = f"Endpoint=sb://127.0.0.1:{self.port};SharedAccessKeyName=root;SharedAccessKey=any;UseDevelopmentEmulator=true"
        self.tell("sdk_story.mjs", whom, "sent", "settled", "drained", "filled a batch", "kept what AMQP says",
                  "read what is dead", "subscribed", "told what is missing", "closed")

    def test_rhea_sends_receives_and_settles(self):
        self.tell("broker_story.mjs", str(self.port), "sent", "completed", "released", "drained", "kept what AMQP says",
                  "closed")

    def test_proton_sends_receives_and_settles(self):
        connection = BlockingConnection(f"amqp://127.0.0.1:{self.port}", timeout=TIME, allowed_mechs="ANONYMOUS")
        self.addCleanup(connection.close)
        sender = connection.create_sender("q")
        bodies = [f"message {i}" for i in range(200)] + ["x" * 500_000]
        for body in bodies:
            self.assertEqual(sender.send(Message(body=body)).remote_state, Delivery.ACCEPTED)
        receiver = connection.create_receiver("q", credit=50)
        for body in bodies:
            self.assertEqual(receiver.receive(timeout=TIME).body, body)
            receiver.accept()
        for identity in (7, uuid.UUID(int=5), b"\x00\xff", "text"):
            said = {"symbol": symbol("s"), "list": [1, "two"], "null": None, "short": short(-3), "map": {"a": 1}}
            self.assertEqual(
                sender.send(Message(id=identity, correlation_id=identity, annotations={symbol("note"): [1, "two"]},
                                    properties=said, body=[1, {"two": "three"}])).remote_state, Delivery.ACCEPTED)
            message = receiver.receive(timeout=TIME)
            self.assertEqual((message.id, message.correlation_id), (identity, identity))
            self.assertEqual(message.annotations[symbol("note")], [1, "two"])
            self.assertEqual((message.properties, message.body), (said, [1, {"two": "three"}]))
            self.assertEqual((type(message.properties["symbol"]), type(message.properties["short"])), (symbol, short))
            receiver.accept()


if __name__ == "__main__":
    unittest.main()
