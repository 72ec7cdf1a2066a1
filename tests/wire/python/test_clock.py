"""The clock of a broker that runs in earnest is nobody's to move."""

import unittest

import grpc

import wire


class ClockTest(wire.WireTest):

    def test_it_cannot_be_asked(self):
        info = self.assert_fails(grpc.StatusCode.FAILED_PRECONDITION, "InvalidOperation", self.client.clock_now)

        self.assertEqual(info.metadata["entity_path"], "")

    def test_it_cannot_be_advanced(self):
        for span in (0, 1, -1):
            self.assert_fails(grpc.StatusCode.FAILED_PRECONDITION, "InvalidOperation",
                              self.client.advance, wire.seconds(span))


if __name__ == "__main__":
    unittest.main()
