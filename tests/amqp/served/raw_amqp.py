"""raw_amqp: a client of AMQP 1.0 that says what it likes, frame by frame, and hears each frame as it comes."""

import socket
import struct

import wire
from proton import Data, Described, symbol, ubyte, uint, ulong

AMQP, SASL = b"AMQP\x00\x01\x00\x00", b"AMQP\x03\x01\x00\x00"
OPEN, BEGIN, ATTACH, FLOW, TRANSFER, DISPOSITION, DETACH, END, CLOSE = range(0x10, 0x19)
MECHANISMS, INIT, _, _, OUTCOME = range(0x40, 0x45)
SOURCE, TARGET, COORDINATOR = 0x28, 0x29, 0x30
BATCH = 0x80013700


def encoded(value):
    data = Data()
    data.put_object(value)
    return data.encode()


def described(code, *fields):
    return Described(ulong(code), list(fields))


def frame(body, channel=0, kind=0):
    return struct.pack(">IBBH", 8 + len(body), 2, kind, channel) + body


def say(code, *fields, payload=b"", channel=0):
    """A frame of this performative; nothing but its fields, in order."""
    return frame(encoded(described(code, *fields)) + payload, channel, kind=code >= MECHANISMS)


def init(mechanism="ANONYMOUS"):
    return say(INIT, symbol(mechanism), b"")


def begin(channel=0):
    return say(BEGIN, None, uint(0), uint(1 << 20), uint(1 << 20), uint(255), channel=channel)


def sends_to(address, handle=0, name=None, channel=0):
    return say(ATTACH, name or f"to {address}", uint(handle), False, None, None, described(SOURCE),
               described(TARGET, address), None, None, uint(0), channel=channel)


def receives_from(address, handle=1, name=None):
    return say(ATTACH, name or f"from {address}", uint(handle), True, ubyte(0), ubyte(1), described(SOURCE, address),
               described(TARGET, address))


def wants_session(address, session, handle=1):
    wanted = {symbol("com.microsoft:session-filter"): session}
    return say(ATTACH, f"from {address}", uint(handle), True, ubyte(0), ubyte(1),
               described(SOURCE, address, None, None, None, None, None, None, wanted), described(TARGET, address))


def credit(handle, messages, count=0, echo=False):
    return say(FLOW, uint(0), uint(1 << 20), uint(0), uint(1 << 20), uint(handle), uint(count), uint(messages), None,
               False, echo)


def deliver(payload, handle=0, number=0, tag=b"t", message_format=0, more=False, state=None):
    return say(TRANSFER, uint(handle), None if number is None else uint(number), tag, uint(message_format), False, more,
               None, state, payload=payload)


def data(body):
    return b"\x00\x53\x75\xb0" + struct.pack(">I", len(body)) + body


class Heard:
    """A frame: the code of its performative, its fields and what stands behind them."""

    def __init__(self, body):
        values = Data()
        size = values.decode(body)
        values.rewind()
        values.next()
        performative = values.get_object()
        self.code, self.fields, self.payload = performative.descriptor, performative.value, body[size:]

    def __repr__(self):
        return f"{self.code:#x} {self.fields} {self.payload}"


class RawClient:

    def __init__(self, port, context=None, received=None):
        """`received`: what may wait to be read, in bytes."""
        self._socket = socket.socket()
        if received is not None:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, received)
        self._socket.settimeout(wire.TIMEOUT)
        self._socket.connect(("127.0.0.1", port))
        self.name = "%s:%d" % self._socket.getsockname()
        if context is not None:
            self._socket = context.wrap_socket(self._socket, server_hostname="localhost")
        self._file = self._socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._file.close()
        self._socket.close()

    def say(self, *pieces):
        self._socket.sendall(b"".join(pieces))

    def end_of_what_is_said(self):
        self._socket.shutdown(socket.SHUT_WR)

    def hear(self, *codes):
        """The next frame of one of these."""
        while True:
            head = self._file.read(8)
            if len(head) < 8:
                raise EOFError(f"no {[hex(code) for code in codes]}, and behind it {head}")
            if head.startswith(b"AMQP"):
                continue
            heard = self._file.read(int.from_bytes(head[:4], "big") - 8)
            if heard and (said := Heard(heard)).code in codes:
                return said

    def hear_bytes(self, count):
        """So many, whatever they are; what has come is not kept."""
        while count > 0:
            heard = self._file.read1(min(count, 1 << 20))
            if not heard:
                raise EOFError(f"{count} bytes are missing")
            count -= len(heard)

    def hear_end(self):
        """All that there is until the other end has closed."""
        try:
            return self._file.read()
        except ConnectionResetError:
            return b""  # It need not listen to the end.

    # --- what comes before

    def start(self):
        """It is welcome, and has not opened yet."""
        self.say(SASL, init(), AMQP)

    def enter(self):
        self.start()
        self.say(say(OPEN, "raw", "localhost"))
        return self.hear(OPEN)

    def begin(self):
        self.enter()
        self.say(begin())
        return self.hear(BEGIN)

    def attach(self):
        """By handle 0 it sends to `q`, and by 1 it receives from it."""
        self.begin()
        self.say(sends_to("q"), receives_from("q"))
        self.hear(FLOW)

    def ask(self, node="q/$management"):
        """By handle 0 it asks the node, and by 1 hears the answers."""
        self.begin()
        self.say(receives_from(node, name="answers"), credit(1, 100), sends_to(node))
        self.hear(FLOW)

    def prove(self):
        self.ask("$cbs")

    def coordinate(self):
        self.begin()
        self.say(say(ATTACH, "transactions", uint(0), False, None, None, described(SOURCE), described(COORDINATOR),
                     None, None, uint(0)))
        self.hear(FLOW)
