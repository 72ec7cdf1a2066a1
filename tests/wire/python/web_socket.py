"""web_socket: a client's end of a WebSocket (RFC 6455) by hand, and a way there for clients of AMQP that know none."""

import base64
import contextlib
import io
import os
import random
import socket
import ssl
import struct
import threading

import wire

PATH = "/$servicebus/websocket"
MORE, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
NORMAL, GOING_AWAY = 1000, 1001


class Refused(Exception):
    """By an answer of HTTP: its status, and its head."""

    def __init__(self, head):
        super().__init__(head)
        self.status, self.head = int(head.split()[1]), head


def upgrade(path, **fields):
    """The request; a field that is None is left out, and `_` in its name stands for "-"."""
    wanted = {"Host": "localhost", "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
              "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), "Sec-WebSocket-Protocol": "AMQPWSB10",
              **{name.replace("_", "-"): value for name, value in fields.items()}}
    lines = [f"{name}: {value}" for name, value in wanted.items() if value is not None]
    return "\r\n".join((f"GET {path} HTTP/1.1", *lines, "", "")).encode()


class TlsSocket(io.RawIOBase):
    """One thread may read while another writes, which ends a SSLSocket of Python now and then."""

    def __init__(self, plain, context, name):
        super().__init__()
        self._plain = plain
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._in, self._out, server_hostname=name)
        self._lock = threading.Lock()
        self._until_done(self._tls.do_handshake)

    def sendall(self, data):
        with self._lock:
            self._tls.write(data)
            self._plain.sendall(self._out.read())

    def readable(self):
        return True

    def readinto(self, into):
        return self._until_done(lambda: self._tls.read(len(into), into))

    def makefile(self, _mode):
        return io.BufferedReader(self)

    def close(self):
        self._plain.close()
        super().close()

    def _until_done(self, step):
        while True:
            with self._lock, contextlib.suppress(ssl.SSLWantReadError):
                try:
                    return step()
                finally:
                    self._plain.sendall(self._out.read())
            came = self._plain.recv(65536)
            with self._lock:
                self._in.write(came) if came else self._in.write_eof()


class WebSocket:

    def __init__(self, port, context=None, path=PATH, **fields):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=wire.TIMEOUT)
        # A frame is several pieces of an instant.
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context is not None:
            self.socket = TlsSocket(self.socket, context, "localhost")
        self._heard = self.socket.makefile("rb")
        self._lock = threading.Lock()
        self.socket.sendall(upgrade(path, **fields))
        self.head = b"".join(iter(self._line, b"\r\n")).decode()
        if not self.head.startswith("HTTP/1.1 101 "):
            self.close()
            raise Refused(self.head)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._heard.close()
        self.socket.close()

    def _line(self):
        return self._heard.readline() or b"\r\n"

    def send(self, payload, opcode=BINARY, is_last=True):
        mask = os.urandom(4)
        size = len(payload)
        length = bytes([size | 128]) if size < 126 else struct.pack("!BH", 254, size) if size < 65536 else \
            struct.pack("!BQ", 255, size)
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
        with self._lock:
            self.socket.sendall(bytes([opcode | 128 * is_last]) + length + mask + masked)

    def receive(self):
        """The opcode and the payload of the next frame; CLOSE and nothing, if it breaks off."""
        head = self._heard.read(2)
        if len(head) < 2:
            return CLOSE, b""
        self.is_last = head[0] & 128 != 0  # Of its message.
        size = head[1]
        if size >= 126:
            size = int.from_bytes(self._heard.read(2 if size == 126 else 8), "big")
        return head[0] & 15, self._heard.read(size)


class Bridge:
    """A port of this machine: who connects to it speaks over a WebSocket to another port, in pieces of any size."""

    def __init__(self, port, context=None, seed=1):
        self._far, self._context, self._random = port, context, random.Random(seed)
        self._near = socket.create_server(("127.0.0.1", 0))
        self.port = self._near.getsockname()[1]
        # Of those that ended: with what code they were closed, if they were.
        self.codes = []
        self._changed = threading.Condition()
        self._accepts = threading.Thread(target=self._accept, daemon=True)
        self._accepts.start()

    def close(self):
        # Who waits in accept hears nothing of a close.
        with contextlib.suppress(OSError):
            self._near.shutdown(socket.SHUT_RDWR)
        self._accepts.join()
        self._near.close()

    def code(self):
        """With what the first of them was closed."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.codes, wire.TIMEOUT), "none was closed"
            return self.codes[0]

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._near.accept()
                client.settimeout(wire.TIMEOUT)
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                try:
                    far = WebSocket(self._far, self._context)
                except (Refused, OSError):
                    client.close()
                    continue
                threading.Thread(target=self._carry, args=(client, far), daemon=True).start()

    def _carry(self, client, far):
        with client, far:
            says = threading.Thread(target=self._say, args=(client, far), daemon=True)
            says.start()
            self._hear(client, far)
            says.join()

    def _say(self, client, far):
        with contextlib.suppress(OSError):
            while bytes_ := client.recv(65536):
                opcode = BINARY
                while bytes_:
                    size = self._random.choice((0, 1, 3, 125, 126, 1000, 65536))
                    piece, bytes_ = bytes_[:size], bytes_[size:]
                    if self._random.random() < 0.1:
                        far.send(b"are you there", PING)
                    far.send(piece, opcode, is_last=not bytes_)
                    opcode = MORE
            far.send(struct.pack("!H", NORMAL), CLOSE)

    def _hear(self, client, far):
        code = None
        with contextlib.suppress(OSError):
            while True:
                opcode, payload = far.receive()
                if opcode == CLOSE:
                    code = struct.unpack("!H", payload[:2])[0] if payload else None
                    break
                if opcode == BINARY:
                    client.sendall(payload)
        with contextlib.suppress(OSError):
            far.send(struct.pack("!H", NORMAL), CLOSE)
        # Nobody says any more either.
        with contextlib.suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)
        with self._changed:
            self.codes.append(code)
            self._changed.notify_all()
