"""A podman of the tests' own: configuration, storage and an image from this host's files, all in one folder."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

PACKAGES = "podman crun runc catatonit fuse-overlayfs"
INSTALL = f"apt-get install -y --no-install-recommends {PACKAGES}"
# What primus-cli needs of an image.
PROGRAMS = (
    "awk bash cat cut date df env flock grep head hostname id ls mkdir mktemp mv nproc ps readlink rm seq sleep sort "
    "stat tail tee timeout touch tr true uname"
)
LABEL = "primus.launcher"


def missing() -> str:
    """Return why podman cannot be used here, with the command that mends it; empty where it can."""
    if os.getuid() != 0:
        return "podman with storage of its own needs root here"
    absent = [name for name in ("podman", "runc", "conmon") if shutil.which(name) is None]
    return f"{absent[0]} is not installed: {INSTALL}" if absent else ""


@dataclass
class Podman:
    """A podman with its own storage.

    Attributes:
        folder: What it keeps everything in.
        environ: Variables that make a client use it.
    """

    folder: Path
    environ: dict[str, str]

    def __call__(self, *args: str, check: bool = True) -> str:
        """Run podman and return what it prints.

        Args:
            args: Its arguments.
            check: Raise for a status that is not 0.
        """
        command = ["podman", *args]
        environ = {**os.environ, **self.environ}
        done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, check=False)
        if check and done.returncode:
            raise RuntimeError(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def containers(self) -> list[str]:
        """Return the names of all containers, stopped ones too."""
        return self("ps", "--all", "--format", "{{.Names}}").split()

    def remove_all(self) -> None:
        """End and remove every container of this storage."""
        for name in self.containers():
            self("kill", name, check=False)
            self("rm", "--force", "--time", "0", name, check=False)

    def stop(self) -> None:
        """Remove everything, mounts included."""
        self.remove_all()
        self("system", "reset", "--force", check=False)
        mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
        for mount in sorted((m for m in mounts if m.startswith(f"{self.folder}/")), reverse=True):
            subprocess.run(["umount", "--lazy", mount], check=False)


def start(folder: Path) -> Podman:
    """Set up a podman.

    Args:
        folder: An empty folder on a real disk; overlays cannot lie on one another.
    """
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    processes = min(
        resource.getrlimit(resource.RLIMIT_NPROC)[1] % (1 << 63), int(Path("/proc/sys/kernel/pid_max").read_text())
    )
    configuration = folder / "containers.conf"
    configuration.write_text(
        "[containers]\n"
        f'default_ulimits = ["nofile={files}:{files}", "nproc={processes}:{processes}"]\n'
        'netns = "host"\nlog_driver = "k8s-file"\n'
        '[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n'
    )
    storage = folder / "storage.conf"
    storage.write_text(f'[storage]\ndriver = "overlay"\ngraphroot = "{folder}/graph"\nrunroot = "{folder}/run"\n')
    environ = {"CONTAINERS_CONF": str(configuration), "CONTAINERS_STORAGE_CONF": str(storage)}
    return Podman(folder, environ)


def import_image(podman: Podman, name: str, *, variables: dict[str, str] | None = None, shell: bool = True) -> str:
    """Make an image of this host's shell and a few tools, and return its name.

    Args:
        podman: Where it goes.
        name: Its name.
        variables: Environment of the image.
        shell: Without it, the image has no bash.
    """
    archive = podman.folder / f"{name}.tar"
    programs = [path for path in map(shutil.which, PROGRAMS.split()) if path] if shell else []
    files = {Path(path) for path in programs}
    for program in [*programs, os.path.realpath(sys.executable)] if shell else []:
        listing = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
        files |= {Path(found) for found in re.findall(r"(/\S+) \(0x", listing)}
    passwd = podman.folder / "passwd"
    passwd.write_text("root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/:/bin/bash\n")
    with tarfile.open(archive, "w") as tar:
        for file in sorted(files):
            # Merged /usr: the image has real folders in the place of the links /bin and /lib.
            for place in {str(file), str(file).removeprefix("/usr")}:
                tar.add(file.resolve(), place, recursive=False)
        tar.add(passwd, "/etc/passwd")
        entry = tarfile.TarInfo("/tmp")
        entry.type, entry.mode = tarfile.DIRTYPE, 0o1777
        tar.addfile(entry)
    changes = [word for key, value in (variables or {}).items() for word in ("--change", f"ENV {key}={value}")]
    podman("import", *changes, str(archive), name)
    archive.unlink()
    return name
