"""A program that knows the emulator of Service Bus finds wharfd --emulator instead, with nothing changed: its
connection string, its port, its Config.json."""

import http.client
import os
import pathlib
import shutil
import unittest

import served
import test_node
import wire

# With Microsoft's own example.
CONFIG = pathlib.Path(__file__).resolve().parents[2] / "emulator/Config.json"


@unittest.skipUnless(test_node.major_version() >= 20, "the SDK's packages need Node 20")
class Emulator(served.ServedTest):

    def setUp(self):
        super().setUp()
        # An address of this process alone, at the ports of the emulator: as localhost is where nobody else has them.
        self.host = f"127.0.{1 + os.getpid() // 250 % 250}.{1 + os.getpid() % 250}"
        self.file = f"{self.folder.name}/Config.json"
        shutil.copy(CONFIG, self.file)

    def emulate(self):
        places = f"{self.host}:0,amqp://{self.host}:5672,servicebus://{self.host}:5300"
        return self.start(listen=places, flags=["--emulator", self.file])

    @property
    def connection_string(self):
        return (f"Endpoint=sb://{self.host};SharedAccessKeyName=RootManageSharedAccessKey;"
                "SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true;")

    def test_a_program_of_the_emulator_runs_and_its_messages_outlive_the_broker(self):
        daemon = self.emulate()
        self.tell("emulator_story.mjs", self.connection_string, "first", steps=("queue", "rules", "action"))

        daemon.kill()
        self.emulate()

        self.tell("emulator_story.mjs", self.connection_string, "again", steps=("kept", "dead-lettered"))

    def test_who_waits_for_the_emulator_to_be_healthy_finds_it(self):
        self.emulate()
        connection = http.client.HTTPConnection(self.host, 5300, timeout=wire.TIMEOUT)
        self.addCleanup(connection.close)
        connection.request("GET", "/health")
        self.assertEqual(connection.getresponse().status, 200)
