"""What the daemon does not accept it refuses with one sentence and exit code 1, before anything is changed."""

import glob
import os
import pathlib
import resource
import socket
import subprocess
import unittest

import grpc

import daemon_test
import wire


class AddressTest(daemon_test.DaemonTest):

    def assert_no_address(self, listen, why):
        """Bad usage, told in one line."""
        ended = subprocess.run([os.environ["WHARFD"], "--data", self.data, "--listen", listen], stderr=subprocess.PIPE,
                               text=True, timeout=wire.TIMEOUT, check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertEqual(ended.stderr, "--listen takes ADDRESS:PORT, for example 127.0.0.1:5680; "
                                       f'{why}, not "{listen}"\n')
        self.assertFalse(os.path.exists(self.data))

    def test_an_address_of_other_machines(self):
        beyond = 'beyond this machine wharfd listens with grpc+tls:// and access = "on" only'
        operations = 'operations that others can reach need TLS, and access = "on" or tls-client-ca'
        for listen, why in (("0.0.0.0:1", beyond), ("[::]:1", beyond), ("192.0.2.1:5680", beyond),
                            ("operations://0.0.0.0:1", operations)):
            ended = subprocess.run([os.environ["WHARFD"], "--data", self.data, "--listen", "[::1]:0", "--listen", listen],
                                   stderr=subprocess.PIPE, text=True, timeout=wire.TIMEOUT, check=False)
            self.assertEqual(ended.returncode, 2)
            self.assertEqual(ended.stderr, f"--listen: {listen}: {why}\n")
            self.assertFalse(os.path.exists(self.data))

    def test_an_address_that_is_none(self):
        for listen in ("127.0.0.1:99999", "127.0.0.1:-1", "127.0.0.1:", "127.0.0.1:80x"):
            self.assert_no_address(listen, "the port is a number from 0 to 65535")
        for listen in ("127.0.0.1", "[::1]"):
            self.assert_no_address(listen, "the port is missing")
        for listen in ("::1:5680", "nowhere:5680", ":5680"):
            self.assert_no_address(listen, "before the port stands an address, for example "
                                            "127.0.0.1, 0.0.0.0 or [::1], or localhost")
        self.assert_no_address("", "it is empty")

    def test_other_names_of_this_machine(self):
        for listen, host in (("localhost:0", "localhost"), ("[::1]:0", r"\[::1\]"), ("127.0.0.2:0", r"127\.0\.0\.2")):
            daemon = self.start(listen=listen)
            self.assertRegex(daemon.address, rf"^{host}:\d+$")
            client = wire.Client(daemon.address.replace("localhost", "127.0.0.1"))  # Not every machine has /etc/hosts.
            self.addCleanup(client.close)
            client.create("here")
            client.delete("here")
            self.assertEqual(daemon.terminate(), 0)

    def test_a_port_in_use(self):
        daemon = self.start()

        self.assert_refuses(rf"cannot listen on {daemon.address}: it is in use$", listen=daemon.address,
                            data=f"{self.folder.name}/other")

        self.assertFalse(os.path.exists(f"{self.folder.name}/other"))
        self.client.create("still-there")

    @unittest.skipUnless(os.geteuid() == 0, "takes another user's place")
    def test_a_port_that_is_for_others(self):
        """As an ordinary user, if the system keeps low ports from those at all."""
        if int(pathlib.Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text()) <= 80:
            self.skipTest("low ports are for everybody here")

        self.assert_refuses_nobody("cannot listen on 127.0.0.1:80: permission denied", listen="127.0.0.1:80")

    def test_no_data_folder_is_bad_usage(self):
        ended = subprocess.run([os.environ["WHARFD"]], capture_output=True, text=True, timeout=wire.TIMEOUT, check=False)

        self.assertEqual(ended.returncode, 2)
        self.assertIn("--data is required", ended.stderr)

    def test_the_wrong_option_is_named(self):
        ended = subprocess.run([os.environ["WHARFD"], "--bogus"], capture_output=True, text=True, timeout=wire.TIMEOUT,
                               check=False)

        self.assertEqual(ended.returncode, 2)
        self.assertIn("--bogus", ended.stderr)
        self.assertNotIn("--data", ended.stderr)

    def test_the_version(self):
        ended = subprocess.run([os.environ["WHARFD"], "--version"], capture_output=True, text=True,
                               timeout=wire.TIMEOUT, check=False)

        self.assertEqual(ended.returncode, 0)
        self.assertRegex(ended.stdout, r"^wharfd \d+\.\d+\.\d+\n$")
        daemon = self.start()
        version = ended.stdout.split()[1]
        self.assertIn(f" version={version} data={self.data} queues=0", daemon.log[-1])
        self.assertEqual(self.client.statistics().version, version)


class DescriptorsTest(daemon_test.DaemonTest):

    def with_limit(self, count):
        return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))}

    def test_too_few_descriptors(self):
        ended = subprocess.run([os.environ["WHARFD"], "--data", self.data, "--listen", "127.0.0.1:0"],
                               stderr=subprocess.PIPE, text=True, timeout=wire.TIMEOUT, check=False,
                               **self.with_limit(30))

        self.assert_sentence(ended.returncode, ended.stderr.splitlines(), "30 descriptors are too few.*ulimit -n")
        self.assertFalse(os.path.exists(self.data))

    def test_the_limit_is_raised_as_far_as_it_may(self):
        daemon = self.start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (50, 4096)))

        self.assertEqual(daemon.limit("Max open files"), "4096")
        self.assertNotIn("descriptors", "".join(daemon.log))

    def test_clients_beyond_the_limit_are_turned_away_and_others_served(self):
        daemon = self.start(**self.with_limit(80))
        self.assertIn("only 80 descriptors", "".join(daemon.log))
        self.client.create("orders")
        host, port = daemon.address.rsplit(":", 1)

        plugs = [socket.create_connection((host, int(port)), wire.TIMEOUT) for _ in range(200)]
        plugs[-1].settimeout(wire.TIMEOUT)
        try:
            self.assertEqual(plugs[-1].recv(1), b"")
        except ConnectionResetError:
            pass
        self.client.send("orders", *[bytes(100_000)] * 10)  # Those who are there are served, and files opened.
        for plug in plugs:
            plug.close()

        daemon_test.wait_for(lambda: self.connect(daemon).get("orders"), grpc.RpcError)
        self.assertEqual(daemon.terminate(), 0)
        warnings = [line for line in daemon.log if "turned away" in line]
        self.assertEqual(len(warnings), 1)
        self.assertRegex(warnings[0], "warning a client is turned away: .*ulimit -n or LimitNOFILE")


