"""json_stream: a stream of the gRPC API as a WebSocket of JSON, at a listener of the console."""

import json

from web_socket import CLOSE, MORE, PING, PONG, TEXT, WebSocket


class JsonStream(WebSocket):

    def __init__(self, port, method, context=None, **fields):
        super().__init__(port, context, path=f"/api/v1/{method}", **{"Sec_WebSocket_Protocol": "wharf.v1.json", **fields})

    def say(self, request):
        self.send(request if isinstance(request, bytes) else json.dumps(request).encode(), TEXT)

    def end_requests(self):
        self.send(b"", TEXT)

    def hear(self):
        """The next response; a pair of code and reason, if there is none any more."""
        text = b""
        while True:
            opcode, payload = self.receive()
            if opcode == PING:  # As it has not said anything for a while.
                self.send(payload, PONG)
                continue
            if opcode == CLOSE:
                return int.from_bytes(payload[:2], "big"), payload[2:].decode()
            assert opcode == (MORE if text else TEXT), opcode
            text += payload
            if self.is_last:
                return json.loads(text)

    def hear_end(self):
        """The error, if there is one, and the code of the close."""
        last = self.hear()
        error = None
        if isinstance(last, dict):
            error, last = last["error"], self.hear()
        return error, last[0]
