"""driven_sdk: an SDK of Azure in a program of its own (sdk_driver.py, ../partners/node/sdk_driver.mjs), which a test
tells what to do, one thing after the other.

Entities are paths as gRPC has them, `q/$DeadLetterQueue`, `t/Subscriptions/s`; a session that was accepted has a name.
Messages are dictionaries, sent with body, session, id, timeToLive and properties, and received with number, count,
state and more; times are milliseconds since 1970. What was received is `held` until it is settled.
"""

import json
import select
import subprocess

import wire

# To see that there is nothing. One that drains does not wait so long for what there is.
BRIEFLY = 0.2  # seconds


class SdkError(Exception):
    """The SDK refused, with its own word for it, and said why."""


def as_message(message):
    return message if isinstance(message, dict) else {"body": message}


class DrivenSdk:

    def __init__(self, program, **popen):
        # pylint: disable=consider-using-with
        self._program = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **popen)

    def end(self):
        self._program.kill()
        self._program.communicate()

    def _ask(self, verb, **what):
        self._program.stdin.write(json.dumps({"verb": verb, **what}) + "\n")
        self._program.stdin.flush()
        # One line answers one line: nothing of it is in a buffer of ours.
        if not select.select([self._program.stdout], [], [], wire.TIMEOUT)[0]:
            raise AssertionError(f"{verb}: the SDK says nothing")
        answer = json.loads(self._program.stdout.readline())
        if "error" in answer:
            raise SdkError(f"{answer['error']}: {answer['message']}")
        return answer["result"]

    def send(self, to, *messages):
        return self._ask("send", to=to, messages=list(map(as_message, messages)))

    def schedule(self, to, at, *messages):
        """Their numbers."""
        return self._ask("schedule", to=to, messages=list(map(as_message, messages)), at=at)

    def cancel(self, to, *numbers):
        return self._ask("cancel", to=to, numbers=numbers)

    def receive(self, source, count=1):
        """So many, in as many answers as it takes."""
        messages = self._ask("receive", **{"from": source}, count=count, wait=wire.TIMEOUT / 2)
        assert len(messages) == count, messages
        return messages

    def receive_one(self, source):
        (message,) = self.receive(source)
        return message

    def receive_nothing(self, source):
        messages = self._ask("receive", **{"from": source}, count=1, wait=BRIEFLY)
        assert messages == [], messages

    def complete(self, message):
        return self._ask("complete", held=message["held"])

    def abandon(self, message):
        return self._ask("abandon", held=message["held"])

    def defer(self, message):
        return self._ask("defer", held=message["held"])

    def dead_letter(self, message):
        return self._ask("deadLetter", held=message["held"])

    def renew(self, message):
        return self._ask("renew", held=message["held"])

    def deferred(self, source, *numbers):
        return self._ask("deferred", **{"from": source}, numbers=numbers)

    def peek(self, source, count=250, start=1):
        return self._ask("peek", **{"from": source}, count=count, start=start)

    def accept(self, source, session=None, name="session"):
        """The session of this id, or the next one; from then on `name` is what it is received from."""
        return self._ask("accept", **{"from": source, "as": name}, session=session)

    def state(self, name="session"):
        return self._ask("state", **{"from": name})

    def set_state(self, state, name="session"):
        return self._ask("setState", **{"from": name}, state=state)

    def close(self, name="session"):
        """A session, or the sender to a path and the receiver from it."""
        return self._ask("close", name=name)
