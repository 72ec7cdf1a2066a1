"""SlowCall: a unary call whose request begins and does not come, on a connection of its own."""

import socket

from http2_connection import END_STREAM, HEADERS, Http2Connection


class SlowCall:

    def __init__(self, address, method, length, come):
        """Of a request of `length` bytes only the first `come` are sent. The broker has its connection then."""
        connection = Http2Connection(address)
        connection.begin(method, length, bytes(come))
        self._socket = connection.socket
        self._stream = self._socket.makefile("rb")
        self._frame()

    def _frame(self):
        """The next frame as (kind, flags, payload); nothing if the connection ends before."""
        header = self._stream.read(9)
        if len(header) < 9:
            return None
        return header[3], header[4], self._stream.read(int.from_bytes(header[:3], "big"))

    def trailers(self, timeout):
        """The bytes of the headers that end it; nothing if its connection ends before."""
        self._socket.settimeout(timeout)
        while frame := self._frame():
            kind, flags, payload = frame
            if kind == HEADERS and flags & END_STREAM:
                return payload
        return b""

    def hang_up(self):
        """Ends what waits for trailers, on another thread."""
        self._socket.shutdown(socket.SHUT_RDWR)

    def close(self):
        self._stream.close()
        self._socket.close()
