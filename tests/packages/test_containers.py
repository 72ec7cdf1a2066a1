"""What stands under deploy for containers: it says what wharfd understands, its pages agree with each other, and
brokers run by them."""

import http.client
import json
import os
import pathlib
import re
import ssl
import subprocess
import tempfile
import time
import unittest

import yaml
from proton import Delivery, Message, SSLDomain
from proton.utils import BlockingConnection, ConnectionClosed

import dockerfile
import wire
from free_ports import free_port
from packages import REPOSITORY, run

DEPLOY = REPOSITORY / "deploy"
PROGRAMS = pathlib.Path(os.environ["WHARFD"]).parent
KEYS = set(re.findall(r"^#? ?([a-z-]+) = ", (DEPLOY / "wharfd.toml").read_text(), re.MULTILINE))
PROBES = {"/livez", "/readyz"}


def keys_of(environment):
    ours = [name.removeprefix("WHARFD_") for name in environment if name.startswith("WHARFD_")]
    return {name.lower().replace("_", "-") for name in ours}


def ports_of(environment):
    return {int(port) for port in re.findall(r":(\d+)", environment["WHARFD_LISTEN"])}


def operations_port_of(environment):
    return re.search(r"operations://[^,]*:(\d+)", environment["WHARFD_LISTEN"])[1]


def check_configuration(environment):
    """As far as it can be known where its files are not."""
    assert keys_of(environment) <= KEYS, keys_of(environment) - KEYS
    run(PROGRAMS / "wharfd", "config", "print", "--data", "/var/lib/wharf", env={**os.environ, **environment})


def secrets():
    """Those of the page, by their names."""
    pages = yaml.safe_load_all((DEPLOY / "kubernetes/secrets.yaml").read_text())
    return {each["metadata"]["name"]: each for each in pages}


class Manifest:
    """A page of Kubernetes with one StatefulSet."""

    def __init__(self, name):
        self.text = (DEPLOY / "kubernetes" / name).read_text()
        self.objects = list(yaml.safe_load_all(self.text))
        self.set = self.only("StatefulSet")
        self.pod = self.set["spec"]["template"]
        (self.container,) = self.pod["spec"]["containers"]

    def of_kind(self, kind):
        return [each for each in self.objects if each["kind"] == kind]

    def only(self, kind):
        (found,) = self.of_kind(kind)
        return found

    def environment(self, pod):
        """As the pod of this name has it."""
        values = {each["name"]: each.get("value", pod) for each in self.container["env"]}
        return {name: re.sub(r"\$\((\w+)\)", lambda match: values[match[1]], value) for name, value in values.items()}

    def ports(self):
        return {each["name"]: each["containerPort"] for each in self.container["ports"]}

    def secrets(self):
        """Where each is mounted."""
        mounts = {each["name"]: each["mountPath"] for each in self.container["volumeMounts"]}
        volumes = [each for each in self.pod["spec"]["volumes"] if "secret" in each]
        return {each["secret"]["secretName"]: mounts[each["name"]] for each in volumes}

    def pods(self):
        return [f"{self.set['metadata']['name']}-{number}" for number in range(self.set["spec"]["replicas"])]

    def probes(self):
        return {name: each["httpGet"] for name, each in self.container.items() if name.endswith("Probe")}


MANIFESTS = {name: Manifest(name) for name in ("broker.yaml", "cluster.yaml")}


