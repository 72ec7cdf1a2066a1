"""python_failover_story: what sdk_failover_story.mjs tells, by Azure's SDK for Python: a program that goes on by itself
while the leaders of its cluster are killed, one after the other. It sends and receives all the while, by one address
that leads to any node, and settles in the end what it held from the beginning. There are the queues `held`, with one
message, and `q`, which detects duplicates. It says how many were sent, now and then, until it reads a line; and when
it has received all of them how many these are.

  python_failover_story.py CONNECTION_STRING CERTIFICATE_OF_THE_AUTHORITY      0 if all went as it should
"""

import contextlib
import sys
import threading

from azure.servicebus import ServiceBusClient, ServiceBusMessage
from azure.servicebus.exceptions import ServiceBusError

SOON = 1  # second
PATIENCE = 60
# What was settled and is not heard of comes again when its lock of 5 seconds is over.
QUIET = 7


def receive(receiver, received, is_over):
    while messages := receiver.receive_messages(10, max_wait_time=QUIET if is_over() else PATIENCE):
        for message in messages:
            received.add(int(str(message)))
            # Of a message whose connection has ended the SDK says so, and it comes again.
            with contextlib.suppress(ServiceBusError, ValueError):
                receiver.complete_message(message)


def tell(address, authority):
    # As the defaults, only sooner.
    client = ServiceBusClient.from_connection_string(address, connection_verify=authority, retry_total=30,
                                                     retry_backoff_max=SOON)
    with client:
        holder = client.get_queue_receiver("held")
        (held,) = holder.receive_messages(1, max_wait_time=PATIENCE)
        stopping, sent, received = threading.Event(), 0, set()
        threading.Thread(target=lambda: (sys.stdin.readline(), stopping.set()), daemon=True).start()
        receiver = threading.Thread(target=receive, args=(client.get_queue_receiver("q"), received, stopping.is_set))
        receiver.start()
        sender = client.get_queue_sender("q")
        is_last = False
        while not is_last:
            is_last = stopping.is_set()  # Who waits for long is woken by it.
            sender.send_messages(ServiceBusMessage(str(sent), message_id=f"m{sent}"))
            sent += 1
            if sent % 10 == 0:
                print(sent, flush=True)
        receiver.join()
        # Its connection ended with the first leader, and it must have found that.
        holder.peek_messages(1)
        holder.complete_message(held)
    assert received == set(range(sent))
    print(sent, flush=True)


if __name__ == "__main__":
    tell(*sys.argv[1:])
