"""isolation: a network and mounts of one's own, where the machine gives them."""

import fcntl
import os
import pathlib
import socket
import struct
import subprocess
import sys

MARK = "WHARF_DOCUMENTS_ISOLATED"
SIOCSIFFLAGS, IFF_UP, IFF_RUNNING = 0x8914, 0x1, 0x40


def enter():
    """Goes on in namespaces of its own; comes back as it was where there are none."""
    if MARK in os.environ:
        if is_isolated():
            bring_loopback_up()
        return
    command = ["unshare", "--net", "--mount"]
    if os.geteuid() != 0:
        command.append("--map-root-user")
    os.environ[MARK] = "yes"
    if subprocess.run([*command, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
        os.execvp(command[0], [*command, sys.executable, "-B", *sys.argv])
    os.environ[MARK] = ""


def is_isolated():
    return os.environ.get(MARK) == "yes"


def bring_loopback_up():
    """As `ip link set lo up` would, which not every machine has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP | IFF_RUNNING))


def cover(folder, place):
    """What is made in this folder is made for us alone; what is in it stays, seen through `place`, an empty folder."""
    subprocess.run(["mount", "--rbind", folder, place], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
    for entry in pathlib.Path(place).iterdir():
        (pathlib.Path(folder) / entry.name).symlink_to(entry)


def hide(folder):
    """An empty folder in the place of this one, for us alone."""
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
