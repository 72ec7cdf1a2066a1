"""old_folder: a data folder with everything in it that a broker keeps, and what must be found there by a later one.

As a program it makes the fixtures of test_upgrade.py with the wharfd of WHARFD, which is then the older one:

  WHARFD=... PYTHONPATH=../wire/python python3 old_folder.py FOLDER-OF-FIXTURES NAME

`write-ahead` is made with ced76acf, the last build whose broker by itself had RocksDB's write-ahead log.
"""

import json
import os
import pathlib
import sys
import tarfile
import tempfile

import grpc
from google.protobuf import json_format

import wire
from backup_calls import BackupCalls, restore
from cluster_nodes import free_port
from daemon_test import wait_for
from topic_calls import path_of, sql
from wharf.v1 import cluster_pb2, cluster_pb2_grpc, management_pb2, message_pb2

FAR = 4_000_000_000  # In 2096.
LARGE = b"a body that is told in chunks, of which there are many. " * 10_000
WITH_RESERVE = ("RESERVE", "LOCK", "LOG")  # Made anew by each start, or of no use.


def message(body, **fields):
    return message_pb2.Message(body=body, **fields)


def properties():
    value = message_pb2.PropertyValue
    return {
        "bool": value(bool_value=True), "int8": value(int8_value=-8), "int32": value(int32_value=-32),
        "int64": value(int64_value=1 << 60), "uint64": value(uint64_value=(1 << 64) - 1),
        "float": value(float_value=1.5), "double": value(double_value=-0.25), "decimal": value(decimal_value="12.50"), "char": value(char_value=0x20AC),
        "string": value(string_value="käse"), "uuid": value(uuid_value=bytes(range(16))), "null": value(),
        "uri": value(uri_value="urn:x")}


def whole(number):
    return message(b"order %d" % number, message_id=f"id-{number}", correlation_id="c", content_type="text/plain",
                   subject="coffee", to="there", reply_to="back", user_id=b"u", application_properties=properties())


def fill(client):
    """Entities of each kind, and messages in each state."""
    client.create("orders", max_delivery_count=2)
    client.send("orders", *[whole(number) for number in range(12)])
    deferred = client.receive("orders", 2)
    client.defer("orders", *[each.lock_token for each in deferred])
    client.dead_letter("orders", client.receive_one("orders").lock_token)
    client.abandon("orders", client.receive_one("orders").lock_token)
    client.complete("orders", client.receive_one("orders").lock_token)
    later = message(b"later")
    later.scheduled_enqueue_time.FromSeconds(FAR)
    client.send("orders", later)
    client.create("carts", requires_session=True)
    for session in ("ann", "bob"):
        client.send("carts", *[wire.message_in(session, b"%d" % number) for number in range(3)])
        accepted = client.sessions.accept("carts", session)
        client.sessions.set_state("carts", accepted.session_lock_token, b"state of " + session.encode())
        client.sessions.release("carts", accepted.session_lock_token)
    client.create("parts", enable_partitioning=True)
    client.send("parts", *[message(b"%d" % number, partition_key=f"k{number}") for number in range(20)])
    client.create("levels", enable_priority=True)
    client.send("levels", *[message(b"%d" % number, priority=number % 10) for number in range(20)])
    client.create("once", requires_duplicate_detection=True)
    client.send("once", *[message(b"one", message_id="same")] * 3)
    client.create("large")
    client.send_large("large", LARGE)
    client.topics.create("news")
    client.topics.subscribe("news", "all")
    client.topics.subscribe("news", "red", rule=sql("color = 'red'"))
    for color in ("red", "blue", "red"):
        value = message_pb2.PropertyValue(string_value=color)
        client.send("news", message(color.encode(), application_properties={"color": value}))


PATHS = ("orders", "orders/$DeadLetterQueue", "carts", "parts", "levels", "once", path_of("news", "all"),
         path_of("news", "red"))


def found(client):
    """Every message of every entity, the entities themselves, and the states of sessions, as JSON."""
    told = {"queues": [], "messages": {}, "states": {}, "rules": []}
    for queue in client.management.ListQueues(management_pb2.ListQueuesRequest(), timeout=wire.TIMEOUT).queues:
        told["queues"].append(json_format.MessageToDict(queue))
    for path in PATHS:
        told["messages"][path] = [json_format.MessageToDict(each) for each in client.peek(path).messages]
    for session in ("ann", "bob"):
        accepted = client.sessions.accept("carts", session)
        told["states"][session] = client.sessions.state("carts", accepted.session_lock_token).decode()
        client.sessions.release("carts", accepted.session_lock_token)
    return told


def pack(data, expected, target):
    """The folder, and beside it what must be found."""
    with tarfile.open(target, "w:xz") as archive:
        for path in sorted(pathlib.Path(data).rglob("*")):
            if path.name not in WITH_RESERVE and path.is_file():
                archive.add(path, f"data/{path.relative_to(data)}", recursive=False)
        told = pathlib.Path(data).parent / "expected.json"
        told.write_text(json.dumps(expected, indent=1, sort_keys=True), "utf-8")
        archive.add(told, "expected.json")


def make_single(folder, target):
    """That of a broker by itself, which was killed: the end of its log is in no table yet."""
    daemon = wire.Daemon(f"{folder}/data")
    client = wire.Client(daemon.address)
    fill(client)
    expected = found(client)
    client.close()
    daemon.kill()
    pack(f"{folder}/data", expected, target)


def make_held_back(folder, target):
    """The rows of the oldest format that is read: those of a node that is held at its level, restored by itself."""
    backups = f"{folder}/backups"
    daemon = wire.Daemon(f"{folder}/node", flags=(
        "--node", "n1", "--insecure", "--peer-listen", f"127.0.0.1:{free_port()}", "--peer-format-level-max", "1",
        "--backup-folder", backups))
    client = wire.Client(daemon.address)
    cluster_pb2_grpc.ClusterStub(client.channel).Found(cluster_pb2.FoundClusterRequest(), timeout=wire.TIMEOUT)
    wait_for(lambda: client.management.ListQueues(management_pb2.ListQueuesRequest(), timeout=wire.TIMEOUT),
             grpc.RpcError)
    fill(client)
    assert BackupCalls(client.channel).create("one").trouble == ""
    expected = found(client)
    client.close()
    daemon.kill()
    assert restore(f"{backups}/one", f"{folder}/data").returncode == 0
    pack(f"{folder}/data", expected, target)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as work:
        makers = {"single": make_single, "write-ahead": make_single, "held-back": make_held_back}
        makers[sys.argv[2]](work, f"{sys.argv[1]}/{sys.argv[2]}.tar.xz")
