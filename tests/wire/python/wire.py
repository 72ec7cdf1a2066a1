"""wire: what the Python wire tests share: the generated stubs, channels, the daemon and its errors.

The stubs are generated from the .proto files into a temporary folder when this is imported, so a test sees
exactly what a user would generate.
"""

import atexit
import glob
import itertools
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import grpc

HERE = pathlib.Path(__file__).resolve().parent
PROTO = HERE.parents[2] / "proto"
GRPC_PROTO = pathlib.Path("/usr/share/grpc-proto")  # Debian's copies of the health and reflection services


def _generate_stubs():
    out = tempfile.mkdtemp(prefix="wharf-wire-")
    atexit.register(shutil.rmtree, out)
    protos = glob.glob(f"{PROTO}/**/*.proto", recursive=True)
    protos += [f"{GRPC_PROTO}/grpc/{name}.proto" for name in ("health/v1/health", "reflection/v1alpha/reflection")]
    plugin = shutil.which("grpc_python_plugin")
    subprocess.run(["protoc", f"-I{PROTO}", f"-I{GRPC_PROTO}", f"--python_out={out}", f"--grpc_out={out}",
                    f"--plugin=protoc-gen-grpc={plugin}", *protos], check=True)
    sys.path.insert(0, out)
    grpc.__path__.append(f"{out}/grpc")  # grpc.health and grpc.reflection live beside grpc itself
    return out


STUBS = _generate_stubs()

# pylint: disable=wrong-import-position
from google.protobuf import duration_pb2, field_mask_pb2, timestamp_pb2  # noqa: E402
from google.rpc import error_details_pb2, status_pb2  # noqa: E402
from wharf.v1 import clock_pb2, clock_pb2_grpc, management_pb2, management_pb2_grpc  # noqa: E402
from wharf.v1 import message_pb2, messaging_pb2, messaging_pb2_grpc, sessions_pb2, topics_pb2  # noqa: E402
from session_calls import SessionCalls  # noqa: E402
from topic_calls import TopicCalls  # noqa: E402
from transaction_calls import TransactionCalls  # noqa: E402

Message = message_pb2.Message
Value = message_pb2.PropertyValue
TIMEOUT = 60  # seconds; only a broken broker ever waits so long
UNKNOWN_TOKEN = bytes(range(1, 17))


def as_mask(fields):
    """The mask of these fields; of None none."""
    return None if fields is None else field_mask_pb2.FieldMask(paths=fields)


def seconds(value):
    return duration_pb2.Duration(seconds=value)


