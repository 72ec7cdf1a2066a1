"""SlowCall: a unary call whose request begins and does not come, on a connection of its own.

No client library sends half a message, so this one speaks just enough HTTP/2.
"""

import socket
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS = 0, 1, 4
END_STREAM, END_HEADERS = 1, 4


def _frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def _header(name, value):
    """A literal that is not indexed."""
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


class SlowCall:

    def __init__(self, address, method, length, come):
        """Of a request of `length` bytes only the first `come` are sent. The broker has its connection then."""
        host, port = address.rsplit(":", 1)
        self._socket = socket.create_connection((host, int(port)))
        headers = b"".join(_header(name, value) for name, value in (
            (b":method", b"POST"), (b":scheme", b"http"), (b":path", method.encode()), (b":authority", b"slow"),
            (b"content-type", b"application/grpc"), (b"te", b"trailers")))
        self._socket.sendall(PREFACE + _frame(SETTINGS, 0, 0) + _frame(HEADERS, END_HEADERS, 1, headers) +
                             _frame(DATA, 0, 1, b"\0" + struct.pack(">I", length) + bytes(come)))
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
