"""`wharf disk`: where the bytes are."""

import unittest

import command_line


class DiskCommandTest(command_line.CommandLineTest):

    def test_where_the_bytes_are(self):
        self.client.create("large")
        self.client.send("large", *[b"x" * 10000] * 50)
        disk = self.run_json("disk")
        self.assertEqual(disk["entities"][0]["entity_path"], "large")
        self.assertGreater(disk["entities"][0]["size_in_bytes"], 499999)
        self.assertGreater(disk["disk"]["log_bytes"], 500000)
        self.assertGreater(disk["disk"]["reserve_bytes"], 0)
        self.assertGreater(disk["memory"]["request_bytes_max"], 1 << 20)
        self.assertEqual(disk["alarms"], [])
        shown = self.run_wharf("disk", "--entities", "1")
        self.assertRegex(shown, r"(?s)DISK\n.*MEMORY\n.*ENTITY.*\nlarge ")


if __name__ == "__main__":
    unittest.main()
