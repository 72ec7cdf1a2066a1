"""Requests and their replies over Wharf, in three shapes. The stubs come from protoc (see README.md).

  simple       one asks and waits for the reply
  multiplexing many streams of messages in one queue, each with its own reader
  multiplexed  many ask at the same time and share one queue of replies; each sees its own only

The queue of replies requires sessions: the id of a session is the address of one who waits.
"""

import os
import threading
import uuid

import grpc
from wharf.v1.management_pb2 import CreateQueueRequest, DeleteQueueRequest, QueueProperties
from wharf.v1.management_pb2_grpc import ManagementStub
from wharf.v1.messaging_pb2 import Complete, ReceiveRequest, SendRequest, Settlement, SettleRequest
from wharf.v1.messaging_pb2_grpc import MessagingStub
from wharf.v1.sessions_pb2 import AcceptSessionRequest, ReleaseSessionRequest
from wharf.v1.sessions_pb2_grpc import SessionsStub

channel = grpc.insecure_channel(os.environ.get("WHARF_ADDRESS", "127.0.0.1:5680"))
management, messaging, sessions = ManagementStub(channel), MessagingStub(channel), SessionsStub(channel)


def send(queue, body, **properties):
    messaging.Send(SendRequest(entity_path=queue, messages=[{"body": body.encode(), **properties}]))


def receive(queue, session=b""):
    """The next message, completed; in the session that this token holds."""
    (received,) = messaging.Receive(
        ReceiveRequest(entity_path=queue, max_wait={"seconds": 30}, session_lock_token=session)).messages
    done = Settlement(lock_tokens=[received.lock_token], complete=Complete())
    messaging.Settle(SettleRequest(entity_path=queue, settlement=done))
    return received.message


def accept(queue, session_id=None):
    """Locks the session of this id, also if it has no messages yet; or the next one that has."""
    return sessions.AcceptSession(AcceptSessionRequest(entity_path=queue, session_id=session_id))


def release(queue, session):
    sessions.ReleaseSession(ReleaseSessionRequest(entity_path=queue, session_lock_token=session.session_lock_token))


def serve(count):
    """Answers so many requests, each where it asks for its reply."""
    for _ in range(count):
        request = receive("requests")
        send(request.reply_to, request.body.decode().upper(), session_id=request.reply_to_session_id,
             correlation_id=request.message_id)


def ask(question, session):
    """Sends a request and waits for its reply in the session."""
    message_id = str(uuid.uuid4())
    send("requests", question, message_id=message_id, reply_to="replies", reply_to_session_id=session.session_id)
    reply = receive("replies", session.session_lock_token)
    assert reply.correlation_id == message_id
    return reply.body.decode()


def simple():
    server = threading.Thread(target=serve, args=[1])
    server.start()
    session = accept("replies", "till-1")  # Before the request is sent: nobody else can get the reply.
    print("simple:", ask("one coffee", session))
    release("replies", session)
    server.join()


def multiplexing():
    for line in ("one coffee", "two teas", "three cakes"):
        for till in ("till-1", "till-2"):
            send("replies", f"{till} {line}", session_id=till)
    readers = [accept("replies"), accept("replies")]  # The next two; both are held at the same time.
    for _ in range(3):
        for reader in readers:
            print("multiplexing:", receive("replies", reader.session_lock_token).body.decode())
    for reader in readers:
        release("replies", reader)


def multiplexed():
    answers = {}

    def be_a_till(till):
        session = accept("replies", till)
        answers[till] = [ask(f"{till} {drink}", session) for drink in ("coffee", "tea")]
        release("replies", session)

    threads = [threading.Thread(target=serve, args=[6])]
    threads += [threading.Thread(target=be_a_till, args=[f"till-{number}"]) for number in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for till in sorted(answers):
        print("multiplexed:", ", ".join(answers[till]))


management.CreateQueue(CreateQueueRequest(queue=QueueProperties(name="requests")))
management.CreateQueue(CreateQueueRequest(queue=QueueProperties(name="replies", requires_session=True)))
try:
    simple()
    multiplexing()
    multiplexed()
finally:
    for name in ("requests", "replies"):
        management.DeleteQueue(DeleteQueueRequest(entity_path=name))
