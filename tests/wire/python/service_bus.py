from azure.servicebus import ServiceBusClient, ServiceBusMessage

with ServiceBusClient.from_connection_string(
        "Endpoint=sb://127.0.0.1;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=...",
        connection_verify="authority.pem") as client:
    with client.get_queue_sender("orders") as sender:
        sender.send_messages(ServiceBusMessage("one coffee"))
    with client.get_queue_receiver("orders") as receiver:
        (order,) = receiver.receive_messages(1)
        print(order)
        receiver.complete_message(order)
