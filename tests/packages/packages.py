"""packages: the Debian packages of this tree, made once and unpacked once."""

import pathlib
import shutil
import subprocess
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def run(*command, **options):
    """What it printed; it must succeed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


class Packages:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="wharf-packages-"))
        made = run(REPOSITORY / "tools/package", self.folder / "made").splitlines()
        self.files = {pathlib.Path(line).name.split("_")[0]: line for line in made if line.endswith(".deb")}
        for name, file in self.files.items():
            run("dpkg-deb", "--raw-extract", file, self.root(name))

    def root(self, name):
        """Of the unpacked package, with its control files in DEBIAN."""
        return self.folder / name

    def paths(self, name):
        root = self.root(name)
        return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}

    def control(self, name, field):
        return run("dpkg-deb", "--field", self.files[name], field).strip()

    def remove(self):
        shutil.rmtree(self.folder)
