"""transaction_calls: the calls of the service Transactions in short forms, for wire.Client."""

from wharf.v1 import messaging_pb2, sessions_pb2, transactions_pb2, transactions_pb2_grpc

Operation = transactions_pb2.TransactionOperation


def send(path, *messages):
    """An operation: sends Messages."""
    return Operation(send=messaging_pb2.SendRequest(entity_path=path, messages=messages))


def settle(path, *tokens, **verb):
    """settle(path, token, defer=messaging_pb2.Defer()); completes, if nothing else is said."""
    verb = verb or {"complete": messaging_pb2.Complete()}
    settlement = messaging_pb2.Settlement(lock_tokens=tokens, **verb)
    return Operation(settle=messaging_pb2.SettleRequest(entity_path=path, settlement=settlement))


def renew(path, *tokens):
    return Operation(renew_lock=messaging_pb2.RenewLockRequest(entity_path=path, lock_tokens=tokens))


def set_state(path, token, state, *completed):
    return Operation(set_session_state=sessions_pb2.SetSessionStateRequest(
        entity_path=path, session_lock_token=token, state=state, complete_lock_tokens=completed))


class TransactionCalls:
    """The transactions of one connection."""

    def __init__(self, channel, messaging, sessions, timeout):
        self.stub = transactions_pb2_grpc.TransactionsStub(channel)
        self._messaging = messaging
        self._sessions = sessions
        self._timeout = timeout

    def run(self, *operations, name=""):
        request = transactions_pb2.RunTransactionRequest(transaction_id=name, operations=operations)
        return self.stub.RunTransaction(request, timeout=self._timeout)

    def begin(self, name=""):
        request = transactions_pb2.BeginTransactionRequest(transaction_id=name)
        return self.stub.BeginTransaction(request, timeout=self._timeout).transaction_id

    def add(self, name, operation):
        """Makes the operation a part of an open transaction."""
        kind = operation.WhichOneof("operation")
        request = getattr(operation, kind)
        request.transaction_id = name
        method = {"send": self._messaging.Send, "settle": self._messaging.Settle,
                  "renew_lock": self._messaging.RenewLock,
                  "set_session_state": self._sessions.SetSessionState}[kind]
        return method(request, timeout=self._timeout)

    def commit(self, name):
        request = transactions_pb2.CommitTransactionRequest(transaction_id=name)
        return self.stub.CommitTransaction(request, timeout=self._timeout)

    def rollback(self, name):
        request = transactions_pb2.RollbackTransactionRequest(transaction_id=name)
        return self.stub.RollbackTransaction(request, timeout=self._timeout)

    def get(self, name):
        request = transactions_pb2.GetTransactionRequest(transaction_id=name)
        return self.stub.GetTransaction(request, timeout=self._timeout)