class FolderTest(daemon_test.DaemonTest):

    def fill(self):
        """A data folder of a broker that was killed with a thousand messages in its log."""
        daemon = self.start()
        self.client.create("orders")
        for number in range(10):
            self.client.send("orders", *[b"%d" % number * 100] * 100)
        daemon.kill()

    def file(self, pattern):
        """The only file of this name that has something in it."""
        (name,) = [name for name in glob.glob(f"{self.data}/{pattern}") if os.path.getsize(name) > 0]
        return pathlib.Path(name)

    def flip(self, file, at):
        content = bytearray(file.read_bytes())
        content[at] ^= 1
        file.write_bytes(content)

    def test_a_folder_in_use(self):  # reliability 25
        self.start()
        self.client.create("orders")

        self.assert_refuses(f"{self.data} is in use by another wharfd$")

        self.assertEqual(self.client.send("orders", b"x")[0].sequence_number, 1)

    def test_a_folder_of_a_newer_format(self):
        daemon = self.start()
        self.assertEqual(daemon.terminate(), 0)
        subprocess.run([os.environ["SET_FORMAT"], self.data, "99"], check=True, timeout=wire.TIMEOUT)

        self.assert_refuses(f"the data folder {self.data} has format 99, and this wharfd reads formats 2 to 7; "
                            "start a newer wharfd$")

    def test_a_folder_of_the_format_before(self):
        """It is read, and becomes one of this format before anything is written, so that an older wharfd refuses it."""
        daemon = self.start()
        self.client.create("orders")
        self.client.send("orders", b"x")
        self.assertEqual(daemon.terminate(), 0)
        subprocess.run([os.environ["SET_FORMAT"], self.data, "2"], check=True, timeout=wire.TIMEOUT)

        daemon = self.start()
        self.assertEqual(self.client.receive("orders")[0].message.body, b"x")
        self.assertEqual(daemon.terminate(), 0)
        said = "the data folder has format 7 from now on; an older wharfd refuses it"
        self.assertEqual("".join(daemon.log).count(said), 1)

        daemon = self.start()
        self.assertEqual(daemon.terminate(), 0)
        self.assertNotIn(said, "".join(daemon.log))

    def test_a_folder_of_an_older_format(self):
        """There is no way from the first format to this one, and nobody has used it."""
        daemon = self.start()
        self.assertEqual(daemon.terminate(), 0)
        subprocess.run([os.environ["SET_FORMAT"], self.data, "1"], check=True, timeout=wire.TIMEOUT)

        self.assert_refuses(f"the data folder {self.data} has format 1, and this wharfd reads formats 2 to 7; "
                            "let the wharfd that wrote it deliver what is in it, and name an empty folder here$")

    def test_a_folder_that_cannot_be_made(self):
        file = pathlib.Path(f"{self.folder.name}/file")
        file.write_text("not a folder")

        self.assert_refuses(f"cannot use {file}: it is a file, not a folder$", data=str(file))
        self.assert_refuses(f"cannot make {file}/data: {file} is no folder$", data=f"{file}/data")
        self.assert_refuses("cannot make /proc/wharf.*", data="/proc/wharf")
        self.assertEqual(file.read_text(), "not a folder")

    def test_a_name_that_the_shell_left_alone(self):
        self.assert_refuses("--data ~/x was not expanded by the shell", data="~/x")
        self.assertFalse(os.path.exists("~"))

    def test_a_folder_that_lies_nowhere(self):
        """A typing error, or a disk that is not mounted."""
        self.assert_refuses(f"there is no folder {self.folder.name}/disk; make it first, or mount its disk$",
                            data=f"{self.folder.name}/disk/data")
        self.assertFalse(os.path.exists(f"{self.folder.name}/disk"))

    def test_a_folder_of_others(self):
        os.mkdir(self.data, 0o700)
        letter = pathlib.Path(f"{self.data}/letter.txt")
        letter.write_text("Dear")

        self.assert_refuses(f"{self.data} has files that are not wharfd's, letter.txt for one")

        self.assertEqual(os.listdir(self.data), ["letter.txt"])
        letter.unlink()
        os.mkdir(f"{self.data}/lost+found")  # As a disk of its own has.
        self.start()

    def test_a_folder_in_which_a_first_start_was_cut_off(self):
        os.mkdir(self.data, 0o700)
        for name in ("LOCK", "LOG", "IDENTITY", "MANIFEST-000001", "000001.dbtmp"):
            pathlib.Path(f"{self.data}/{name}").touch()

        self.start()

    @unittest.skipUnless(os.geteuid() == 0, "takes another user's place")
    def test_a_folder_of_another_user(self):
        self.assertEqual(self.start().terminate(), 0)

        self.assert_refuses_nobody(f"cannot use {self.data}: permission denied$")
        os.chmod(self.data, 0o777)
        self.assert_refuses_nobody(f"cannot use {self.data}: permission denied; its files belong to another user$")

    def test_a_new_folder_is_private_and_told(self):
        daemon = self.start(umask=0)
        self.client.create("orders")
        self.client.send("orders", b"x")

        self.assertIn(f"info new data folder {self.data}\n", "".join(daemon.log))
        self.assertEqual(os.stat(self.data).st_mode & 0o777, 0o700)
        for name in os.listdir(self.data):
            self.assertEqual(os.stat(f"{self.data}/{name}").st_mode & 0o077, 0, name)
        self.assertEqual(daemon.terminate(), 0)
        daemon = self.start()
        self.assertNotIn("new data folder", "".join(daemon.log))

    def test_a_folder_that_others_may_read(self):
        os.mkdir(self.data)
        os.chmod(self.data, 0o755)

        said = "".join(self.start().log)

        self.assertRegex(said, f"warning others can read the messages in {self.data}: its mode is 755")

    def test_a_log_that_is_damaged_before_its_end(self):  # reliability 21
        self.fill()
        log = self.file("batches/*.segment")
        self.flip(log, os.path.getsize(log) // 2)

        said = self.assert_refuses(r"is damaged at offset \d+.*; restore the folder from a backup$")

        self.assertIn(str(log), said)
        self.assert_refuses("damaged")  # Nor the next time.

    def test_a_log_that_is_torn_at_its_end_is_no_damage(self):  # reliability 10
        self.fill()
        log = self.file("batches/*.segment")
        self.flip(log, os.path.getsize(log) - 1)

        daemon = self.start()

        self.assertEqual(len(daemon_test.stored(self.client, "orders")), 900)
        self.assertRegex("".join(daemon.log), "was torn at offset .* what stands behind is dropped")

    def test_a_log_that_is_gone(self):  # reliability 22
        self.fill()
        os.remove(self.file("batches/*.segment"))

        for _ in range(2):
            self.assert_refuses(f"{self.data}/batches has no log; restore the folder from a backup$")

    def test_a_log_that_is_gone_after_a_clean_stop(self):  # reliability 22
        daemon = self.start()
        self.assertEqual(daemon.terminate(), 0)
        for log in glob.glob(f"{self.data}/batches/*.segment"):
            os.remove(log)

        self.assert_refuses(f"{self.data}/batches has no log")

    def test_a_damaged_or_missing_manifest(self):  # reliability 21, 22
        self.fill()
        manifest = self.file("MANIFEST-??????")
        content = manifest.read_bytes()
        self.flip(manifest, len(content) // 2)
        self.assert_refuses(".+")
        manifest.write_bytes(content)

        os.rename(manifest, f"{self.folder.name}/elsewhere")
        self.assert_refuses(".+")
        os.rename(f"{self.folder.name}/elsewhere", manifest)

        current = self.file("CURRENT")
        os.rename(current, f"{self.folder.name}/elsewhere")
        self.assert_refuses("its file CURRENT is missing; restore the folder from a backup$")
        current.write_text("nonsense")
        self.assert_refuses(".+")
        os.replace(f"{self.folder.name}/elsewhere", current)

        self.start()
        self.assertEqual(len(daemon_test.stored(self.client, "orders")), 1000)


if __name__ == "__main__":
    unittest.main()