class Client:
    """One connection, with the calls of all services and short forms of the frequent ones."""

    def __init__(self, address=None, options=(), interceptors=()):
        # A connection of its own: channels with equal options would share one.
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", 16 << 20), *options]
        self.address = address or os.environ["WHARF_ADDRESS"]
        self.channel = grpc.insecure_channel(self.address, options)
        channel = grpc.intercept_channel(self.channel, *interceptors)
        self.messaging = messaging_pb2_grpc.MessagingStub(channel)
        self.management = management_pb2_grpc.ManagementStub(channel)
        self.clock = clock_pb2_grpc.ClockStub(channel)
        self.sessions = SessionCalls(channel, TIMEOUT)
        self.topics = TopicCalls(channel, TIMEOUT)
        self.transactions = TransactionCalls(channel, self.messaging, self.sessions.stub, TIMEOUT)

    def close(self):
        self.channel.close()

    def create(self, name, **properties):
        queue_properties = management_pb2.QueueProperties(name=name, **properties)
        return self.management.CreateQueue(management_pb2.CreateQueueRequest(queue=queue_properties), timeout=TIMEOUT)

    def update(self, path, mask=None, **properties):
        """Replaces all properties, or those that the mask names."""
        request = management_pb2.UpdateQueueRequest(
            entity_path=path, queue=management_pb2.QueueProperties(**properties), update_mask=as_mask(mask))
        return self.management.UpdateQueue(request, timeout=TIMEOUT)

    def get(self, name):
        return self.management.GetQueue(management_pb2.GetQueueRequest(entity_path=name), timeout=TIMEOUT)

    def delete(self, name, etag=""):
        request = management_pb2.DeleteQueueRequest(entity_path=name, etag=etag)
        return self.management.DeleteQueue(request, timeout=TIMEOUT)

    def runtime(self, name):
        return self.management.GetQueueRuntimeProperties(
            management_pb2.GetQueueRuntimePropertiesRequest(entity_path=name), timeout=TIMEOUT)

    def statistics(self):
        return self.management.GetBrokerStatistics(management_pb2.GetBrokerStatisticsRequest(), timeout=TIMEOUT)

    def send(self, path, *messages, atomic=False):
        """Sends Messages, or bodies; answers the results."""
        request = messaging_pb2.SendRequest(entity_path=path, messages=map(as_message, messages), atomic=atomic)
        return self.messaging.Send(request, timeout=TIMEOUT).results

    def send_large(self, path, body, chunk=256 << 10):
        """One message of any size, over a stream and by chunks; answers its number."""
        stream = Stream(self.messaging.SendStream)
        header = messaging_pb2.LargeMessageHeader(entity_path=path, message=Message(), body_size=len(body))
        stream.write(messaging_pb2.SendStreamRequest(request_id=1, header=header))
        for begin in range(0, len(body), chunk):
            data = messaging_pb2.MessageChunk(data=body[begin:begin + chunk])
            stream.write(messaging_pb2.SendStreamRequest(request_id=1, chunk=data))
        stream.writes_done()
        (answer,) = stream.call
        return answer.results[0].sequence_number

    def receive(self, path, count=1, wait=0, mode=messaging_pb2.RECEIVE_MODE_PEEK_LOCK, session=b""):
        request = messaging_pb2.ReceiveRequest(
            entity_path=path, max_messages=count, max_wait=seconds(wait), mode=mode, session_lock_token=session)
        return self.messaging.Receive(request, timeout=TIMEOUT).messages

    def receive_all(self, path, count):
        """Receives `count` messages, in as many answers as it takes."""
        messages = []
        while len(messages) < count:
            messages += self.receive(path, count - len(messages), wait=30)
        return messages

    def receive_one(self, path):
        (message,) = self.receive(path, wait=30)
        return message

    def peek(self, path, start=0, count=250, show=messaging_pb2.PEEK_FILTER_ALL, session_id=None, sql="",
             **options):
        request = messaging_pb2.PeekRequest(entity_path=path, from_sequence_number=start, max_messages=count,
                                            filter=show, session_id=session_id, sql_filter=sql, **options)
        return self.messaging.Peek(request, timeout=TIMEOUT)

    def settle(self, path, tokens, **verb):
        """settle(path, tokens, complete=messaging_pb2.Complete()) answers one result for each token."""
        request = messaging_pb2.SettleRequest(
            entity_path=path, settlement=messaging_pb2.Settlement(lock_tokens=tokens, **verb))
        return self.messaging.Settle(request, timeout=TIMEOUT).results

    def complete(self, path, *tokens):
        return self.settle(path, tokens, complete=messaging_pb2.Complete())

    def abandon(self, path, *tokens, **properties):
        return self.settle(path, tokens, abandon=messaging_pb2.Abandon(properties_to_modify=properties))

    def abandon_for(self, path, token, **rest):
        """abandon_for(path, token, delay=seconds(3)), or available_at=..."""
        return self.settle(path, [token], abandon=messaging_pb2.Abandon(**rest))

    def defer(self, path, *tokens, **properties):
        return self.settle(path, tokens, defer=messaging_pb2.Defer(properties_to_modify=properties))

    def dead_letter(self, path, *tokens, **options):
        return self.settle(path, tokens, dead_letter=messaging_pb2.DeadLetter(**options))

    def release(self, path, *tokens):
        return self.settle(path, tokens, release=messaging_pb2.Release())

    def renew(self, path, *tokens):
        request = messaging_pb2.RenewLockRequest(entity_path=path, lock_tokens=tokens)
        return self.messaging.RenewLock(request, timeout=TIMEOUT).results

    def receive_deferred(self, path, *numbers, mode=messaging_pb2.RECEIVE_MODE_PEEK_LOCK, session=b"",
                         takes_large=False):
        request = messaging_pb2.ReceiveDeferredRequest(
            entity_path=path, sequence_numbers=numbers, mode=mode, session_lock_token=session, takes_large=takes_large)
        return self.messaging.ReceiveDeferred(request, timeout=TIMEOUT).messages

    def undefer(self, path, *numbers):
        request = messaging_pb2.UndeferMessagesRequest(entity_path=path, sequence_numbers=numbers)
        return self.messaging.UndeferMessages(request, timeout=TIMEOUT)

    def receive_number(self, path, number, mode=messaging_pb2.RECEIVE_MODE_PEEK_LOCK, session=b""):
        request = messaging_pb2.ReceiveBySequenceNumberRequest(
            entity_path=path, sequence_number=number, mode=mode, session_lock_token=session)
        return self.messaging.ReceiveBySequenceNumber(request, timeout=TIMEOUT).messages

    def settle_number(self, path, number, **verb):
        request = messaging_pb2.SettleBySequenceNumberRequest(entity_path=path, sequence_number=number, **verb)
        return self.messaging.SettleBySequenceNumber(request, timeout=TIMEOUT)

    def delete_messages(self, path, count, before=None):
        request = messaging_pb2.DeleteMessagesRequest(entity_path=path, max_messages=count, enqueued_before=before)
        return self.messaging.DeleteMessages(request, timeout=TIMEOUT).deleted_count

    def cancel_scheduled(self, path, *numbers):
        request = messaging_pb2.CancelScheduledMessagesRequest(entity_path=path, sequence_numbers=numbers)
        return self.messaging.CancelScheduledMessages(request, timeout=TIMEOUT)

    def reschedule(self, path, time, *numbers):
        request = messaging_pb2.RescheduleMessagesRequest(
            entity_path=path, sequence_numbers=numbers, scheduled_enqueue_time=time)
        return self.messaging.RescheduleMessages(request, timeout=TIMEOUT)

    def activate(self, path, *numbers):
        request = messaging_pb2.ActivateScheduledMessagesRequest(entity_path=path, sequence_numbers=numbers)
        return list(self.messaging.ActivateScheduledMessages(request, timeout=TIMEOUT).sequence_numbers)

    def list_scheduled(self, path, count=0, token="", **options):
        request = messaging_pb2.ListScheduledMessagesRequest(
            entity_path=path, page_size=count, page_token=token, **options)
        return self.messaging.ListScheduledMessages(request, timeout=TIMEOUT)

    def purge(self, path, include_scheduled=False):
        request = management_pb2.PurgeRequest(entity_path=path, include_scheduled=include_scheduled)
        return self.management.Purge(request, timeout=TIMEOUT).purged_count

    def list_locks(self, path, count=0, token=""):
        request = management_pb2.ListLocksRequest(entity_path=path, page_size=count, page_token=token)
        return self.management.ListLocks(request, timeout=TIMEOUT)

    def redrive(self, path, **options):
        request = management_pb2.StartRedriveRequest(entity_path=path, **options)
        return self.management.StartRedrive(request, timeout=TIMEOUT)

    def delete_selected(self, path, **options):
        request = management_pb2.StartDeleteMessagesRequest(entity_path=path, **options)
        return self.management.StartDeleteMessages(request, timeout=TIMEOUT)

    def job(self, number):
        return self.management.GetJob(management_pb2.GetJobRequest(id=number), timeout=TIMEOUT)

    def list_jobs(self, count=0, token=""):
        return self.management.ListJobs(
            management_pb2.ListJobsRequest(page_size=count, page_token=token), timeout=TIMEOUT)

    def cancel_job(self, number):
        return self.management.CancelJob(management_pb2.CancelJobRequest(id=number), timeout=TIMEOUT)

    def end_of(self, job):
        """The job when it has ended."""
        while job.state == management_pb2.Job.STATE_RUNNING:
            job = self.job(job.id)
        return job

    def clock_now(self):
        return self.clock.Get(clock_pb2.GetClockRequest(), timeout=TIMEOUT).time

    def advance(self, span):
        return self.clock.Advance(clock_pb2.AdvanceClockRequest(by=span), timeout=TIMEOUT).time


