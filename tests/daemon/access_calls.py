"""access_calls: tokens, and a call of each method of the API, for tests of who may do what."""

import base64
import hashlib
import hmac
import http.client
import json
import os
import re
import subprocess
import time
import urllib.parse

import grpc
from google.protobuf import empty_pb2, json_format

import wire
from json_stream import JsonStream
from web_socket import Refused
from wharf.v1 import (backups_pb2, clock_pb2, cluster_pb2, cluster_pb2_grpc, management_pb2, message_pb2,
                      messaging_pb2, sessions_pb2, topics_pb2, transactions_pb2)

REFUSALS = grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED
SERVICES = [pb2.DESCRIPTOR.services_by_name[name] for pb2, name in (
    (backups_pb2, "Backups"), (clock_pb2, "Clock"), (cluster_pb2, "Cluster"), (management_pb2, "Management"),
    (messaging_pb2, "Messaging"), (sessions_pb2, "Sessions"), (topics_pb2, "Topics"), (transactions_pb2, "Transactions"))]
TOKEN = bytes(range(1, 17))
QUEUE, TOPIC, SUBSCRIPTION = "orders", "news", "news/Subscriptions/me"
SEND = {"entity_path": QUEUE, "messages": [{"body": b"x"}]}
NUMBERS = {"entity_path": QUEUE, "sequence_numbers": [1]}
RIGHTS = {"Send": management_pb2.ACCESS_RIGHT_SEND, "Listen": management_pb2.ACCESS_RIGHT_LISTEN,
          "Manage": management_pb2.ACCESS_RIGHT_MANAGE}


def make_token(uri, rule, key, lifetime=3600, folded=False):
    """A shared access signature (SEC-4, SEC-5); `folded`: what it is for is in lower case, its escapes too."""
    resource = urllib.parse.quote_plus(uri)
    if folded:
        resource = resource.lower()
    expiry = int(time.time()) + lifetime
    digest = hmac.new(key.encode(), f"{resource}\n{expiry}".encode(), hashlib.sha256).digest()
    signature = urllib.parse.quote_plus(base64.b64encode(digest))
    return f"SharedAccessSignature sr={resource}&sig={signature}&se={expiry}&skn={rule}"


def connection_of(text):
    """The fields of a connection string."""
    return dict(field.split("=", 1) for field in text.strip().split(";") if field)


