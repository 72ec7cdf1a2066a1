"""rabbit_mq: a RabbitMQ of one's own, with its AMQP 1.0 and its shovel: nothing of /etc/rabbitmq, loopback only. What
it is told to do goes over HTTP: each call of rabbitmqctl is an Erlang that starts."""

import base64
import http.client
import json
import os
import subprocess
import time
import urllib.parse

from free_ports import free_port

SERVER = "/usr/lib/rabbitmq/bin/rabbitmq-server"
PLUGINS = "[rabbitmq_amqp1_0,rabbitmq_shovel,rabbitmq_management].\n"
USER = "guest"  # Has all rights, with its name as password, from loopback.
TIMEOUT = 120  # seconds; only a broken one ever takes so long


class RabbitMq:

    def __init__(self, folder):
        """It runs when this returns; `end` when it is not wanted any more."""
        self.port, self._http_port, self._folder, self._running = free_port(), free_port(), folder, []
        os.makedirs(folder)
        with open(f"{folder}/plugins", "w", encoding="ascii") as plugins:
            plugins.write(PLUGINS)
        self._environment = {
            **os.environ, "HOME": folder, "ERL_EPMD_ADDRESS": "127.0.0.1", "ERL_EPMD_PORT": str(free_port()),
            "RABBITMQ_NODENAME": f"wharf-shovel-{os.getpid()}@localhost", "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_CONFIG_FILE": f"{folder}/none", "RABBITMQ_MNESIA_BASE": f"{folder}/data",
            "RABBITMQ_LOG_BASE": f"{folder}/log", "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/plugins",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1", "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS":
                "-kernel inet_dist_use_interface {127,0,0,1} "
                f'-rabbitmq_management listener [{{port,{self._http_port}}},{{ip,"127.0.0.1"}}]'}
        try:
            self._run("epmd")
            self._run(SERVER)
            self._wait()
        except BaseException:
            self.end()
            raise

    def uri(self):
        return f"amqp://{USER}:{USER}@127.0.0.1:{self.port}"

    def _run(self, *command):
        with open(f"{self._folder}/said", "ab") as said:
            # pylint: disable=consider-using-with
            self._running.append(subprocess.Popen(command, env=self._environment, stdout=said, stderr=said))

    def _wait(self):
        """Until clients may come."""
        end = time.monotonic() + TIMEOUT
        while True:
            try:
                return self._ask("GET", "health", "checks", "port-listener", str(self.port))
            except (OSError, AssertionError) as error:
                if time.monotonic() > end or any(program.poll() is not None for program in self._running):
                    with open(f"{self._folder}/said", encoding="utf-8") as said:
                        raise AssertionError(f"RabbitMQ does not start: {error}: {said.read()}") from None

    def _ask(self, method, *path, **what):
        connection = http.client.HTTPConnection("127.0.0.1", self._http_port, timeout=TIMEOUT)
        place = "/".join(urllib.parse.quote(part, safe="") for part in ("api", *path))
        proof = base64.b64encode(f"{USER}:{USER}".encode()).decode()
        try:
            connection.request(method, f"/{place}", json.dumps(what),
                               {"Authorization": f"Basic {proof}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        if answer.status >= 300:
            raise AssertionError(f"{method} {place}: {answer.status} {body.decode()}")
        return json.loads(body) if body else None

    def end(self):
        """Its port mapper last: it knows the broker."""
        for program in reversed(self._running):
            program.terminate()
            program.wait(TIMEOUT)

    def declare(self, queue):
        self._ask("PUT", "queues", "/", queue, durable=True)

    def count(self, queue):
        """Of messages that wait there, or are on their way from it; as of some seconds ago."""
        return self._ask("GET", "queues", "/", queue).get("messages", 0)

    def shovel(self, name, **settings):
        """From then on it moves messages; settings are those of RabbitMQ, with _ for -."""
        value = {key.replace("_", "-"): setting for key, setting in settings.items()}
        self._ask("PUT", "parameters", "shovel", "/", name, value=value)

    def remove_shovel(self, name):
        self._ask("DELETE", "parameters", "shovel", "/", name)