def bodies(messages):
    return [message.message.body for message in messages]


def numbers(messages):
    return [message.sequence_number for message in messages]


def message_in(session_id, value):
    """The message, or one with this body, in this session."""
    message = Message()
    message.CopyFrom(as_message(value))
    message.session_id = session_id
    return message


def as_message(value):
    return value if isinstance(value, Message) else Message(body=value)


class Stream:
    """A bidirectional stream: write requests, read responses, each when the test wants it."""

    _END = object()

    def __init__(self, method):
        self._requests = queue.Queue()
        self.call = method(iter(self._requests.get, self._END), timeout=TIMEOUT)

    def write(self, request):
        self._requests.put(request)

    def writes_done(self):
        self._requests.put(self._END)

    def read(self):
        return next(self.call)

    def cancel(self):
        self.call.cancel()
        self.writes_done()


class ReceiveStream(Stream):
    """A receive stream in words: start, grant, deliveries, settle, drain, stop."""

    def __init__(self, client, path, mode=messaging_pb2.RECEIVE_MODE_PEEK_LOCK, **session):
        """On a queue that requires sessions `session` says which: session_id="red", ..."""
        super().__init__(client.messaging.ReceiveStream)
        self._write(start=messaging_pb2.ReceiveStart(entity_path=path, mode=mode, **session))

    def _write(self, **request):
        self.write(messaging_pb2.ReceiveStreamRequest(**request))

    def grant(self, messages, **limits):
        self._write(grant=messaging_pb2.ReceiveCredit(messages=messages, **limits))

    def revoke(self, messages):
        self._write(revoke=messaging_pb2.ReceiveCredit(messages=messages))

    def drain(self):
        self._write(drain=messaging_pb2.ReceiveDrain())

    def stop(self):
        self._write(stop=messaging_pb2.ReceiveStop())

    def settle(self, request_id, tokens, **verb):
        settlement = messaging_pb2.Settlement(lock_tokens=tokens, **verb)
        self._write(settle=messaging_pb2.StreamSettle(request_id=request_id, settlement=settlement))

    def renew(self, request_id, tokens):
        self._write(renew_lock=messaging_pb2.StreamRenewLock(request_id=request_id, lock_tokens=tokens))

    def expect(self, kind):
        """The next response, which must be of this kind."""
        response = self.read()
        actual = response.WhichOneof("response")
        if actual != kind:
            raise AssertionError(f"expected {kind}, got {actual}: {response}")
        return getattr(response, kind)

    def deliveries(self, count):
        """The next `count` messages, however many responses they came in."""
        messages = []
        while len(messages) < count:
            messages += self.expect("deliveries").messages
        return messages


