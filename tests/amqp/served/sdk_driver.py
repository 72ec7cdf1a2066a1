"""sdk_driver: does by Azure's SDK for Python what it is told, and says what came of it: a line of JSON in, a line out.
../partners/node/sdk_driver.mjs is its like, and driven_sdk.py says what both understand.

  sdk_driver.py CONNECTION_STRING AUTHORITY      until its input ends

A program of its own: uAMQP, which the SDK stands on, may end the one that it is in.
"""

import datetime
import json
import re
import sys
import time

from azure.servicebus import NEXT_AVAILABLE_SESSION, ServiceBusClient, ServiceBusMessage, ServiceBusSubQueue


def as_text(value):
    return value.decode() if isinstance(value, bytes) else value


def in_milliseconds(instant):
    return instant and round(instant.timestamp() * 1000)


def as_messages(messages):
    return [ServiceBusMessage(message["body"], session_id=message.get("session"), message_id=message.get("id"),
                              application_properties=message.get("properties"),
                              time_to_live=as_span(message.get("timeToLive"))) for message in messages]


def as_span(milliseconds):
    return None if milliseconds is None else datetime.timedelta(milliseconds=milliseconds)


def told(message):
    return {"body": str(message), "number": message.sequence_number, "count": message.delivery_count,
            "state": message.state.name.lower(), "session": message.session_id, "id": message.message_id,
            "token": str(getattr(message, "lock_token", "")),
            "lockedUntil": in_milliseconds(getattr(message, "locked_until_utc", None)),
            "enqueued": in_milliseconds(message.enqueued_time_utc), "expires": in_milliseconds(message.expires_at_utc),
            "reason": message.dead_letter_reason, "description": message.dead_letter_error_description,
            "properties": {as_text(key): as_text(value) for key, value in
                           (message.application_properties or {}).items()}}


class Driver:
    """The verbs; its names are those of the lines."""

    def __init__(self, connection_string, authority):
        self._client = ServiceBusClient.from_connection_string(connection_string, connection_verify=authority,
                                                               retry_total=0)
        self._senders, self._receivers, self._held = {}, {}, []

    def _sender(self, path):
        """Those of topics are made by another method, and are the same."""
        if path not in self._senders:
            self._senders[path] = self._client.get_queue_sender(path)
        return self._senders[path]

    def _new_receiver(self, path, **options):
        entity, subscription, dead = re.fullmatch(r"(.+?)(?:/Subscriptions/(.+?))?(/\$DeadLetterQueue)?", path).groups()
        if dead:
            options["sub_queue"] = ServiceBusSubQueue.DEAD_LETTER
        if subscription:
            return self._client.get_subscription_receiver(entity, subscription, **options)
        return self._client.get_queue_receiver(entity, **options)

    def _receiver(self, path):
        if path not in self._receivers:
            self._receivers[path] = self._new_receiver(path)
        return self._receivers[path]

    def _hold(self, receiver, messages):
        answer = []
        for message in messages:
            answer.append({**told(message), "held": len(self._held)})
            self._held.append((receiver, message))
        return answer

    def _settle(self, verb, held):
        receiver, message = self._held[held]
        getattr(receiver, verb)(message)

    def send(self, to, messages):
        self._sender(to).send_messages(as_messages(messages))

    def schedule(self, to, messages, at):
        return self._sender(to).schedule_messages(as_messages(messages), datetime.datetime.fromtimestamp(
            at / 1000, datetime.timezone.utc))

    def cancel(self, to, numbers):
        self._sender(to).cancel_scheduled_messages(numbers)

    def receive(self, **what):
        receiver, count, end = self._receiver(what["from"]), what["count"], time.monotonic() + what["wait"]
        found = []
        while len(found) < count and (left := end - time.monotonic()) > 0:
            more = receiver.receive_messages(count - len(found), max_wait_time=left)
            if not more:
                break
            found += more
        return self._hold(receiver, found)

    def complete(self, held):
        self._settle("complete_message", held)

    def abandon(self, held):
        self._settle("abandon_message", held)

    def defer(self, held):
        self._settle("defer_message", held)

    def deadLetter(self, held):  # pylint: disable=invalid-name
        self._settle("dead_letter_message", held)

    def renew(self, held):
        self._settle("renew_message_lock", held)

    def deferred(self, **what):
        receiver = self._receiver(what["from"])
        return self._hold(receiver, receiver.receive_deferred_messages(what["numbers"]))

    def peek(self, **what):
        messages = self._receiver(what["from"]).peek_messages(what["count"], sequence_number=what["start"])
        return [told(message) for message in messages]

    def accept(self, **what):
        wanted = NEXT_AVAILABLE_SESSION if what["session"] is None else what["session"]
        receiver = self._new_receiver(what["from"], session_id=wanted)
        try:
            # It attaches when it is first used, and says what it has got then.
            receiver.__enter__()
        except Exception:
            receiver.close()
            raise
        self._receivers[what["as"]] = receiver
        return {"session": receiver.session.session_id,
                "lockedUntil": in_milliseconds(receiver.session.locked_until_utc)}

    def state(self, **what):
        return as_text(self._receivers[what["from"]].session.get_state())

    def setState(self, **what):  # pylint: disable=invalid-name
        self._receivers[what["from"]].session.set_state(what["state"])

    def close(self, name):
        for place in (self._senders, self._receivers):
            if name in place:
                place.pop(name).close()


def main():
    driver = Driver(*sys.argv[1:])
    for line in sys.stdin:
        what = json.loads(line)
        try:
            answer = {"result": getattr(driver, what.pop("verb"))(**what)}
        except Exception as error:  # pylint: disable=broad-exception-caught
            answer = {"error": type(error).__name__.removesuffix("Error"), "message": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
