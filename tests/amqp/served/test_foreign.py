"""Clients that know nothing of Service Bus, in the clear, and over TLS by the key of a rule: Proton, rhea and amqp10
send, receive and settle, and the first two drain and do transactions."""

import os
import unittest
import urllib.parse
from unittest import mock

import daemon_test
import served
import test_transactions
import wire
from proton import Delivery, Message, SSLDomain
from proton.reactor import AtMostOnce, Container


class InTheClear(served.ServedTest):

    def setUp(self):
        super().setUp()
        self.begin()
        for queue in ("q", "other", "amqp10"):
            self.client.create(queue)

    def begin(self):
        self.serve()
        self.place = str(self.port)

    def come_in(self):
        return self.dial()

    def counts(self):
        return [len(daemon_test.stored(self.client, queue)) for queue in ("q", "other", "q/$DeadLetterQueue")]

    def assert_counts(self, *counts):
        """Who settles at once waits for no answer."""
        daemon_test.wait_for(lambda: self.assertEqual(self.counts(), list(counts)), AssertionError)

    def assert_no_lock(self):
        daemon_test.wait_for(lambda: self.assertEqual(len(self.client.list_locks("q").locks), 0), AssertionError)

    # --- Proton

    def test_proton(self):
        connection = self.come_in()
        sender = connection.create_sender("q")
        for number in range(20):
            self.assertEqual(sender.send(Message(body=number)).remote_state, Delivery.ACCEPTED)
        receiver = connection.create_receiver("q", credit=0)
        # Released it comes again as if it had never left, modified it was tried.
        for settle, body, count in ((receiver.accept, 0, 0), (receiver.reject, 1, 0),
                                    (lambda: receiver.release(delivered=False), 2, 0), (receiver.release, 2, 0),
                                    (receiver.accept, 2, 1)):
            message = receiver.receive(timeout=wire.TIMEOUT)
            self.assertEqual((message.body, message.delivery_count), (body, count))
            settle()
            # Credit that is said with it might be heard before it is done, and bring another one.
            connection.create_receiver("other", credit=0).close()  # Proton says it by then.
            self.assert_no_lock()
        receiver.close()
        self.assert_counts(17, 0, 1)

        drained = connection.create_receiver("q", credit=0)
        drained.link.drain(50)
        connection.wait(lambda: not drained.link.draining(), timeout=wire.TIMEOUT)
        # All have come by then, and are only to be handed out: who asks to receive without credit gives some.
        connection.wait(lambda: drained.fetcher.has_message == 17, timeout=wire.TIMEOUT)
        self.assertEqual(drained.link.credit, 0)
        self.assertEqual([drained.fetcher.pop().body for _ in range(17)], list(range(3, 20)))
        for _ in range(17):
            drained.accept()
        drained.close()
        self.assert_counts(0, 0, 1)
        sender.send(Message(body="at most once"))
        taken = connection.create_receiver("q", credit=0, options=AtMostOnce())
        self.assertEqual(taken.receive(timeout=wire.TIMEOUT).body, "at most once")
        self.assert_counts(0, 0, 1)

    # --- rhea, and amqp10

    def test_rhea(self):
        self.tell("broker_story.mjs", self.place,
                  steps=("sent", "completed", "released", "drained", "kept what AMQP says", "closed"))
        self.assertEqual(self.counts(), [0, 0, 0])

    def test_rhea_with_transactions(self):
        self.come_in().create_sender("q").send(Message(body="to be moved"))
        self.tell("transaction_story.mjs", self.place, steps=("rolled back", "committed", "knows no other", "closed"))
        self.assertEqual(self.counts(), [0, 1, 0])

    def test_amqp10(self):
        self.tell("amqp10_story.mjs", self.place, steps=("open", "sent", "received", "closed"))
        daemon_test.wait_for(lambda: self.assertEqual(daemon_test.stored(self.client, "amqp10"), {}), AssertionError)


class OverTls(InTheClear):

    def begin(self):
        self.serve_secured()
        name, key = self.root
        self.place = f"amqps://{name}:{urllib.parse.quote(key, safe='')}@127.0.0.1:{self.tls_port}"
        believed = mock.patch.dict(os.environ, NODE_EXTRA_CA_CERTS=str(self.authority.certificate))
        believed.start()
        self.addCleanup(believed.stop)

    def come_in(self):
        name, key = self.root
        return self.dial(self.tls_port, "PLAIN", name, key, self.authority)

    def test_proton_with_transactions(self):
        """In the clear test_transactions.py tells more."""
        self.come_in().create_sender("q").send(Message(body="to be moved"))
        name, key = self.root
        domain = SSLDomain(SSLDomain.MODE_CLIENT)
        domain.set_trusted_ca_db(str(self.authority.certificate))
        domain.set_peer_authentication(SSLDomain.VERIFY_PEER)
        for end, told, counts in ((lambda mover, _: mover.transaction.abort(), ["aborted"], [1, 0, 0]),
                                  (lambda mover, _: mover.transaction.commit(), ["committed"], [0, 1, 0])):
            mover = test_transactions.Mover(f"amqps://127.0.0.1:{self.tls_port}", end, settles=True, user=name,
                                            password=key, allowed_mechs="PLAIN", ssl_domain=domain)
            Container(mover).run()
            self.assertEqual((mover.told, self.counts()), (told, counts))


if __name__ == "__main__":
    unittest.main()
