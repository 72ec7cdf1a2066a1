"""ground: what every command needs to have something to do: entities, messages, locks and jobs, new for each call."""

import itertools
import pathlib
import random
import socket

import command_line
import damaged_disk
import daemon_test
import wire
from backup_calls import BackupCalls
from wire import management_pb2, timestamp_pb2

QUEUES, MESSAGES = 200, 300  # More than fits into one write.


class Ground:
    """Makes names and what belongs to them, over one connection of the tests."""

    def __init__(self, client, timed, damaged, folder, config, amqp_port):
        """`timed` is a second broker, whose clock goes on by itself; `damaged` is for one whose disk is bad."""
        self._client = client
        self._timed = timed
        self._damaged = damaged
        self._folder = folder
        self._config = config
        self._amqp_port = amqp_port
        self._connections = []
        self._damage()
        self._numbers = itertools.count(1)
        for number in range(QUEUES):
            client.create(f"filler-{number:04}")

    def hang_up(self):
        for connection in self._connections:
            connection.close()

    def connection(self):
        """The id of one over AMQP, which has said nothing yet."""
        self._connections.append(socket.create_connection(("127.0.0.1", self._amqp_port)))
        port = self._connections[-1].getsockname()[1]

        def listed():
            return next(each.id for each in self._client.management.ListConnections(
                management_pb2.ListConnectionsRequest(), timeout=wire.TIMEOUT).connections
                if each.client_address.endswith(f":{port}"))
        return daemon_test.wait_for(listed, StopIteration)

    def name(self):
        return f"entity-{next(self._numbers)}"

    def queue(self, messages=0, **properties):
        name = self.name()
        self._client.create(name, **properties)
        if messages:
            self._client.send(name, *[b"message %d" % number for number in range(messages)])
        return name

    def token(self):
        """A queue and, in hexadecimal, the token of a message that is locked in it."""
        queue = self.queue(1)
        return queue, self._client.receive_one(queue).lock_token.hex()

    def deferred(self):
        queue = self.queue(1)
        self._client.defer(queue, self._client.receive_one(queue).lock_token)
        return queue

    def dead(self, messages=1):
        queue = self.queue(messages)
        for message in self._client.receive_all(queue, messages):
            self._client.dead_letter(queue, message.lock_token)
        return queue

    def scheduled(self):
        queue = self.queue()
        year_2100 = timestamp_pb2.Timestamp(seconds=4102444800)
        self._client.send(queue, wire.Message(body=b"later", scheduled_enqueue_time=year_2100))
        return queue

    def access_rule(self):
        """A queue, and the name of a rule that it has."""
        queue = self.queue()
        rule = management_pb2.AccessRule(entity_path=queue, name="reader", rights=[management_pb2.ACCESS_RIGHT_LISTEN])
        self._client.management.CreateAccessRule(management_pb2.CreateAccessRuleRequest(rule=rule))
        return ["--entity", queue, "reader"]

    def connection_file(self):
        """It has a connection string."""
        file = pathlib.Path(f"{self._folder}/{self.name()}")
        file.write_text("Endpoint=sb://127.0.0.1:1/;SharedAccessKeyName=r;SharedAccessKey=secret\n", encoding="ascii")
        return f"@{file}"

    def context(self):
        """The name of one that is kept."""
        name = self.name()
        command_line.keep_context(name, self.connection_file(), self._config)
        return name

    def session_queue(self):
        queue = self.queue(requires_session=True)
        self._client.send(queue, wire.message_in("session", b"message"))
        return queue

    def session(self):
        """A queue and, in hexadecimal, the token of a session that is held in it."""
        queue = self.session_queue()
        return queue, self._client.sessions.accept(queue, "session").session_lock_token.hex()

    def timed_queue(self):
        """On the other broker: options that name both."""
        name = self.name()
        wire.Client(self._timed.address).create(name)
        return ["--address", self._timed.address, "--queue", name]

    def _damage(self):
        """The only message of its queue "damaged" is in quarantine."""
        client = wire.Client(self._damaged.address)
        client.create("damaged")
        body = random.Random(1).randbytes(1000)
        client.send("damaged", body)
        client.close()
        self._damaged.terminate()
        damaged_disk.flip(self._damaged.data, body)
        self._damaged.start()
        client = wire.Client(self._damaged.address)
        assert not client.receive("damaged")
        client.close()

    def quarantined(self):
        """On the damaged broker: its address, a queue and the number of a message."""
        return ["--address", self._damaged.address, "damaged", "1"]

    def exported(self):
        """A file with the messages of an entity."""
        file = pathlib.Path(self.folder())
        file.write_text('{"body": "one", "message_id": "m-1"}\n', encoding="ascii")
        return str(file)

    def sent(self, message_id):
        """The id of a message that is there."""
        self._client.send(self.queue(), wire.Message(body=b"x", message_id=message_id))
        return message_id

    def folder(self):
        """One that is not there yet."""
        return f"{self._folder}/{self.name()}"

    def backup(self):
        """The label of one."""
        calls = BackupCalls(self._client.channel)
        made = calls.create(self.name())
        assert not made.trouble, made
        return made.label

    def definitions(self):
        """A file that says what the broker has."""
        file = self.folder()
        command_line.export_definitions(self._client.address, file)
        return file

    def topic(self):
        name = self.name()
        self._client.topics.create(name)
        self._client.topics.subscribe(name, "all")
        return name

    def job(self):
        return str(self._client.redrive(f"{self.dead()}/$DeadLetterQueue").id)

    def slow_job(self):
        """It waits for the clock, which stands still."""
        return str(self._client.redrive(f"{self.dead(8)}/$DeadLetterQueue", max_rate=1).id)

    def transaction(self):
        return self._client.transactions.begin()
