"""half_sender: a client that sends half of a large message to `q`, says so, and waits to be killed.

  half_sender.py PORT
"""

import sys

from proton import Message
from proton.utils import BlockingConnection

BYTES = 20 << 20

connection = BlockingConnection(f"amqp://127.0.0.1:{sys.argv[1]}", timeout=60, allowed_mechs="ANONYMOUS")
link = connection.create_sender("q").link
delivery = link.delivery("half")
link.stream(Message(body=b"x" * BYTES, inferred=True).encode()[:BYTES // 2])
connection.wait(lambda: delivery.pending == 0)
print("half", flush=True)
connection.wait(lambda: False)
