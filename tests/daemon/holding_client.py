"""holding_client: a program that holds what it received, until it is told to complete it.

  holding_client.py ADDRESS QUEUE COUNT

Prints a line for each that it has, BODY TOKEN LOCKED_UNTIL, waits for one, and prints what became of each: "completed",
or the broker's reason.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../wire/python"))

import grpc  # noqa: E402
import wire  # noqa: E402

_, address, queue, count = sys.argv
client = wire.Client(address)
stream = wire.ReceiveStream(client, queue)
stream.expect("started")
stream.grant(int(count))
held = stream.deliveries(int(count))
for message in held:
    print(message.message.body.decode(), message.lock_token.hex(), message.locked_until.ToNanoseconds(), flush=True)
sys.stdin.readline()
for message in held:
    try:
        client.complete(queue, message.lock_token)
        print("completed", flush=True)
    except grpc.RpcError as error:
        print(wire.error_info(wire.status_of(error)).reason, flush=True)
stream.cancel()
