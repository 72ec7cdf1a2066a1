"""Send, receive and complete one message. The stubs come from protoc (see README.md); the queue exists."""

import os
import grpc
from wharf.v1.messaging_pb2 import Complete, ReceiveRequest, SendRequest, Settlement, SettleRequest
from wharf.v1.messaging_pb2_grpc import MessagingStub

wharf = MessagingStub(grpc.insecure_channel(os.environ.get("WHARF_ADDRESS", "127.0.0.1:5680")))
wharf.Send(SendRequest(entity_path="orders", messages=[{"body": b"one coffee"}]))
(order,) = wharf.Receive(ReceiveRequest(entity_path="orders", max_wait={"seconds": 10})).messages
print(order.sequence_number, order.message.body.decode())
done = Settlement(lock_tokens=[order.lock_token], complete=Complete())
wharf.Settle(SettleRequest(entity_path="orders", settlement=done))
