"""The packages: what is in them, that their programs run, and what they do to a machine's service."""

import gzip
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import unittest.mock

import packages
import references
import wire
from free_ports import free_port
from packages import REPOSITORY, run

DOCUMENTS = "usr/share/doc/wharf"
PATHS = {
    "etc/wharf/wharfd.toml",
    "usr/lib/systemd/system/wharfd.service",
    "usr/bin/wharf",
    "usr/bin/wharfd",
    "usr/lib/wharf/libwharfraft.so",
    "usr/share/bash-completion/completions/wharf",
    "usr/share/fish/vendor_completions.d/wharf.fish",
    "usr/share/man/man1/wharf.1.gz",
    "usr/share/man/man8/wharfd.8.gz",
    "usr/share/zsh/vendor-completions/_wharf",
    *(f"{DOCUMENTS}/{name}" for name in ("README.md", "broker/doors/amqp/AZURE.md", "changelog.Debian.gz", "copyright",
                                         "tests/documents/library.cc", "tools/COMMANDS.md", "tools/LIBRARY.md")),
    *(f"{DOCUMENTS}/deploy/{name}" for name in ("LOG.md", "METRICS.md", "README.md", "alerts.yml",
                                                "grafana-dashboard.json", "wharfd.toml")),
    *(f"{DOCUMENTS}/deploy/container/{name}" for name in ("Dockerfile", "compose.yaml", "healthcheck")),
    *(f"{DOCUMENTS}/deploy/kubernetes/{name}.yaml" for name in ("broker", "cluster", "secrets")),
    *(f"{DOCUMENTS}/{file.relative_to(REPOSITORY)}" for file in REPOSITORY.glob("proto/wharf/v1/*.proto")),
    *(f"DEBIAN/{name}" for name in ("conffiles", "control", "md5sums", "postinst", "postrm", "prerm")),
}
# As CMake's own find_package needs it: a project of a user.
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(example CXX)
set(CMAKE_FIND_PACKAGE_SORT_ORDER NATURAL)
find_package(Wharf REQUIRED PATHS ${WHARF_ROOT}/usr/lib/cmake/Wharf NO_DEFAULT_PATH)
add_executable(example library.cc)
target_link_libraries(example PRIVATE Wharf::client)
"""


def setUpModule():
    global made
    made = packages.Packages()
    unittest.addModuleCleanup(made.remove)


class ContentTest(unittest.TestCase):
    def test_wharf_holds_what_runs_a_broker_and_nothing_else(self):
        self.assertEqual(made.paths("wharf"), PATHS)

    def test_its_configuration_is_kept_over_upgrades(self):
        self.assertEqual((made.root("wharf") / "DEBIAN/conffiles").read_text(), "/etc/wharf/wharfd.toml\n")
        self.assertEqual((made.root("wharf") / "etc/wharf/wharfd.toml").read_bytes(),
                         (REPOSITORY / "deploy/wharfd.toml").read_bytes())

    def test_programs_are_stripped_and_need_only_what_the_package_names(self):
        for name in ("bin/wharf", "bin/wharfd", "lib/wharf/libwharfraft.so"):
            self.assertIn(", stripped", run("file", made.root("wharf") / "usr" / name), name)
        needs = made.control("wharf", "Depends")
        for library in ("librocksdb7.8", "libgrpc++1.51", "libjemalloc2", "libsystemd0", "libssl3"):
            self.assertIn(library, needs)
        self.assertNotIn("golang", needs)

    def test_the_unit_is_that_of_deploy_and_starts_the_packaged_program(self):
        unit = (made.root("wharf") / "usr/lib/systemd/system/wharfd.service").read_text()
        self.assertIn("ExecStart=/usr/bin/wharfd --config /etc/wharf/wharfd.toml\n", unit)
        self.assertEqual(unit.replace("/usr/bin/", "/usr/local/bin/"),
                         (REPOSITORY / "deploy/wharfd.service").read_text())

    def test_systemd_is_told_when_it_serves_and_that_it_lives(self):
        lines = (made.root("wharf") / "usr/lib/systemd/system/wharfd.service").read_text().splitlines()
        for line in ("Type=notify", "WatchdogSec=30", "Restart=always", "RestartPreventExitStatus=2"):
            self.assertIn(line, lines)

    def test_systemd_finds_nothing_wrong_with_the_unit(self):
        # What it does not know it only tells, and the exit code stays 0.
        told = subprocess.run(["systemd-analyze", "verify", "--recursive-errors=no", self.unit_of_this_machine()],
                              capture_output=True, text=True, check=False)
        self.assertEqual((told.returncode, told.stdout + told.stderr), (0, ""))

    def test_the_unit_exposes_little(self):
        run("systemd-analyze", "security", "--offline=true", "--threshold=20", self.unit_of_this_machine())

    def unit_of_this_machine(self):
        """The unit with the programs where they are: unpacked."""
        folder = tempfile.TemporaryDirectory(prefix="wharf-packages-")
        self.addCleanup(folder.cleanup)
        unit = (made.root("wharf") / "usr/lib/systemd/system/wharfd.service").read_text()
        here = pathlib.Path(folder.name) / "wharfd.service"
        here.write_text(unit.replace("ExecStart=/usr/bin/", f"ExecStart={made.root('wharf')}/usr/bin/"))
        return here

    def test_the_version_is_that_of_the_program_and_of_the_changelog(self):
        program = run(made.root("wharf") / "usr/bin/wharfd", "--version")
        changelog = gzip.decompress((made.root("wharf") / DOCUMENTS / "changelog.Debian.gz").read_bytes()).decode()
        for name in ("wharf", "wharf-dev"):
            version = made.control(name, "Version")
            self.assertIn(version.split("-")[0], program)
            self.assertEqual(re.match(r"wharf \((.*?)\)", changelog)[1], version)

    def test_documents_lead_to_what_the_package_has(self):
        for name in ("wharf", "wharf-dev"):
            folder = made.root(name) / "usr/share/doc" / name
            pages = list(folder.rglob("*.md"))
            self.assertTrue(pages)
            wrong = [fault for page in pages for found in (references.dead_links, references.dead_sections)
                     for fault in found(page, folder)]
            self.assertEqual(wrong, [])

    def test_the_handbook_leads_to_the_pages_for_operators(self):
        handbook = (made.root("wharf") / DOCUMENTS / "deploy/README.md").read_text()
        for name in ("LOG.md", "METRICS.md", "wharfd.toml", "container/compose.yaml", "kubernetes/cluster.yaml"):
            self.assertIn(f"]({name})", handbook)
        check = made.root("wharf") / DOCUMENTS / "deploy/container/healthcheck"
        self.assertTrue(os.access(check, os.X_OK), "Docker runs it")

    def manual(self, page):
        """As man shows it, without a complaint and without breaking a line."""
        done = subprocess.run(["man", "--warnings", "--local-file", made.root("wharf") / "usr/share/man" / page],
                              capture_output=True, text=True, check=True,
                              env={**os.environ, "MANWIDTH": "300", "LC_ALL": "C.UTF-8", "MANPAGER": "cat"})
        self.assertEqual(done.stderr, "")
        return done.stdout

    def test_the_daemons_manual_page_has_its_commands_files_and_exit_codes(self):
        page = self.manual("man8/wharfd.8.gz")
        for text in ("--min-free-disk", "wharfd restore [OPTIONS] BACKUP DATA", "--new-keys", "--until TIME",
                     "--until-index COMMIT", "wharfd recover [OPTIONS]", "--accept-loss",
                     "wharfd config check [OPTIONS]", "wharfd config print [OPTIONS]", "/etc/wharf/wharfd.toml",
                     "a configuration with errors", "wharf(1)"):
            self.assertTrue(text in page, f"wharfd.8 lacks '{text}'")
        (handbook,) = re.findall(r"/(usr/share/doc/wharf/\S+)", page)
        self.assertTrue((made.root("wharf") / handbook).exists())

    def test_pages_and_completions_are_those_of_the_packaged_program(self):
        program = made.root("wharf") / "usr/bin/wharf"
        share = made.root("wharf") / "usr/share"
        self.assertEqual(gzip.decompress((share / "man/man1/wharf.1.gz").read_bytes()).decode(), run(program, "man"))
        for shell, place in (("bash", "bash-completion/completions/wharf"), ("zsh", "zsh/vendor-completions/_wharf"),
                             ("fish", "fish/vendor_completions.d/wharf.fish")):
            self.assertEqual((share / place).read_text(), run(program, "completion", shell))

    def test_the_command_lines_manual_page_has_every_command(self):
        page = self.manual("man1/wharf.1.gz")
        table = json.loads(run(made.root("wharf") / "usr/bin/wharf", "help", "--json"))
        self.assertIn("purge", [command["command"].split()[-1] for command in table["commands"]])
        for command in table["commands"]:
            for each in command["commands"] or [command]:
                self.assertTrue(each["command"] in page, f"wharf.1 lacks '{each['command']}'")

    def test_bash_completes_commands(self):
        script = made.root("wharf") / "usr/share/bash-completion/completions/wharf"
        program = made.root("wharf") / "usr/bin"
        completed = run("bash", "-c", f"PATH={program}:$PATH; . {script}; COMP_WORDS=(wharf que); COMP_CWORD=1; "
                        "COMP_LINE='wharf que'; COMP_POINT=9; "
                        "$(complete -p wharf | sed 's/.*-F \\([^ ]*\\).*/\\1/'); echo ${COMPREPLY[@]}")
        self.assertEqual(completed.strip(), "queue")


class ProgramTest(unittest.TestCase):
    """The packaged programs, from where they were unpacked."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="wharf-packages-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.programs = made.root("wharf") / "usr/bin"

    def start(self, *flags):
        with unittest.mock.patch.dict(os.environ, WHARFD=str(self.programs / "wharfd")):
            daemon = wire.Daemon(str(self.folder / "data"), flags=flags)
        self.addCleanup(daemon.kill)
        return daemon

    def wharf(self, daemon, *words, **options):
        return run(self.programs / "wharf", "--address", daemon.address, *words, **options)

    def test_a_message_goes_through_the_packaged_broker(self):
        daemon = self.start()
        self.wharf(daemon, "queue", "create", "orders")
        self.wharf(daemon, "send", "orders", "a body")
        self.assertIn("a body", self.wharf(daemon, "receive", "orders"))

    def test_the_packaged_broker_can_be_a_node_of_a_cluster(self):
        peers = f"127.0.0.1:{free_port()}"
        daemon = self.start("--node", "n1", "--peer-listen", peers, "--insecure")
        self.wharf(daemon, "cluster", "init")
        self.wharf(daemon, "queue", "create", "orders")
        self.assertIn("n1", self.wharf(daemon, "cluster", "status"))

    def test_a_client_in_cpp_is_built_with_the_library(self):
        project = self.folder / "project"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(PROJECT)
        example = made.root("wharf-dev") / "usr/share/doc/wharf-dev/tests/documents/library.cc"
        (project / "library.cc").write_bytes(example.read_bytes())
        run("cmake", "-G", "Ninja", "-S", project, "-B", project / "build",
            f"-DWHARF_ROOT={made.root('wharf-dev')}")
        run("cmake", "--build", project / "build")
        self.assertTrue((project / "build/example").exists())

    def test_the_api_is_there_for_other_languages(self):
        protos = made.root("wharf-dev") / "usr/share/wharf/proto"
        run("protoc", f"-I{protos}", f"--python_out={self.folder}", "wharf/v1/messaging.proto")
        self.assertTrue((self.folder / "wharf/v1/messaging_pb2.py").exists())