class Daemon:
    """A broker of one's own, for those who kill it. `popen` goes to subprocess.Popen."""

    def __init__(self, data, listen="127.0.0.1:0", flags=(), **popen):
        self.data = data
        self._command = [os.environ["WHARFD"], "--data", data, "--listen", listen, *flags]
        self.start(**popen)

    def start(self, **popen):
        self.log = []  # What it said on stderr, line by line.
        self._process = subprocess.Popen(self._command, stderr=subprocess.PIPE, text=True, **popen)
        for line in self._process.stderr:
            self.log.append(line)
            ready = re.search(r"wharfd ready on (\S+)", line)
            if ready:
                self.address = ready.group(1)
                self._log_reader = threading.Thread(target=lambda: self.log.extend(self._process.stderr))
                self._log_reader.start()
                return
        self._process.wait(TIMEOUT)
        self._process.stderr.close()
        raise AssertionError("wharfd did not start:\n" + "".join(self.log))

    def exit_code(self):
        """None as long as it runs; negative: the signal that ended it. Then all that it said is in the log."""
        code = self._process.poll()
        if code is not None:
            self._log_reader.join()
        return code

    def peak_memory(self):
        """The most that it ever had in memory, in KiB."""
        status = pathlib.Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1))

    def limit(self, name):
        """A limit of the process, such as "Max open files"."""
        limits = pathlib.Path(f"/proc/{self._process.pid}/limits").read_text(encoding="ascii")
        return re.search(rf"{name} +(\S+)", limits).group(1)

    @property
    def pid(self):
        return self._process.pid

    def kill(self):
        return self._end(signal.SIGKILL)

    def terminate(self):
        return self._end(signal.SIGTERM)

    def interrupt(self):
        return self._end(signal.SIGINT)

    def wait(self):
        """Until it ends by itself; answers its exit code."""
        code = self._process.wait(TIMEOUT)
        self._log_reader.join()
        self._process.stderr.close()
        return code

    def send_signal(self, which):
        self._process.send_signal(which)

    def _end(self, how):
        self.send_signal(how)
        return self.wait()


def status_of(error):
    """The google.rpc.Status of a failed call, from its trailer."""
    trailers = dict(error.trailing_metadata())
    return status_pb2.Status.FromString(trailers["grpc-status-details-bin"])


def error_info(status):
    """The one google.rpc.ErrorInfo of a google.rpc.Status."""
    (info,) = [detail for detail in status.details if detail.Is(error_details_pb2.ErrorInfo.DESCRIPTOR)]
    result = error_details_pb2.ErrorInfo()
    info.Unpack(result)
    return result


