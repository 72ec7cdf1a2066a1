"""Ports of 127.0.0.1 for daemons that are told theirs, as they must have the same one again after a restart.

They lie below those that the kernel gives to whoever asks for any (ip_local_port_range): one of these may be the end of
somebody's connection in the moment between our look and the daemon's. Between processes of tests a name that the kernel
forgets with its process says whose a port is.
"""

import random
import socket

_FIRST, _LAST = 10_000, 19_999
_claims = []  # Held until this process ends.


def _is_claimed_by_us(port):
    claim = socket.socket(socket.AF_UNIX)
    try:
        claim.bind(f"\0wharf-test-port-{port}")
    except OSError:
        claim.close()
        return False
    _claims.append(claim)
    return True


def _is_free(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port():
    while True:
        port = random.randint(_FIRST, _LAST)
        if _is_claimed_by_us(port) and _is_free(port):
            return port
