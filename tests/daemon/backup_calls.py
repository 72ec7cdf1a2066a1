"""backup_calls: the service Backups in words, `wharfd restore`, and certificates to encrypt to, for tests."""

import os
import subprocess
import time

import wire
from wharf.v1 import backups_pb2, backups_pb2_grpc


class BackupCalls:
    """Backups of the daemon behind this channel."""

    def __init__(self, channel):
        self.stub = backups_pb2_grpc.BackupsStub(channel)

    def begin(self, label="", encrypt_to=""):
        return self.stub.Create(backups_pb2.CreateBackupRequest(label=label, encrypt_to=encrypt_to),
                                timeout=wire.TIMEOUT)

    def create(self, label="", encrypt_to=""):
        """The work when it has ended, well or not."""
        return self.end_of(self.begin(label, encrypt_to))

    def verify(self, label):
        return self.end_of(self.stub.Verify(backups_pb2.VerifyBackupRequest(label=label), timeout=wire.TIMEOUT))

    def prune(self, keep):
        return self.end_of(self.stub.Prune(backups_pb2.PruneBackupsRequest(keep=keep), timeout=wire.TIMEOUT))

    def look(self, number=0):
        return self.stub.GetWork(backups_pb2.GetBackupWorkRequest(id=number), timeout=wire.TIMEOUT)

    def end_of(self, work):
        deadline = time.monotonic() + wire.TIMEOUT
        while work.under_way:
            assert time.monotonic() < deadline, work
            time.sleep(0.01)
            work = self.look(work.id)
        return work

    def list(self):
        return list(self.stub.List(backups_pb2.ListBackupsRequest(), timeout=wire.TIMEOUT).backups)

    def labels(self):
        return [backup.label for backup in self.list()]


def restore(backup, data, *flags):
    """`wharfd restore`, when it has ended."""
    return subprocess.run([os.environ["WHARFD"], "restore", backup, data, *flags], capture_output=True, text=True,
                          timeout=wire.TIMEOUT, check=False)


class Somebody:
    """Whoever backups are encrypted to: files with a certificate and its private key, made by openssl."""

    def __init__(self, folder, name, *of_key):
        self.certificate, self.key = f"{folder}/{name}.pem", f"{folder}/{name}.key"
        kind = of_key or ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc")
        made = ("-keyout", self.key) if "-newkey" in kind else ()
        subprocess.run(["openssl", "req", "-x509", *kind, *made, "-out", self.certificate, "-days", "9", "-subj",
                        f"/CN={name}"], check=True, capture_output=True)

    @property
    def pem(self):
        with open(self.certificate, encoding="ascii") as file:
            return file.read()
