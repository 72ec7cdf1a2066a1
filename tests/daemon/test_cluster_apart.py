"""A leader that others have replaced, and that does not know: asked on, it never answers older than what the next one
has acknowledged; and what it is told to do is not done behind the others' backs."""

import unittest

import grpc

import peer_network
import wire
from asked_sends import AskedSends
from transaction_calls import send
from wharf.v1 import transactions_pb2  # pylint: disable=wrong-import-order
from wire import management_pb2, messaging_pb2

KINDS = 4  # of looks
# Acknowledged by the next leader while the one before is asked.
ACKNOWLEDGED = 40


class Looks:
    """What each node is asked about the transaction `t` and its message, the number-th one in `orders`: without waiting
    for answers, and after another node said that it is committed."""

    def __init__(self, nodes):
        self._nodes, self._under_way = nodes, []

    def ask(self, number):
        for node in self._nodes:
            client = node.client
            for method, request, is_new in (
                    (client.messaging.Peek,
                     messaging_pb2.PeekRequest(entity_path="orders", from_sequence_number=number, max_messages=1),
                     lambda answer: len(answer.messages) == 1),
                    (client.management.GetQueueRuntimeProperties,
                     management_pb2.GetQueueRuntimePropertiesRequest(entity_path="orders"),
                     lambda answer: answer.active_message_count >= number),
                    (client.management.GetQueue, management_pb2.GetQueueRequest(entity_path=f"queue-{number}"),
                     lambda answer: True),
                    (client.transactions.stub.GetTransaction,
                     transactions_pb2.GetTransactionRequest(transaction_id=f"t{number}"),
                     lambda answer: answer.state == transactions_pb2.TRANSACTION_STATE_COMMITTED)):
                self._under_way.append((number, node.name, is_new, method.future(request, timeout=wire.TIMEOUT)))

    def answers(self):
        """How many each node answered; all but those were refused. None of them may be older than it should be."""
        count = {node.name: 0 for node in self._nodes}
        for number, name, is_new, call in self._under_way:
            try:
                answer = call.result()
            except grpc.RpcError as error:
                assert error.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED), (name, number, error)
                continue
            assert is_new(answer), (name, number, answer)
            count[name] += 1
        return count


class ClusterApartTest(peer_network.NetworkTest):

    def setUp(self):
        super().setUp()
        self.number = 0

    def commit(self, nodes):
        """The next transaction, by who leads of these; the queue of its number is there first."""
        self.number += 1
        name, queue = f"t{self.number}", f"queue-{self.number}"

        def try_each():
            for node in nodes:
                try:
                    if not self.is_there(node, queue):
                        node.client.create(queue)
                    node.client.transactions.run(send("orders", wire.as_message(b"x")), name=name)
                    return True
                except grpc.RpcError as error:
                    self.assertEqual(error.code(), grpc.StatusCode.UNAVAILABLE, error)
            return False
        self.eventually(try_each)

    @staticmethod
    def is_there(node, queue):
        try:
            return bool(node.client.get(queue).name)
        except grpc.RpcError as error:
            if error.code() == grpc.StatusCode.NOT_FOUND:
                return False
            raise

    def ask_who_was_replaced(self, part, join):
        """`part` takes the leader from the others, `join` brings it back."""
        leader = self.start_network()
        leader.client.create("orders")
        leader.client.create("sends")
        self.commit([leader])
        looks, sends = Looks(self.nodes), AskedSends("sends")
        others = [node for node in self.nodes if node is not leader]
        sends.ask(leader).result()

        part(leader)
        for _ in range(ACKNOWLEDGED):
            self.commit(others)
            looks.ask(self.number)
            sends.ask(leader)
        join(leader)

        answers = looks.answers()
        self.assertGreater(sum(answers[node.name] for node in others), 0)
        # It knows what the others know, or who to ask, when it is one of them again.
        following = self.leader_of(self.nodes)
        self.eventually(lambda: leader.status().applied_index >= following.status().committed_index)
        again = Looks(self.nodes)
        again.ask(self.number)
        self.assertEqual(max(again.answers().values()), KINDS)
        sends.assert_kept(self, following.client)

    def test_one_that_is_cut_off_is_never_older(self):  # reliability 27, 36
        self.ask_who_was_replaced(lambda leader: self.cut(*self.ways_of(leader)),
                                  lambda leader: self.heal(*self.ways_of(leader)))

    def test_one_that_nobody_hears_is_never_older(self):  # reliability 27, 36
        def to_others(leader):
            return [way for way in self.network.ways() if way[0] == leader.name]
        self.ask_who_was_replaced(lambda leader: self.cut(*to_others(leader)),
                                  lambda leader: self.heal(*to_others(leader)))

    def test_one_that_stood_still_is_never_older(self):  # reliability 36
        # All that it is asked meanwhile it finds when it goes on, and believes that it leads.
        self.ask_who_was_replaced(lambda leader: leader.pause(), lambda leader: leader.resume())


if __name__ == "__main__":
    unittest.main()
