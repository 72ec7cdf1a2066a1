"""session_calls: the calls of the service Sessions in short forms, for wire.Client."""

from wharf.v1 import sessions_pb2, sessions_pb2_grpc


class SessionCalls:
    """The sessions of one connection."""

    def __init__(self, channel, timeout):
        self.stub = sessions_pb2_grpc.SessionsStub(channel)
        self._timeout = timeout

    def accept(self, path, session_id=None, wait=None):
        """The session of this id, or the next one."""
        request = sessions_pb2.AcceptSessionRequest(entity_path=path, session_id=session_id, max_wait=wait)
        return self.stub.AcceptSession(request, timeout=self._timeout)

    def accept_later(self, path, session_id=None, wait=None):
        """The same as a call under way, to be waited for or cancelled."""
        request = sessions_pb2.AcceptSessionRequest(entity_path=path, session_id=session_id, max_wait=wait)
        return self.stub.AcceptSession.future(request, timeout=self._timeout)

    def renew(self, path, token):
        """Until when the lock holds now."""
        request = sessions_pb2.RenewSessionLockRequest(entity_path=path, session_lock_token=token)
        return self.stub.RenewSessionLock(request, timeout=self._timeout).locked_until

    def release(self, path, token):
        request = sessions_pb2.ReleaseSessionRequest(entity_path=path, session_lock_token=token)
        return self.stub.ReleaseSession(request, timeout=self._timeout)

    def force_release(self, path, session_id):
        request = sessions_pb2.ForceReleaseSessionRequest(entity_path=path, session_id=session_id)
        return self.stub.ForceReleaseSession(request, timeout=self._timeout)

    def state(self, path, token):
        """None if it has no state."""
        request = sessions_pb2.GetSessionStateRequest(entity_path=path, session_lock_token=token)
        response = self.stub.GetSessionState(request, timeout=self._timeout)
        return response.state if response.HasField("state") else None

    def set_state(self, path, token, state, complete=()):
        """None clears it. The messages of these lock tokens are completed in the same commit."""
        request = sessions_pb2.SetSessionStateRequest(
            entity_path=path, session_lock_token=token, state=state, complete_lock_tokens=complete)
        return self.stub.SetSessionState(request, timeout=self._timeout)

    def list(self, path, count=0, token="", since=None):
        request = sessions_pb2.ListSessionsRequest(
            entity_path=path, page_size=count, page_token=token, state_updated_since=since)
        return self.stub.ListSessions(request, timeout=self._timeout)

    def list_all(self, path, count=0, since=None):
        """The sessions of all pages by their ids."""
        sessions, token = [], ""
        while True:
            page = self.list(path, count, token, since)
            sessions += page.sessions
            token = page.next_page_token
            if not token:
                return {session.session_id: session for session in sessions}

    def deepest(self, path, count=0):
        request = sessions_pb2.ListDeepestSessionsRequest(entity_path=path, max_sessions=count)
        return self.stub.ListDeepestSessions(request, timeout=self._timeout)
