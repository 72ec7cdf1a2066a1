"""What stands under deploy for containers: that it says what wharfd understands, and that a broker runs by it."""

import http.client
import json
import os
import pathlib
import re
import ssl
import subprocess
import tempfile
import unittest

import yaml

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


class Manifest:
    """A page of Kubernetes with one StatefulSet."""

    def __init__(self, name):
        self.objects = list(yaml.safe_load_all((DEPLOY / "kubernetes" / name).read_text()))
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
            environment = manifest.environment("wharf-0")
            self.assertLessEqual(keys_of(environment), KEYS)
            run(PROGRAMS / "wharfd", "config", "check", "--data", "/var/lib/wharf", env={**os.environ, **environment})

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
        pods = [f"wharf-{number}" for number in range(manifest.set["spec"]["replicas"])]
        run(PROGRAMS / "wharf", "cluster", "certificate", "--folder", self.folder / "peers", *pods)
        (self.folder / "peers/peer-ca.key").unlink()
        for pod in pods:
            (self.folder / pod).mkdir()
            (self.folder / pod / "peers").symlink_to(self.folder / "peers")
        environments = {pod: self.start(manifest, pod) for pod in pods}
        for pod in pods:
            ready = self.status(manifest, pod, manifest.probes()["readinessProbe"])
            self.assertEqual(ready, 200, "one that waits is ready")
        page = (DEPLOY / "kubernetes/cluster.yaml").read_text()
        root = re.search(r"^# ROOT is: wharf (.*)$", page, re.MULTILINE)[1]
        commands = re.findall(r"^#   kubectl exec wharf-0 -- (?:wharf|(?=ROOT)) ?(.*)$", page, re.MULTILINE)
        self.assertEqual(len(commands), len(pods))
        for command in [*commands, "ROOT cluster status --json"]:
            words = self.here("wharf-0", command.replace("ROOT", root)).split()
            said = self.exec(environments["wharf-0"], *words)
        status = json.loads(said)
        self.assertEqual({member["name"] for member in status["members"]}, set(pods))


class ComposeTest(unittest.TestCase):
    def test_it_sets_keys_of_the_configuration_to_values_that_it_takes(self):
        service = yaml.safe_load((DEPLOY / "container/compose.yaml").read_text())["services"]["wharf"]
        self.assertLessEqual(keys_of(service["environment"]), KEYS)
        run(PROGRAMS / "wharfd", "config", "check", "--data", "/var/lib/wharf",
            env={**os.environ, **service["environment"]})
        for published in service["ports"]:
            self.assertIn(int(published.split(":")[-1]), ports_of(service["environment"]))
            self.assertTrue(published.startswith("127.0.0.1:"), "only this machine, as it goes without TLS")

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
