"""One request, many replies: a request is sent to a topic, and each of its subscribers answers.

The stubs come from protoc (see README.md). Every subscription of the topic gets its own copy of a request; rules say
which requests a subscriber wants. The queue of replies requires sessions: the id of a session is the address of one
who waits.
"""

import os
import threading
import uuid

import grpc
from wharf.v1.management_pb2 import CreateQueueRequest, DeleteQueueRequest, QueueProperties
from wharf.v1.management_pb2_grpc import ManagementStub
from wharf.v1.message_pb2 import PropertyValue
from wharf.v1.messaging_pb2 import Complete, ReceiveRequest, SendRequest, Settlement, SettleRequest
from wharf.v1.messaging_pb2_grpc import MessagingStub
from wharf.v1.sessions_pb2 import AcceptSessionRequest, ReleaseSessionRequest
from wharf.v1.sessions_pb2_grpc import SessionsStub
from wharf.v1.topics_pb2 import (CreateSubscriptionRequest, CreateTopicRequest, DeleteTopicRequest, Rule, SqlText,
                                 SubscriptionProperties, TopicProperties)
from wharf.v1.topics_pb2_grpc import TopicsStub

channel = grpc.insecure_channel(os.environ.get("WHARF_ADDRESS", "127.0.0.1:5680"))
management, messaging = ManagementStub(channel), MessagingStub(channel)
sessions, topics = SessionsStub(channel), TopicsStub(channel)

# Who sells, what each asks for it, and which requests it wants to see.
SHOPS = {"bakery": (3, "thing = 'cake'"), "cafe": (4, "thing IN ('cake', 'coffee')"), "kiosk": (2, "thing = 'coffee'")}


def send(path, body, **properties):
    messaging.Send(SendRequest(entity_path=path, messages=[{"body": body.encode(), **properties}]))


def receive(path, session=b""):
    """The next message, completed; in the session that this token holds."""
    (received,) = messaging.Receive(
        ReceiveRequest(entity_path=path, max_wait={"seconds": 30}, session_lock_token=session)).messages
    done = Settlement(lock_tokens=[received.lock_token], complete=Complete())
    messaging.Settle(SettleRequest(entity_path=path, settlement=done))
    return received.message


def subscribe(shop):
    _, wanted = SHOPS[shop]
    topics.CreateSubscription(CreateSubscriptionRequest(
        subscription=SubscriptionProperties(topic="offers", name=shop),
        default_rule=Rule(name="wanted", sql_filter=SqlText(text=wanted))))


def serve(shop, count):
    """Answers so many requests, each where it asks for its replies."""
    price, _ = SHOPS[shop]
    for _ in range(count):
        request = receive(f"offers/Subscriptions/{shop}")
        send(request.reply_to, f"{shop} asks {price} for {request.body.decode()}",
             session_id=request.reply_to_session_id, correlation_id=request.message_id)


def ask(thing, replies_wanted):
    """Sends one request, and waits for this many replies to it."""
    session = sessions.AcceptSession(AcceptSessionRequest(entity_path="prices", session_id=str(uuid.uuid4())))
    message_id = str(uuid.uuid4())
    send("offers", thing, message_id=message_id, reply_to="prices", reply_to_session_id=session.session_id,
         application_properties={"thing": PropertyValue(string_value=thing)})
    replies = [receive("prices", session.session_lock_token) for _ in range(replies_wanted)]
    assert all(reply.correlation_id == message_id for reply in replies)
    sessions.ReleaseSession(ReleaseSessionRequest(
        entity_path="prices", session_lock_token=session.session_lock_token))
    return sorted(reply.body.decode() for reply in replies)


topics.CreateTopic(CreateTopicRequest(topic=TopicProperties(name="offers")))
management.CreateQueue(CreateQueueRequest(queue=QueueProperties(name="prices", requires_session=True)))
try:
    for name in SHOPS:
        subscribe(name)
    threads = [threading.Thread(target=serve, args=each) for each in (("bakery", 1), ("cafe", 2), ("kiosk", 1))]
    for thread in threads:
        thread.start()
    for item in ("cake", "coffee"):
        for line in ask(item, 2):
            print(line)
    for thread in threads:
        thread.join()
finally:
    topics.DeleteTopic(DeleteTopicRequest(entity_path="offers"))
    management.DeleteQueue(DeleteQueueRequest(entity_path="prices"))
