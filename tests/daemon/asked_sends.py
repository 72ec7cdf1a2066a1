"""asked_sends: sends to nodes of which nobody knows whether they lead, and what may be there afterwards."""

import grpc

import daemon_test
import wire
from wire import messaging_pb2


class AskedSends:
    """Each has a body of its own, and is asked of one node, once, without waiting for its answer."""

    def __init__(self, path):
        self._path, self._under_way = path, []

    def ask(self, node):
        """The call, which may be waited for."""
        body = b"%d" % len(self._under_way)
        request = messaging_pb2.SendRequest(entity_path=self._path, messages=[wire.as_message(body)])
        call = node.client.messaging.Send.future(request, timeout=wire.TIMEOUT)
        self._under_way.append((body, call))
        return call

    def assert_kept(self, test, client):
        """What was acknowledged is there, once; what was refused is not; what is unknown may be."""
        acknowledged, unknown = {}, set()
        for body, call in self._under_way:
            try:
                (result,) = call.result().results
                acknowledged[result.sequence_number] = body
            except grpc.RpcError as error:
                if daemon_test.outcome_of(error) == "unknown":
                    unknown.add(body)
        stored = daemon_test.stored(client, self._path)
        test.assertTrue(acknowledged)
        test.assertEqual({number: stored.get(number) for number in acknowledged}, acknowledged)
        rest = [body for number, body in stored.items() if number not in acknowledged]
        test.assertEqual(set(rest) - unknown, set())
        test.assertEqual(len(rest), len(set(rest)), rest)
