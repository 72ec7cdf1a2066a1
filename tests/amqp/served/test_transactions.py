"""wharfd runs transactions of clients over AMQP 1.0, as Proton does them."""

import unittest

import daemon_test
import served
import wire
from proton import Message
from proton.handlers import MessagingHandler, TransactionHandler
from proton.reactor import Container


class Mover(MessagingHandler, TransactionHandler):
    """Takes a message from `q` and sends another one to `other`, in a transaction; then does what `end` says."""

    def __init__(self, place, end, settles, **proof):
        super().__init__(prefetch=0, auto_accept=False)
        self.place, self.end, self.settles = place, end, settles
        self.proof = proof or {"allowed_mechs": "ANONYMOUS"}
        self.told, self.transaction = [], None

    def on_start(self, event):
        connection = event.container.connect(self.place, reconnect=False, **self.proof)
        self.limit = event.container.schedule(wire.TIMEOUT, self)
        self.receiver = event.container.create_receiver(connection, "q")
        self.sender = event.container.create_sender(connection, "other")
        event.container.declare_transaction(connection, handler=self, settle_before_discharge=self.settles)

    def on_transaction_declared(self, event):
        self.transaction = event.transaction
        self.receiver.flow(1)

    def on_message(self, event):
        self.transaction.accept(event.delivery)
        self.transaction.send(self.sender, Message(body=b"moved", inferred=True))
        self.end(self, event)

    def finish(self, event, told):
        self.told.append(told)
        self.limit.cancel()
        event.connection.close()

    def on_transaction_committed(self, event):
        self.finish(event, "committed")

    def on_transaction_aborted(self, event):
        self.finish(event, "aborted")

    def on_transaction_commit_failed(self, event):
        self.finish(event, event.delivery.remote.condition.name)

    def on_timer_task(self, event):
        self.told.append("too late")
        event.container.stop()

    def on_transport_error(self, event):
        self.told.append("lost")
        self.limit.cancel()


class Transactions(served.ServedTest):

    def move(self, end, settles=True):
        mover = Mover(f"amqp://127.0.0.1:{self.port}", end, settles)
        Container(mover).run()
        return mover.told

    def begin(self, **options):
        daemon = self.serve(**options)
        self.client.create("q")
        self.client.create("other")
        self.client.send("q", b"to be moved")
        return daemon

    def bodies(self, path):
        return sorted(daemon_test.stored(self.client, path).values())

    def test_proton_moves_a_message_with_a_commit(self):
        self.begin()
        self.assertEqual(self.move(lambda mover, _: mover.transaction.commit()), ["committed"])
        self.assertEqual((self.bodies("q"), self.bodies("other")), ([], [b"moved"]))
        # The same in two phases.
        self.client.send("q", b"to be moved")
        self.assertEqual(self.move(lambda mover, _: mover.transaction.commit(), settles=False), ["committed"])
        self.assertEqual((self.bodies("q"), self.bodies("other")), ([], [b"moved", b"moved"]))

    def test_what_proton_rolls_back_was_never_done(self):
        self.begin()
        self.assertEqual(self.move(lambda mover, _: mover.transaction.abort()), ["aborted"])
        self.assertEqual(self.bodies("other"), [])
        # It had settled the message and cannot name it any more.
        held = self.client.receive_one("q")
        self.assertEqual((held.message.body, held.delivery_count), (b"to be moved", 0))

    def test_a_program_that_goes_has_done_nothing(self):
        self.begin()
        self.assertEqual(self.move(lambda mover, event: mover.finish(event, "went")), ["went"])
        daemon_test.wait_for(lambda: self.assertEqual(self.client.receive_one("q").message.body, b"to be moved"),
                             (AssertionError, AttributeError))
        self.assertEqual(self.bodies("other"), [])

    def test_a_broker_that_is_killed_has_done_all_or_nothing(self):
        daemon = self.begin()

        self.assertEqual(self.move(lambda mover, event: daemon.kill()), ["lost"])
        self.serve()
        self.assertEqual((self.bodies("q"), self.bodies("other")), ([b"to be moved"], []))

    def test_what_fails_makes_the_commit_fail(self):
        self.begin()

        def fail(mover, _):
            mover.transaction.send(mover.sender, Message(body=b"x", id="i" * 200, inferred=True))
            mover.transaction.commit()

        self.assertEqual(self.move(fail), ["amqp:transaction:rollback"])
        self.assertEqual(self.bodies("other"), [])
        self.assertEqual(self.client.receive_one("q").message.body, b"to be moved")


if __name__ == "__main__":
    unittest.main()