class ManifestTest(unittest.TestCase):
    def each(self):
        for name, manifest in MANIFESTS.items():
            with self.subTest(name):
                yield manifest

    def test_they_set_keys_of_the_configuration_to_values_that_it_takes(self):
        for manifest in self.each():
            check_configuration(manifest.environment("wharf-0"))

    def test_ports_are_those_where_it_listens(self):
        for manifest in self.each():
            environment = manifest.environment("wharf-0")
            ports = manifest.ports()
            self.assertEqual(set(ports.values()) - {ports.get("peers")}, ports_of(environment))
            if "peers" in ports:
                self.assertTrue(environment["WHARFD_PEER_LISTEN"].endswith(f":{ports['peers']}"))
            for service in manifest.of_kind("Service"):
                for port in service["spec"]["ports"]:
                    self.assertEqual(port["port"], ports[port["targetPort"]])

    def test_probes_ask_what_wharfd_answers(self):
        for manifest in self.each():
            for probe in manifest.probes().values():
                self.assertIn(probe["path"], PROBES)
                self.assertEqual((probe["port"], probe["scheme"]), ("operations", "HTTPS"))

    def test_everything_chooses_the_pods_of_the_set(self):
        for manifest in self.each():
            labels = manifest.pod["metadata"]["labels"]
            self.assertEqual(manifest.set["spec"]["selector"]["matchLabels"], labels)
            for service in manifest.of_kind("Service"):
                self.assertEqual(service["spec"]["selector"], labels)
            for budget in manifest.of_kind("PodDisruptionBudget"):
                self.assertEqual(budget["spec"]["selector"]["matchLabels"], labels)
            names = {service["metadata"]["name"] for service in manifest.of_kind("Service")}
            self.assertIn(manifest.set["spec"]["serviceName"], names)

    def test_volumes_are_mounted_where_the_settings_look(self):
        for manifest in self.each():
            mounts = {each["name"]: each["mountPath"] for each in manifest.container["volumeMounts"]}
            volumes = {each["name"] for each in manifest.pod["spec"]["volumes"]}
            claims = {each["metadata"]["name"] for each in manifest.set["spec"]["volumeClaimTemplates"]}
            self.assertEqual(set(mounts), volumes | claims)
            self.assertEqual(mounts["messages"], "/var/lib/wharf")
            for name, value in manifest.environment("wharf-0").items():
                if name.endswith(("_CERT", "_KEY", "_CA")):
                    self.assertTrue(any(value.startswith(f"{path}/") for path in mounts.values()), value)

    def test_each_secret_is_made_by_a_command_of_the_page_and_is_a_page_of_its_own(self):
        for manifest in self.each():
            made = set(re.findall(r"^#   kubectl create secret (?:tls|generic) (\S+) ", manifest.text, re.MULTILINE))
            self.assertEqual(made, set(manifest.secrets()))
            self.assertLessEqual(made, set(secrets()))

    def test_secrets_hold_the_files_that_the_settings_of_each_pod_name_and_no_key(self):
        for manifest in self.each():
            for name, folder in manifest.secrets().items():
                files = set()
                for pod in manifest.pods():
                    values = manifest.environment(pod).values()
                    files |= {value.removeprefix(f"{folder}/") for value in values if value.startswith(f"{folder}/")}
                self.assertEqual(set(secrets()[name]["stringData"]), files)
        for secret in secrets().values():
            self.assertEqual((secret["apiVersion"], secret["kind"]), ("v1", "Secret"))
            self.assertTrue(all(text.startswith("FILL IN: ") for text in secret["stringData"].values()))
        self.assertEqual(secrets()["wharf-tls"]["type"], "kubernetes.io/tls")

    def test_the_command_for_certificates_makes_the_files_of_the_secret(self):
        manifest = MANIFESTS["cluster.yaml"]
        command = re.search(r"^#   wharf (cluster certificate --folder peers .*)$", manifest.text, re.MULTILINE)[1]
        with tempfile.TemporaryDirectory(prefix="wharf-pods-") as folder:
            run(PROGRAMS / "wharf", *command.split(), cwd=folder)
            (pathlib.Path(folder) / "peers/peer-ca.key").unlink()  # As the page says.
            made = {file.name for file in pathlib.Path(folder, "peers").iterdir()}
        self.assertEqual(made, set(secrets()["wharf-peers"]["stringData"]))

    def test_a_majority_stays_when_machines_are_emptied(self):
        budget = MANIFESTS["cluster.yaml"].only("PodDisruptionBudget")
        self.assertEqual(budget["spec"]["maxUnavailable"], (MANIFESTS["cluster.yaml"].set["spec"]["replicas"] - 1) // 2)

    def test_pods_may_do_nothing_but_serve(self):
        for manifest in self.each():
            self.assertTrue(manifest.pod["spec"]["securityContext"]["runAsNonRoot"])
            self.assertEqual(manifest.container["securityContext"],
                             {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                              "capabilities": {"drop": ["ALL"]}})


class PodTest(unittest.TestCase):
    """Brokers with the settings of the pages, in folders and at ports of this machine."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="wharf-pods-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.ports = {}

    def here(self, pod, value):
        """Names of pods are this machine, ports are free ones, folders are ours."""
        value = re.sub(r"(wharf-\d)\.wharf-nodes:(\d+)", lambda m: f"127.0.0.1:{self.port(m[1], m[2])}", value)
        value = re.sub(r"0\.0\.0\.0:(\d+)", lambda m: f"127.0.0.1:{self.port(pod, m[1])}", value)
        value = value.replace("/var/lib/wharf", f"{self.folder}/{pod}/data")
        return re.sub(r"/(etc|run)/wharf", f"{self.folder}/{pod}", value)

    def port(self, pod, port):
        return self.ports.setdefault((pod, port), free_port())

    def start(self, manifest, pod):
        environment = {name: self.here(pod, value) for name, value in manifest.environment(pod).items()}
        tls = self.folder / pod / "tls"
        tls.mkdir(parents=True)
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=wharf",
            "-keyout", tls / "tls.key", "-out", tls / "tls.crt")
        for file in tls.iterdir():
            file.chmod(0o440)  # As a Secret is mounted.
        daemon = wire.Daemon(str(self.folder / pod / "data"), listen=environment.pop("WHARFD_LISTEN"),
                             env={**os.environ, **environment})
        self.addCleanup(daemon.kill)
        return environment

    def status(self, manifest, pod, probe):
        connection = http.client.HTTPSConnection("127.0.0.1", self.ports[(pod, str(manifest.ports()["operations"]))],
                                                 context=ssl._create_unverified_context())
        self.addCleanup(connection.close)
        # As a kubelet asks: by the address of the pod, unless it is told another name.
        asked = {"Host": "10.1.2.3:5682", **{each["name"]: each["value"] for each in probe.get("httpHeaders", [])}}
        connection.request("GET", probe["path"], headers=asked)
        return connection.getresponse().status

    def exec(self, environment, *words):
        """As kubectl exec does it."""
        return run(PROGRAMS / "wharf", *words, env={**os.environ, **environment})

    def test_the_broker_is_ready_and_its_operator_finds_what_opens_it(self):
        manifest = MANIFESTS["broker.yaml"]
        environment = self.start(manifest, "wharf-0")
        for probe in manifest.probes().values():
            self.assertEqual(self.status(manifest, "wharf-0", probe), 200)
        key = (self.folder / "wharf-0/data/root-connection-string").read_text()
        self.assertIn("Endpoint=sb://wharf:5680/", key)
        self.exec(environment, "--address", environment["WHARF_ADDRESS"], "--connection-string",
                  f"@{self.folder}/wharf-0/data/root-connection-string", "queue", "create", "orders")

    def test_three_pods_become_a_cluster_as_the_page_says(self):
        manifest = MANIFESTS["cluster.yaml"]
        pods = manifest.pods()
        run(PROGRAMS / "wharf", "cluster", "certificate", "--folder", self.folder / "peers", *pods)
        (self.folder / "peers/peer-ca.key").unlink()
        for pod in pods:
            (self.folder / pod).mkdir()
            (self.folder / pod / "peers").symlink_to(self.folder / "peers")
        environments = {pod: self.start(manifest, pod) for pod in pods}
        for pod in pods:
            ready = self.status(manifest, pod, manifest.probes()["readinessProbe"])
            self.assertEqual(ready, 200, "one that waits is ready")
        root = re.search(r"^# ROOT is: wharf (.*)$", manifest.text, re.MULTILINE)[1]
        commands = re.findall(r"^#   kubectl exec wharf-0 -- (?:wharf|(?=ROOT)) ?(.*)$", manifest.text, re.MULTILINE)
        self.assertEqual(len(commands), len(pods))
        for command in [*commands, "ROOT queue create orders", "ROOT cluster status --json"]:
            words = self.here("wharf-0", command.replace("ROOT", root)).split()
            said = self.exec(environments["wharf-0"], *words)
        status = json.loads(said)
        self.assertEqual({member["name"] for member in status["members"]}, set(pods))
        for pod in pods:
            self.send_by_amqp(pod, manifest.ports()["amqp"])

    def send_by_amqp(self, pod, port):
        """As a client of the service that comes to this pod, whichever leads, with what opens everything."""
        key = (self.folder / "wharf-0/data/root-connection-string").read_text().strip()
        fields = dict(field.split("=", 1) for field in key.split(";"))
        domain = SSLDomain(SSLDomain.MODE_CLIENT)
        domain.set_peer_authentication(SSLDomain.ANONYMOUS_PEER)
        url, until = f"amqps://127.0.0.1:{self.port(pod, str(port))}", time.monotonic() + wire.TIMEOUT
        connection = None
        while connection is None:
            try:
                connection = BlockingConnection(
                    url, timeout=wire.TIMEOUT, ssl_domain=domain, reconnect=False, allowed_mechs="PLAIN",
                    user=fields["SharedAccessKeyName"], password=fields["SharedAccessKey"])
            except ConnectionClosed as closed:  # As long as the pod does not know who leads.
                if "connect again" not in str(closed) or time.monotonic() > until:
                    raise
        try:
            sent = connection.create_sender("orders").send(Message(body=pod))
            self.assertEqual(sent.remote_state, Delivery.ACCEPTED)
        finally:
            connection.close()


class ContainerTest(unittest.TestCase):
    """The Dockerfile, the Compose file and what they share with each other, the pods and the unit."""

    def setUp(self):
        compose = yaml.safe_load((DEPLOY / "container/compose.yaml").read_text())
        self.service, self.volumes = compose["services"]["wharf"], compose["volumes"]
        self.image = dockerfile.variables(dockerfile.only("ENV"))

    def test_they_set_keys_of_the_configuration_to_values_that_it_takes(self):
        check_configuration(self.image)
        check_configuration({**self.image, **self.service["environment"]})

    def test_published_ports_are_those_where_it_listens(self):
        exposed = {int(port) for port in dockerfile.only("EXPOSE").split()}
        for published in self.service["ports"]:
            port = int(published.split(":")[-1])
            self.assertIn(port, ports_of(self.service["environment"]))
            self.assertIn(port, exposed)
            self.assertTrue(published.startswith("127.0.0.1:"), "only this machine, as it goes without TLS")

    def test_the_health_check_asks_where_operations_are(self):
        asked = re.search(r"/dev/tcp/127\.0\.0\.1/(\d+)", (DEPLOY / "container/healthcheck").read_text())[1]
        self.assertEqual(operations_port_of(self.image), asked)
        self.assertEqual(operations_port_of(self.service["environment"]), asked)

    def test_the_health_check_is_where_the_image_has_it(self):
        (program,) = dockerfile.command(dockerfile.only("HEALTHCHECK"))
        copied = dict(rest.split() for name, rest in dockerfile.instructions() if name == "COPY")
        self.assertEqual(program, copied["healthcheck"] + "healthcheck")
        self.assertTrue(os.access(DEPLOY / "container/healthcheck", os.X_OK))

    def test_messages_are_in_the_volume(self):
        self.assertEqual(dockerfile.only("VOLUME"), self.image["WHARFD_DATA"])
        (volume,) = self.service["volumes"]
        name, path = volume.split(":")
        self.assertEqual(path, self.image["WHARFD_DATA"])
        self.assertIn(name, self.volumes)

    def test_it_runs_as_the_user_that_the_image_has_and_pods_name(self):
        user = dockerfile.only("USER")
        self.assertNotEqual(user.split(":")[0], "0")
        (made,) = re.findall(r"useradd .*--uid (\d+)", " ".join(rest for _, rest in dockerfile.instructions()))
        self.assertEqual(user, f"{made}:{made}")
        for manifest in MANIFESTS.values():
            context = manifest.pod["spec"]["securityContext"]
            self.assertEqual({context[each] for each in ("runAsUser", "runAsGroup", "fsGroup")}, {int(made)})

    def test_pods_run_the_image_of_this_version(self):
        project = (REPOSITORY / "CMakeLists.txt").read_text()
        version = re.search(r"^project\(wharf VERSION (\S+)", project, re.MULTILINE)[1]
        for manifest in MANIFESTS.values():
            self.assertEqual(manifest.container["image"], f"{self.service['image']}:{version}")

    def test_it_may_do_nothing_but_serve(self):
        self.assertIs(self.service["read_only"], True)
        self.assertEqual(self.service["cap_drop"], ["ALL"])
        self.assertEqual(self.service["security_opt"], ["no-new-privileges:true"])

    def test_it_comes_back_with_the_machine_and_has_time_to_stop(self):
        # on-failure leaves it stopped: it ended in order when the machine did.
        self.assertEqual(self.service["restart"], "unless-stopped")
        unit = (DEPLOY / "wharfd.service").read_text()
        grace = re.search(r"^TimeoutStopSec=(\d+)$", unit, re.MULTILINE)[1]
        self.assertEqual(self.service["stop_grace_period"], f"{grace}s")
        self.assertEqual(self.service["ulimits"]["nofile"],
                         int(re.search(r"^LimitNOFILE=(\d+)$", unit, re.MULTILINE)[1]))
        for manifest in MANIFESTS.values():
            self.assertEqual(manifest.pod["spec"]["terminationGracePeriodSeconds"], int(grace))

    def test_the_health_check_tells_a_ready_broker_from_none(self):
        with tempfile.TemporaryDirectory(prefix="wharf-pods-") as folder:
            port = free_port()
            check = pathlib.Path(folder) / "healthcheck"
            check.write_text((DEPLOY / "container/healthcheck").read_text().replace("5682", str(port)))
            self.assertNotEqual(subprocess.run(["bash", check], check=False, capture_output=True).returncode, 0)
            daemon = wire.Daemon(f"{folder}/data", listen=f"127.0.0.1:0,operations://127.0.0.1:{port}")
            self.addCleanup(daemon.kill)
            run("bash", check)


if __name__ == "__main__":
    unittest.main()
