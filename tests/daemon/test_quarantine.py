"""A disk that has damaged blocks: what the broker cannot read is out of the way, and what is left of it can be saved."""

import json
import os
import pathlib
import random
import subprocess
import unittest

import grpc

import daemon_test
import damaged_disk
import wire
from wire import messaging_pb2

CHUNK = 256 << 10


def noise(size):
    """Bytes that do not become fewer on disk; the same each time."""
    return random.Random(size).randbytes(size)


class QuarantineTest(daemon_test.DaemonTest):

    def setUp(self):
        super().setUp()
        self.daemon = self.start()
        self.client.create("orders", max_message_size_in_kilobytes=102400)

    def restart_damaged(self, text):
        self.assertEqual(self.daemon.terminate(), 0)
        damaged_disk.flip(self.data, text)
        self.daemon = self.start()

    def send_large(self, body):
        stream = wire.Stream(self.client.messaging.SendStream)
        header = messaging_pb2.LargeMessageHeader(entity_path="orders", body_size=len(body))
        stream.write(messaging_pb2.SendStreamRequest(request_id=1, header=header))
        for at in range(0, len(body), CHUNK):
            chunk = messaging_pb2.MessageChunk(data=body[at:at + CHUNK])
            stream.write(messaging_pb2.SendStreamRequest(request_id=1, chunk=chunk))
        stream.writes_done()
        self.assertEqual(stream.read().results[0].WhichOneof("outcome"), "sequence_number")

    def quarantined(self):
        messages = self.client.peek("orders", show=messaging_pb2.PEEK_FILTER_QUARANTINED).messages
        return wire.numbers(messages)

    def export(self, number, start=0):
        request = messaging_pb2.ExportBySequenceNumberRequest(
            entity_path="orders", sequence_number=number, from_row=start)
        return self.client.messaging.ExportBySequenceNumber(request, timeout=wire.TIMEOUT)

    def wharf(self, *arguments):
        return subprocess.run([daemon_test.WHARF, "--address", self.daemon.address, *arguments], text=True,
                              capture_output=True, timeout=wire.TIMEOUT, check=False)

    def test_a_large_message_that_breaks_off_is_in_quarantine(self):
        body = noise(8 * CHUNK)
        self.send_large(body)
        self.client.send("orders", b"behind")
        self.restart_damaged(body[3 * CHUNK:3 * CHUNK + 64])

        stream = wire.ReceiveStream(self.client, "orders")
        self.addCleanup(stream.cancel)
        stream.expect("started")
        stream.grant(1)
        stream.expect("header")
        with self.assertRaises(grpc.RpcError) as ended:
            while True:
                stream.expect("chunk")

        self.assertEqual(ended.exception.code(), grpc.StatusCode.INTERNAL)
        self.assertIn("message 1 of 'orders' cannot be read, and is in quarantine now", ended.exception.details())
        self.assertEqual(self.quarantined(), [1])
        runtime = self.client.runtime("orders")
        self.assertEqual((runtime.quarantined_message_count, runtime.locked_message_count), (1, 0))
        self.assertEqual(wire.bodies(self.client.receive("orders", 9)), [b"behind"])

    def test_what_is_left_is_exported(self):
        body = noise(8 * CHUNK)
        self.send_large(body)
        self.restart_damaged(body[3 * CHUNK:3 * CHUNK + 64])
        self.assert_fails(grpc.StatusCode.FAILED_PRECONDITION, "InvalidOperation", self.export, 1)
        stream = wire.ReceiveStream(self.client, "orders")
        self.addCleanup(stream.cancel)
        stream.grant(1)
        with self.assertRaises(grpc.RpcError):
            list(stream.call)

        first = self.export(1)
        self.assertTrue(first.HasField("next_row"))
        rest = self.export(1, first.next_row)
        self.assertFalse(rest.HasField("next_row"))
        message, delivery, *chunks = [*first.rows, *rest.rows]
        row = messaging_pb2.ExportedRow
        self.assertEqual((message.kind, delivery.kind), (row.KIND_MESSAGE, row.KIND_DELIVERY))
        self.assertTrue(message.data and delivery.data)
        self.assertEqual([(each.kind, each.chunk) for each in chunks], [(row.KIND_BODY, at) for at in range(8)])
        for at, each in enumerate(chunks):
            self.assertEqual(each.data, b"" if at == 3 else body[at * CHUNK:(at + 1) * CHUNK])
            self.assertEqual(bool(each.unreadable_reason), at == 3)
        self.assert_fails(grpc.StatusCode.NOT_FOUND, "MessageNotFound", self.export, 2)

    def test_an_export_of_all_messages_leaves_it_out_and_names_it(self):
        body = noise(8 * CHUNK)
        self.client.send("orders", b"before")
        self.send_large(body)
        self.client.send("orders", b"behind")
        self.restart_damaged(body[3 * CHUNK:3 * CHUNK + 64])
        file = pathlib.Path(self.folder.name) / "exported"

        exported = self.wharf("messages", "export", "orders", "--to", str(file))

        self.assertEqual((exported.returncode, exported.stdout), (1, "exported 2\n"))
        self.assertIn("message 2 of 'orders' cannot be read", exported.stderr)
        self.assertIn("1 messages cannot be read and were left out", exported.stderr)
        lines = file.read_text(encoding="ascii").splitlines()
        self.assertEqual([json.loads(line)["body"] for line in lines], ["before", "behind"])

    def test_the_command_line_saves_it(self):
        body = noise(2 * CHUNK + 7)
        self.client.send("orders", body)
        folder = pathlib.Path(self.folder.name) / "export" / "1"
        export = ["message", "export", "orders", "1", "--to", str(folder)]
        self.restart_damaged(body[CHUNK:CHUNK + 64])

        refused = self.wharf(*export)
        self.assertEqual((refused.returncode, folder.exists()), (1, False), refused.stderr)
        self.assertIn("message 1 of 'orders' is not in quarantine", refused.stderr)
        self.assertEqual(list(self.client.receive("orders", 9)), [])
        exported = self.wharf(*export)
        self.assertEqual(exported.returncode, 0, exported.stderr)

        self.assertEqual(sorted(os.listdir(folder)), ["body-0000", "body-0002", "delivery", "message", "report.json"])
        self.assertEqual((folder / "body-0000").read_bytes(), body[:CHUNK])
        self.assertEqual((folder / "body-0002").read_bytes(), body[2 * CHUNK:])
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        self.assertEqual((report["entity_path"], report["sequence_number"]), ("orders", 1))
        self.assertEqual([row["row"] for row in report["rows"]],
                         ["message", "delivery", "body-0000", "body-0001", "body-0002"])
        self.assertEqual([row["row"] for row in report["rows"] if row.get("unreadable_reason")], ["body-0001"])
        self.assertRegex(exported.stdout, r"\nbody-0002 +7 *\n")

        again = self.wharf(*export)
        self.assertEqual(again.returncode, 1)
        self.assertIn("cannot be written: File exists", again.stderr)
        self.assertEqual(self.wharf("message", "complete", "orders", "1").returncode, 0)
        self.assertEqual(self.quarantined(), [])


if __name__ == "__main__":
    unittest.main()
