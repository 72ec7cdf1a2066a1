"""tree: the files of the repository, as they are now or as they were in a commit."""

import io
import os
import subprocess
import tarfile


def _git(root, *arguments):
    return subprocess.run(["git", *arguments], cwd=root, check=True, stdout=subprocess.PIPE).stdout


def now(root):
    """{path: bytes} of everything that belongs to the repository, or would."""
    paths = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").decode().split("\0")
    files = {}
    for path in sorted({path for path in paths if path and os.path.isfile(os.path.join(root, path))}):
        with open(os.path.join(root, path), "rb") as file:
            files[path] = file.read()
    return files


def at(root, commit):
    """{path: bytes} of a commit; CalledProcessError, when git does not know it."""
    with tarfile.open(fileobj=io.BytesIO(_git(root, "archive", "--format=tar", commit))) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}
