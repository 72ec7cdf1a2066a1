"""sdk_story: what a program does by Azure's SDK for Python over a WebSocket. There is the queue `q`.

  sdk_story.py CONNECTION_STRING ENDPOINT AUTHORITY      0 if all went as it should

A program of its own: uAMQP, which the SDK stands on, may end the one that it is in.
"""

import sys

from azure.servicebus import ServiceBusClient, ServiceBusMessage, TransportType

_, string, endpoint, authority = sys.argv
SOON = {"max_wait_time": 5}

with ServiceBusClient.from_connection_string(
        string, transport_type=TransportType.AmqpOverWebsocket, connection_verify=authority,
        custom_endpoint_address=endpoint) as client:
    with client.get_queue_sender("q") as sender:
        sender.send_messages([ServiceBusMessage(f"message {i}", subject="s") for i in range(3)])
    print("sent")

    with client.get_queue_receiver("q", **SOON) as receiver:
        first, second, third = receiver.receive_messages(3, **SOON)
        assert [str(each) for each in (first, second, third)] == [f"message {i}" for i in range(3)]
        assert first.subject == "s"
        receiver.complete_message(first)
        receiver.abandon_message(second)
        receiver.dead_letter_message(third, reason="broken")
        print("settled")
        (again,) = receiver.receive_messages(1, **SOON)
        assert (str(again), again.delivery_count) == ("message 1", 1)
        receiver.complete_message(again)

    with client.get_queue_receiver("q", sub_queue="deadletter") as dead:
        (letter,) = dead.peek_messages()
        assert (str(letter), letter.dead_letter_reason) == ("message 2", "broken")
    print("read what is dead")