def needs():
    """The broker's own table: of each request, what it needs a right on, and which."""
    printed = subprocess.run([os.environ["PRINT_NEEDS"]], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {name: (on, right) for name, on, right in (line.split() for line in printed.splitlines())}


class _Metadata(grpc.UnaryUnaryClientInterceptor, grpc.StreamStreamClientInterceptor):
    """Sends a token with each call; `token` makes a new one each time."""

    def __init__(self, token):
        self.token = token

    def _with_token(self, details):
        metadata = [*(details.metadata or ()), ("authorization", self.token())]
        return details._replace(metadata=metadata)

    def intercept_unary_unary(self, continuation, client_call_details, request):
        return continuation(self._with_token(client_call_details), request)

    def intercept_stream_stream(self, continuation, client_call_details, request_iterator):
        return continuation(self._with_token(client_call_details), request_iterator)


class AccessClient(wire.Client):
    """A client that sends a token with each call; `token`: text, a function that makes it, or None."""

    def __init__(self, address, token):
        make = token if callable(token) else (lambda: token)
        interceptors = [_Metadata(make)] if token is not None else []
        super().__init__(address, interceptors=interceptors)
        self.cluster = cluster_pb2_grpc.ClusterStub(grpc.intercept_channel(self.channel, *interceptors))

    def make_rule(self, path, name, *rights, **keys):
        rule = management_pb2.AccessRule(entity_path=path, name=name, rights=[RIGHTS[right] for right in rights], **keys)
        return self.management.CreateAccessRule(
            management_pb2.CreateAccessRuleRequest(rule=rule, show_keys=True), timeout=wire.TIMEOUT)

    def rotate(self, path, name, slot=management_pb2.ACCESS_KEY_SLOT_PRIMARY, **given):
        return self.management.RotateAccessKey(management_pb2.RotateAccessKeyRequest(
            entity_path=path, name=name, slot=slot, show_keys=True, **given), timeout=wire.TIMEOUT)

    def remove_rule(self, path, name):
        return self.management.RemoveAccessRule(
            management_pb2.RemoveAccessRuleRequest(entity_path=path, name=name), timeout=wire.TIMEOUT)


def status_request():
    return cluster_pb2.GetClusterStatusRequest()


def found_request():
    return cluster_pb2.FoundClusterRequest()


def add_request(node):
    return cluster_pb2.AddMemberRequest(name=node.name, peer_address=node.peer_address)


# Of each method: what it asks of the broker, by the name that the table has for it; the entity that it is about; and a
# request. What destroys names something below its entity that is not there: a right is looked at before that is seen.
METHODS = {
    "Backups.Create": ("ManageBackups", None, {"label": "one"}),
    "Backups.Verify": ("ManageBackups", None, {"label": "one"}),
    "Backups.Prune": ("ManageBackups", None, {"keep": 1}),
    "Backups.GetWork": ("ManageBackups", None, {}),
    "Backups.List": ("ManageBackups", None, {}),
    "Clock.Get": ("AskClock", None, {}),
    "Clock.Advance": ("MoveClock", None, {"by": {"seconds": 1}}),
    "Cluster.GetStatus": ("AskCluster", None, {}),
    "Cluster.Found": ("ChangeCluster", None, {}),
    "Cluster.AddMember": ("ChangeCluster", None, {"name": "n2", "peer_address": "n2:5691"}),
    "Cluster.RemoveMember": ("ChangeCluster", None, {"name": "n2"}),
    "Cluster.TransferLeadership": ("ChangeCluster", None, {"name": "n2"}),
    "Cluster.SetMemberAddress": ("ChangeCluster", None, {"name": "n2", "client_address": "n2:5681"}),
    "Cluster.VerifyState": ("ChangeCluster", None, {}),
    "Management.CreateQueue": ("CreateEntityRequest", QUEUE, {"queue": {"name": "orders/made"}}),
    "Management.UpdateQueue": ("UpdateEntityRequest", QUEUE, {"entity_path": QUEUE, "queue": {"name": QUEUE}}),
    "Management.GetQueue": ("GetEntityRequest", QUEUE, {"entity_path": QUEUE}),
    "Management.ListQueues": ("ListEntitiesRequest", QUEUE, {}),
    "Management.DeleteQueue": ("DeleteEntityRequest", QUEUE, {"entity_path": "orders/none"}),
    "Management.Purge": ("PurgeRequest", QUEUE, {"entity_path": QUEUE}),
    "Management.ListLocks": ("ListLocksRequest", QUEUE, {"entity_path": QUEUE}),
    "Management.StartRedrive": ("BeginJobRequest", QUEUE, {"entity_path": f"{QUEUE}/$DeadLetterQueue"}),
    "Management.StartDeleteMessages": ("BeginJobRequest", QUEUE, {"entity_path": QUEUE}),
    "Management.GetJob": ("GetJobRequest", QUEUE, {"id": 1}),
    "Management.ListJobs": ("ListJobsRequest", QUEUE, {}),
    "Management.CancelJob": ("CancelJobRequest", QUEUE, {"id": 1}),
    "Management.GetQueueRuntimeProperties": ("GetEntityRequest", QUEUE, {"entity_path": QUEUE}),
    "Management.CheckEntity": ("CheckEntityRequest", QUEUE, {"entity_path": QUEUE}),
    "Management.CreateAccessRule": ("CreateAccessRuleRequest", QUEUE, {
        "rule": {"entity_path": QUEUE, "name": "sender", "rights": [1]}}),
    "Management.GetAccessRule": ("GetAccessRuleRequest", QUEUE, {
        "entity_path": QUEUE, "name": "none", "show_keys": True}),
    "Management.ListAccessRules": ("ListAccessRulesRequest", QUEUE, {"entity_path": QUEUE}),
    "Management.RotateAccessKey": ("RotateAccessKeyRequest", QUEUE, {
        "entity_path": QUEUE, "name": "none", "slot": 1}),
    "Management.RemoveAccessRule": ("RemoveAccessRuleRequest", QUEUE, {"entity_path": QUEUE, "name": "none"}),
    "Management.GetBrokerStatistics": ("AskStatistics", None, {}),
    "Management.ListEntityNumbers": ("AskStatistics", None, {}),
    "Management.ListConnections": ("ManageConnections", None, {}),
    "Management.CloseConnection": ("ManageConnections", None, {"id": 1}),
    "Messaging.Send": ("SendRequest", QUEUE, SEND),
    "Messaging.SendStream": ("SendRequest", QUEUE, {"send": SEND}),
    "Messaging.Receive": ("ReceiveRequest", QUEUE, {"entity_path": QUEUE}),
    "Messaging.ReceiveStream": ("AttachRequest", QUEUE, {"start": {"entity_path": QUEUE}}),
    "Messaging.Settle": ("SettleRequest", QUEUE, {
        "entity_path": QUEUE, "settlement": {"lock_tokens": [TOKEN], "complete": {}}}),
    "Messaging.RenewLock": ("RenewLockRequest", QUEUE, {"entity_path": QUEUE, "lock_tokens": [TOKEN]}),
    "Messaging.Peek": ("PeekRequest", QUEUE, {"entity_path": QUEUE}),
    "Messaging.PeekBody": ("PeekBodyRequest", QUEUE, {"entity_path": QUEUE, "sequence_number": 1}),
    "Messaging.TraceMessage": ("TraceRequest", QUEUE, {"entity_path": QUEUE, "message_id": "m"}),
    "Messaging.ReceiveDeferred": ("ReceiveDeferredRequest", QUEUE, NUMBERS),
    "Messaging.UndeferMessages": ("UndeferRequest", QUEUE, NUMBERS),
    "Messaging.ReceiveBySequenceNumber": ("ReceiveOneRequest", QUEUE, {"entity_path": QUEUE, "sequence_number": 1}),
    "Messaging.SettleBySequenceNumber": ("SettleOneRequest", QUEUE, {
        "entity_path": QUEUE, "sequence_number": 1, "complete": {}}),
    "Messaging.ExportBySequenceNumber": ("ExportOneRequest", QUEUE, {"entity_path": QUEUE, "sequence_number": 1}),
    "Messaging.DeleteMessages": ("DeleteOldestRequest", QUEUE, {"entity_path": QUEUE, "max_messages": 1}),
    "Messaging.CancelScheduledMessages": ("CancelScheduledRequest", QUEUE, NUMBERS),
    "Messaging.RescheduleMessages": ("RescheduleRequest", QUEUE, {
        **NUMBERS, "scheduled_enqueue_time": {"seconds": 4000000000}}),
    "Messaging.ActivateScheduledMessages": ("ActivateScheduledRequest", QUEUE, NUMBERS),
    "Messaging.ListScheduledMessages": ("ListScheduledRequest", QUEUE, {"entity_path": QUEUE}),
    "Sessions.AcceptSession": ("AcceptSessionRequest", QUEUE, {"entity_path": QUEUE, "session_id": "s"}),
    "Sessions.RenewSessionLock": ("RenewSessionRequest", QUEUE, {"entity_path": QUEUE, "session_lock_token": TOKEN}),
    "Sessions.ReleaseSession": ("ReleaseSessionRequest", QUEUE, {"entity_path": QUEUE, "session_lock_token": TOKEN}),
    "Sessions.GetSessionState": ("GetSessionStateRequest", QUEUE, {
        "entity_path": QUEUE, "session_lock_token": TOKEN}),
    "Sessions.SetSessionState": ("SetSessionStateRequest", QUEUE, {
        "entity_path": QUEUE, "session_lock_token": TOKEN, "state": b"s"}),
    "Sessions.ListSessions": ("ListSessionsRequest", QUEUE, {"entity_path": QUEUE}),
    "Sessions.ListDeepestSessions": ("ListDeepestSessionsRequest", QUEUE, {"entity_path": QUEUE}),
    "Sessions.ForceReleaseSession": ("ForceReleaseSessionRequest", QUEUE, {"entity_path": QUEUE, "session_id": "s"}),
    "Topics.CreateTopic": ("CreateEntityRequest", TOPIC, {"topic": {"name": "news/made"}}),
    "Topics.UpdateTopic": ("UpdateEntityRequest", TOPIC, {"entity_path": TOPIC, "topic": {"name": TOPIC}}),
    "Topics.GetTopic": ("GetEntityRequest", TOPIC, {"entity_path": TOPIC}),
    "Topics.ListTopics": ("ListEntitiesRequest", TOPIC, {}),
    "Topics.DeleteTopic": ("DeleteEntityRequest", TOPIC, {"entity_path": "news/none"}),
    "Topics.GetTopicRuntimeProperties": ("GetEntityRequest", TOPIC, {"entity_path": TOPIC}),
    "Topics.CreateSubscription": ("CreateEntityRequest", TOPIC, {
        "subscription": {"topic": TOPIC, "name": "other"}}),
    "Topics.UpdateSubscription": ("UpdateEntityRequest", TOPIC, {
        "entity_path": SUBSCRIPTION, "subscription": {}}),
    "Topics.GetSubscription": ("GetEntityRequest", TOPIC, {"entity_path": SUBSCRIPTION}),
    "Topics.ListSubscriptions": ("ListSubscriptionsRequest", TOPIC, {"entity_path": TOPIC}),
    "Topics.DeleteSubscription": ("DeleteEntityRequest", TOPIC, {"entity_path": "news/Subscriptions/none"}),
    "Topics.GetSubscriptionRuntimeProperties": ("GetEntityRequest", TOPIC, {"entity_path": SUBSCRIPTION}),
    "Topics.AddRule": ("AddRuleRequest", TOPIC, {"entity_path": SUBSCRIPTION, "rule": {
        "name": "r", "true_filter": {}}}),
    "Topics.UpdateRule": ("UpdateRuleRequest", TOPIC, {"entity_path": SUBSCRIPTION, "rule": {"name": "none"}}),
    "Topics.RemoveRule": ("RemoveRuleRequest", TOPIC, {"entity_path": SUBSCRIPTION, "name": "none"}),
    "Topics.GetRule": ("GetRuleRequest", TOPIC, {"entity_path": SUBSCRIPTION, "name": "$Default"}),
    "Topics.ListRules": ("ListRulesRequest", TOPIC, {"entity_path": SUBSCRIPTION}),
    "Topics.EvaluateRule": ("EvaluateRulesRequest", TOPIC, {"subscription_rules": {"entity_path": SUBSCRIPTION}}),
    "Transactions.RunTransaction": ("RunTransactionRequest", QUEUE, {"operations": [{"send": SEND}]}),
    "Transactions.BeginTransaction": ("BeginTransactionRequest", QUEUE, {}),
    "Transactions.CommitTransaction": ("CommitTransactionRequest", QUEUE, {"transaction_id": "none"}),
    "Transactions.RollbackTransaction": ("RollBackTransactionRequest", QUEUE, {"transaction_id": "none"}),
    "Transactions.GetTransaction": ("GetTransactionRequest", QUEUE, {"transaction_id": "none"}),
    # Again, as another request of the table.
    "Messaging.Send in a transaction": ("AddToTransactionRequest", QUEUE, {**SEND, "transaction_id": "none"}),
    "Messaging.SendStream in chunks": ("UploadRequest", QUEUE, {"header": {"entity_path": QUEUE, "body_size": 5}}),
    "Topics.EvaluateRule that nobody has": ("EvaluateRuleRequest", TOPIC, {"rule": {"true_filter": {}}}),
}
# The right for a part of a transaction that sends, as those above do.
PART = "Send"


def ask(channel, name, request, token):
    """What the method is refused with, or OK; also where a stream tells it in an answer."""
    service_name, method_name = name.split(" ")[0].split(".")
    (service,) = [each for each in SERVICES if each.name == service_name]
    method = service.methods_by_name[method_name]
    request_class = getattr(_module_of(method.input_type), method.input_type.name)
    response_class = getattr(_module_of(method.output_type), method.output_type.name)
    path = f"/{service.full_name}/{method_name}"
    metadata = [("authorization", token)] if token is not None else []
    message = request_class(**request)
    try:
        if not method_name.endswith("Stream"):
            call = channel.unary_unary(path, request_class.SerializeToString, response_class.FromString)
            call(message, timeout=wire.TIMEOUT, metadata=metadata)
            return grpc.StatusCode.OK
        call = channel.stream_stream(path, request_class.SerializeToString, response_class.FromString)
        chunks = [request_class(chunk={"data": b"x" * 5})] if "header" in request else []
        for answer in call(iter([message, *chunks]), timeout=wire.TIMEOUT, metadata=metadata):
            results = getattr(answer, "results", None)
            if results and results[0].HasField("error"):
                return _code(results[0].error.code)
        return grpc.StatusCode.OK
    except grpc.RpcError as error:
        return error.code()


def _path_and_message(name, request):
    """Of the JSON form."""
    service_name, method_name = name.split(" ")[0].split(".")
    (service,) = [each for each in SERVICES if each.name == service_name]
    input_type = service.methods_by_name[method_name].input_type
    return f"{service_name}/{method_name}", getattr(_module_of(input_type), input_type.name)(**request)


def ask_json_stream(port, name, request, token):
    """The same of a stream as a WebSocket at a listener of the console."""
    path, message = _path_and_message(name, request)
    try:
        with JsonStream(port, path, Authorization=token) as stream:
            stream.say(json_format.MessageToJson(message).encode())
            if "header" in request:
                stream.say({"chunk": {"data": base64.b64encode(b"x" * 5).decode()}})
            stream.end_requests()
            while isinstance(heard := stream.hear(), dict):
                results = heard.get("results", ())
                if "error" in heard:
                    return grpc.StatusCode[heard["error"]["status"]]
                if results and "error" in results[0]:
                    return _code(results[0]["error"]["code"])
            return grpc.StatusCode.OK if heard[0] == 1000 else heard
    except Refused as refused:
        return {401: grpc.StatusCode.UNAUTHENTICATED}[refused.status]


def ask_json(port, name, request, token):
    """The same of a unary method in its JSON form at a listener of the console."""
    path, message = _path_and_message(name, request)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=wire.TIMEOUT)
    try:
        connection.request("POST", f"/api/v1/{path}", body=json_format.MessageToJson(message),
                           headers={"X-Wharf-Request": "1", **({"Authorization": token} if token is not None else {})})
        answer = connection.getresponse()
        body = json.loads(answer.read())
    finally:
        connection.close()
    return grpc.StatusCode.OK if answer.status == 200 else grpc.StatusCode[body["error"]["status"]]


def _code(number):
    return {code.value[0]: code for code in grpc.StatusCode}[number]


def _module_of(descriptor):
    if descriptor.file.name == "google/protobuf/empty.proto":
        return empty_pb2
    name = re.sub(r".*/(\w+)\.proto", r"\1_pb2", descriptor.file.name)
    return {"backups_pb2": backups_pb2, "clock_pb2": clock_pb2, "cluster_pb2": cluster_pb2, "management_pb2": management_pb2,
            "message_pb2": message_pb2, "messaging_pb2": messaging_pb2, "sessions_pb2": sessions_pb2,
            "topics_pb2": topics_pb2, "transactions_pb2": transactions_pb2}[name]
