"""SlowCall: a unary call whose request begins and does not come, on a connection of its own."""

import socket

from http2_connection import END_STREAM, HEADERS, Http2Connection


class SlowCall:

    def __init__(self, address, method, length, come):
        """Of a request of `length` bytes only the first `come` are sent. The broker has its connection then."""
        self._connection = Http2Connection(address)
        self._connection.begin(method, length, bytes(come))
        self._connection.frame()

    def trailers(self, timeout):
        """The bytes of the headers that end it; nothing if its connection ends before."""
        self._connection.socket.settimeout(timeout)
        while frame := self._connection.frame():
            kind, flags, payload = frame
            if kind == HEADERS and flags & END_STREAM:
                return payload
        return b""

    def hang_up(self):
        """Ends what waits for trailers, on another thread."""
        self._connection.socket.shutdown(socket.SHUT_RDWR)

    def close(self):
        self._connection.close()