class WireTest(unittest.TestCase):
    """A test with a client of the shared broker and names of its own."""

    _numbers = itertools.count(1)

    def setUp(self):
        self.client = Client()
        self.addCleanup(self.client.close)

    def wait_until(self, is_true):
        """For what another process does soon; asks the broker again and again, which takes its time."""
        end = time.monotonic() + TIMEOUT
        while not is_true():
            self.assertLess(time.monotonic(), end, "it never happens")

    def new_name(self):
        return f"wire-python/{self._testMethodName}-{next(self._numbers)}"

    def new_queue(self, **properties):
        name = self.new_name()
        self.client.create(name, **properties)
        return name

    def assert_fails(self, code, reason, call, *args, **kwargs):
        """The call must fail with this code and this reason, having changed nothing; answers the ErrorInfo."""
        with self.assertRaises(grpc.RpcError) as caught:
            call(*args, **kwargs)
        error = caught.exception
        self.assertEqual(error.code(), code, error.details())
        status = status_of(error)
        self.assertEqual((status.code, status.message), (code.value[0], error.details()))
        return self.assert_error(status, code, reason)

    def assert_error(self, status, code, reason):
        """The Status, of a call or of one item, must be this."""
        self.assertEqual(status.code, code.value[0], status.message)
        info = error_info(status)
        self.assertEqual((info.domain, info.reason), ("wharf", reason), status.message)
        self.assertEqual(info.metadata["outcome"], "not-done")
        return info

    def assert_settled(self, results, count=1):
        self.assertEqual([result.HasField("error") for result in results], [False] * count, results)


class SessionTest(WireTest):
    """A test of sessions; the queue of a name that it creates requires them."""

    SESSION_LOST = grpc.StatusCode.ABORTED, "SessionLockLost"
    HELD = grpc.StatusCode.FAILED_PRECONDITION, "SessionCannotBeLocked"
    NO_SESSION = grpc.StatusCode.DEADLINE_EXCEEDED, "ServiceTimeout"
    INVALID = grpc.StatusCode.FAILED_PRECONDITION, "InvalidOperation"
    ARGUMENT = grpc.StatusCode.INVALID_ARGUMENT, "ArgumentError"
    OUT_OF_RANGE = grpc.StatusCode.OUT_OF_RANGE, "ArgumentOutOfRange"

    def new_session_queue(self, **properties):
        return self.new_queue(requires_session=True, **properties)

    def send(self, path, **sessions):
        """send(path, red=[b"1", b"2"], blue=[b"3"]): their numbers."""
        messages = [message_in(session, value) for session, values in sessions.items() for value in values]
        return [result.sequence_number for result in self.client.send(path, *messages)]

    def accept(self, path, session_id=None, wait=None):
        """The token of the session."""
        return self.client.sessions.accept(path, session_id, wait).session_lock_token

    def new_stream(self, path, **options):
        stream = ReceiveStream(self.client, path, **options)
        self.addCleanup(stream.cancel)
        return stream

    def accepted(self, path, credit=100, **options):
        """A stream with credit, and the first session that it accepted."""
        stream = self.new_stream(path, **options)
        stream.grant(credit)
        stream.expect("started")
        return stream, stream.expect("session_accepted")


class OwnBrokerTest(WireTest):
    """A test with a broker of its own."""

    FLAGS = ()

    def setUp(self):
        data = tempfile.TemporaryDirectory(prefix="wharf-wire-")
        self.addCleanup(data.cleanup)
        self.daemon = Daemon(data.name, flags=self.FLAGS)
        self.addCleanup(lambda: self.daemon.kill())
        self.client = self.connect()

    def connect(self):
        client = Client(self.daemon.address)
        self.addCleanup(client.close)
        return client

    def kill_and_restart(self):
        self.daemon.kill()
        self.daemon.start()
        self.client = self.connect()


class ManualClockTest(OwnBrokerTest):
    """Time stands still until the test moves it."""

    FLAGS = ("--clock=manual",)

    def advance(self, span):
        """So many seconds."""
        micros = round(span * 1000000)
        self.client.advance(duration_pb2.Duration(seconds=micros // 1000000, nanos=micros % 1000000 * 1000))

    def after(self, span):
        """The time so many seconds from now."""
        time = timestamp_pb2.Timestamp()
        time.FromMicroseconds(self.client.clock_now().ToMicroseconds() + round(span * 1000000))
        return time

    def schedule(self, path, span, *values):
        """Sends messages for so many seconds from now; their numbers."""
        messages = []
        for value in values:
            message = Message()
            message.CopyFrom(as_message(value))
            message.scheduled_enqueue_time.CopyFrom(self.after(span))
            messages.append(message)
        return [result.sequence_number for result in self.client.send(path, *messages)]

    def dead_letter_all(self, path, *values, **options):
        """Sends messages and moves them to the dead-letter queue; their numbers."""
        sent = [result.sequence_number for result in self.client.send(path, *values)]
        received = self.client.receive_all(path, len(sent))
        tokens = [message.lock_token for message in received]
        self.assert_settled(self.client.dead_letter(path, *tokens, **options), len(tokens))
        return sent
