"""The command line and transactions: wharf transaction, and --transaction of send, settle, renew and session state."""

import unittest

import command_line
from command_line import FAILED, USAGE

NO_TOKEN = "0" * 32


class TransactionCommandsTest(command_line.CommandLineTest):

    def setUp(self):
        super().setUp()
        self.run_wharf("queue", "create", "bills")
        self.run_wharf("send", "orders", "order", "--quiet")
        self.token = self.lock()

    def count(self, queue):
        return self.run_json("queue", "show", queue)["runtime"]["active_message_count"]

    def test_run_does_all_or_nothing(self):  # TXN-11
        self.run_wharf("transaction", "run", f"complete orders {self.token}", f"complete orders {NO_TOKEN}", code=FAILED)
        self.assertIn("operation 2", self.said)
        self.assertEqual((self.count("orders"), self.count("bills")), (1, 0))

        done = self.run_json("transaction", "run", f"complete orders {self.token}", "send bills two beers",
                             "--id", "mine")

        self.assertEqual((done["transaction_id"], done["state"]), ("mine", "committed"))
        self.assertEqual(done["results"], [{}, {"sent": [{"sequence_number": 1}]}])
        self.assertEqual((self.count("orders"), self.count("bills")), (0, 1))
        self.assertEqual(self.run_json("transaction", "show", "mine"), done)
        self.assertIn("operation 2: sent 1", self.run_wharf("transaction", "run", "send bills x", "--id", "mine"))
        self.assertEqual(self.count("bills"), 1)

    def test_step_by_step(self):  # TXN-12
        self.run_wharf("transaction", "begin", "t")
        self.assertEqual(self.run_wharf("send", "bills", "a", "b", "--transaction", "t"), "added 2\n")
        self.assertEqual(self.run_wharf("settle", "orders", "complete", self.token, "--transaction", "t"), "added 1\n")
        self.assertEqual(self.run_json("transaction", "show", "t")["operation_count"], 3)
        self.assertEqual((self.count("orders"), self.count("bills")), (1, 0))

        self.assertIn("t  committed", self.run_wharf("transaction", "commit", "t"))

        self.assertEqual((self.count("orders"), self.count("bills")), (0, 2))
        self.run_wharf("transaction", "rollback", "t", code=FAILED)

    def test_the_id_comes_first(self):
        self.assertRegex(self.run_wharf("transaction", "begin", "t"), r"^t  open until [^ ]+Z\n$")
        name = self.run_wharf("transaction", "begin").split()[0]

        self.assertEqual(self.run_wharf("send", "bills", "a", "--transaction", name), "added 1\n")

    def test_the_state_of_a_session(self):  # TXN-1
        self.run_wharf("queue", "create", "letters", "--requires-session", "true")
        held = self.run_wharf("session", "accept", "letters", "red").split()[0]
        state = ["session", "state"]
        self.run_wharf("transaction", "begin", "t")

        self.assertEqual(self.run_wharf(*state, "set", "letters", held, "half done", "--transaction", "t"), "added 1\n")
        self.assertEqual(self.run_json(*state, "get", "letters", held), {"state": None})
        self.run_wharf("transaction", "commit", "t")

        self.assertEqual(self.run_json(*state, "get", "letters", held), {"state": "half done"})
        self.run_wharf("transaction", "begin", "u")
        self.assertEqual(self.run_json(*state, "clear", "letters", held, "--transaction", "u"), {"added": 1})
        self.run_wharf("transaction", "rollback", "u")
        self.assertEqual(self.run_json(*state, "get", "letters", held), {"state": "half done"})

    def test_rolled_back(self):  # TXN-10, TXN-12
        name = self.run_json("transaction", "begin")["transaction_id"]
        self.run_wharf("renew", "orders", self.token, "--transaction", name)
        self.assertIn("rolled-back", self.run_wharf("transaction", "rollback", name))
        self.run_wharf("transaction", "begin", "late")
        self.run_wharf("clock", "advance", "2m")
        self.run_wharf("transaction", "commit", "late", code=FAILED)
        self.assertIn("TransactionAborted", self.said)
        self.run_wharf("transaction", "show", "nobody", code=FAILED)
        self.assertIn("TransactionUnknown", self.said)

    def test_bad_usage(self):
        for arguments in (["run"], ["run", "peek orders"], ["run", "complete orders"], ["commit"], ["show"], []):
            with self.subTest(arguments=arguments):
                self.run_wharf("transaction", *arguments, code=USAGE)


if __name__ == "__main__":
    unittest.main()
