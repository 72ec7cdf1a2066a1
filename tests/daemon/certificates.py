"""Certificates for tests of TLS, made by openssl in a folder of the test."""

import pathlib
import subprocess

NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


def _openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


class Authority:
    """Signs certificates; its own is the file `authority`."""

    def __init__(self, folder, name="authority"):
        self._folder = pathlib.Path(folder)
        self.certificate = self._folder / f"{name}.pem"
        self._key = self._folder / f"{name}.key"
        _openssl("req", "-x509", *NEW_KEY, "-subj", f"/CN={name}", "-days", 60, "-keyout", self._key,
                 "-out", self.certificate)

    def sign(self, name, names="DNS:localhost,IP:127.0.0.1", days=30, subject=None):
        """A certificate and its key; one that has expired for `days` below 0. Its subject is CN=name, or as openssl
        takes it."""
        certificate, key, request = (self._folder / f"{name}.{end}" for end in ("pem", "key", "csr"))
        extensions = self._folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName={names}\n")
        _openssl("req", "-new", "-utf8", *NEW_KEY, "-subj", subject or f"/CN={name}", "-keyout", key, "-out", request)
        _openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self._key, "-CAcreateserial",
                 "-days", days, "-extfile", extensions, "-out", certificate)
        return Identity(certificate, key)


class Identity:

    def __init__(self, certificate, key):
        self.certificate, self.key = certificate, key

    def write_over(self, other):
        """Takes the place of its files, one after the other, as tools that renew certificates do."""
        for mine, theirs in ((self.certificate, other.certificate), (self.key, other.key)):
            fresh = theirs.with_suffix(".new")
            fresh.write_bytes(mine.read_bytes())
            fresh.rename(theirs)