class ServiceTest(unittest.TestCase):
    """The scripts of the package, with commands that only note how they were called."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="wharf-packages-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.calls = self.folder / "calls"
        for name in ("systemctl", "deb-systemd-helper", "deb-systemd-invoke"):
            command = self.folder / name
            command.write_text(f'#!/bin/sh\necho {name} "$@" >>{self.calls}\n')
            command.chmod(0o755)

    def called(self, script, *arguments, fails=()):
        """With systemd running, whatever this machine has; `fails`: commands that do."""
        for name in fails:
            with (self.folder / name).open("a") as command:
                command.write("exit 1\n")
        text = (made.root("wharf") / "DEBIAN" / script).read_text()
        here = self.folder / script
        here.write_text(text.replace("/run/systemd/system", str(self.folder)))
        self.calls.write_text("")
        run("dash", here, *arguments, env={"PATH": f"{self.folder}:{os.environ['PATH']}"})
        return self.calls.read_text().splitlines()

    def test_it_is_started_and_enabled_when_it_is_installed(self):
        calls = self.called("postinst", "configure", "")
        self.assertIn("deb-systemd-helper enable wharfd.service", calls)
        self.assertEqual(calls[-2:], ["systemctl --system daemon-reload", "deb-systemd-invoke start wharfd.service"])

    def test_an_upgrade_starts_the_new_program_and_stops_nothing_before(self):
        self.assertEqual(self.called("prerm", "upgrade", "0.2.0-1"), [])
        self.assertEqual(self.called("postinst", "configure", "0.0.9-1")[-1],
                         "deb-systemd-invoke restart wharfd.service")

    def test_a_service_that_cannot_start_leaves_the_package_whole(self):
        fails = ("systemctl", "deb-systemd-invoke")
        self.assertIn("deb-systemd-invoke start wharfd.service", self.called("postinst", "configure", "", fails=fails))
        self.called("prerm", "remove", fails=fails)
        self.called("postrm", "purge", fails=fails)

    def test_a_removal_stops_it(self):
        self.assertEqual(self.called("prerm", "remove"), ["deb-systemd-invoke stop wharfd.service"])

    def test_a_purge_leaves_no_trace_but_the_messages(self):
        calls = self.called("postrm", "purge")
        self.assertIn("deb-systemd-helper purge wharfd.service", calls)
        self.assertNotIn("rm -r", (made.root("wharf") / "DEBIAN/postrm").read_text())


if __name__ == "__main__":
    unittest.main()
