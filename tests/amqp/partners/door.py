"""door: the connections of the AMQP door as a program, with queues in memory behind them, for the partners that dial
it; and tokens for it."""

import base64
import hashlib
import hmac
import os
import subprocess
import tempfile
import time
import urllib.parse

from endpoint import TIME

PARTNER = os.environ["AMQP_DOOR_PARTNER"]
# Of each of its rules (tests/access/sample_rules.h).
KEY = "5lmOWYd5cf9ZlXLCsv5yDgCD8ai2NQdCHXbXp6Tjw2E="


class Door:
    """Runs until the test is over, or it is stopped."""

    def __init__(self, test):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self._process = subprocess.Popen([PARTNER, folder.name + "/ca"], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE)
        test.addCleanup(self.stop)
        plain, tls, self.authority = self._process.stdout.readline().decode().split()
        self.plain, self.tls = int(plain), int(tls)
        self._test = test

    def stop(self):
        if self._process.stdin.closed:
            return
        self._process.stdin.close()
        self._test.assertEqual(self._process.wait(TIME), 0)
        self._process.stdout.close()


def token(uri, rule, key=KEY, seconds=3600):
    resource = urllib.parse.quote(uri, safe="")
    expiry = str(int(time.time()) + seconds)
    signature = base64.b64encode(hmac.digest(key.encode(), f"{resource}\n{expiry}".encode(), hashlib.sha256))
    return (f"SharedAccessSignature sr={resource}&sig={urllib.parse.quote(signature, safe='')}&se={expiry}"
            f"&skn={rule}")
