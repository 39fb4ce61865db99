"""A real Slurm on this machine: a login host and nodes, each with its own network, host name and /tmp.

By hand, as root: ``python tests/cluster/slurm_cluster.py shell`` opens a shell on the login host and stops everything
when that ends. Daemons and jobs live in a PID namespace of their own: ending its first process ends them all.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = ("slurmctld", "slurmd", "srun", "munged", "ip", "unshare", "nsenter", "setpriv")
INSTALL = "apt-get install -y --no-install-recommends slurmctld slurmd slurm-client munge iproute2"
START_SECONDS = 30
GPUS = 8

SLURM_CONF = """\
ClusterName=primus
SlurmctldHost=login(10.213.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={base}/munge/socket,cred_expire=5
StateSaveLocation={base}/state
SlurmdSpoolDir={base}/%n/spool
SlurmctldPidFile={base}/slurmctld.pid
SlurmdPidFile={base}/%n/slurmd.pid
SlurmctldLogFile={base}/slurmctld.log
SlurmdLogFile={base}/%n/slurmd.log
SlurmctldDebug=info
SlurmdDebug=info
ProctrackType={proctrack}
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={base}/jobcomp
MpiDefault=none
GresTypes=gpu
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000,sched_interval=1,builtin_interval=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmctldParameters=preempt_send_user_signal
ReturnToService=2
KillWait=6
MessageTimeout=5
SlurmdTimeout=5
SlurmdParameters=config_overrides
NodeName={names} CPUs=8 RealMemory=4096 Gres=gpu:{gpus} State=UNKNOWN
PartitionName=batch Nodes={names} Default=YES PriorityTier=1 GraceTime=10
PartitionName=urgent Nodes={names} PriorityTier=10 PreemptMode=OFF
"""


def missing() -> str:
    """Return why no cluster can be started here, empty when one can."""
    if os.geteuid() != 0:
        return "starting a Slurm cluster needs root: sudo make test"
    absent = [name for name in PROGRAMS if not shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")]
    if absent:
        return f"no {', '.join(absent)} on this machine: {INSTALL}"
    trial = subprocess.run(["unshare", "--mount", "--net", "--uts", "--pid", "--fork", "true"], capture_output=True)
    return "" if trial.returncode == 0 else "this machine allows no namespaces: run the tests outside of a container"


@dataclass
class Cluster:
    """A running cluster; use as a context manager.

    Attributes:
        nodes: Number of nodes, named node1, node2, ...
        base: Configuration, logs and state.
        shared: The folder that login host and nodes have in common, as a cluster's shared file system.
        visible: Folders below /tmp that nodes see in spite of their own /tmp.
    """

    nodes: int = 4
    visible: tuple[Path, ...] = ()
    base: Path = field(init=False)
    shared: Path = field(init=False)
    _process: subprocess.Popen[bytes] | None = field(init=False, default=None)
    _restarted: list[subprocess.Popen[bytes]] = field(init=False, default_factory=list)

    def __enter__(self) -> Cluster:
        # munge refuses a socket below a folder that everybody may write to, and nodes have their own /tmp.
        self.base = Path(tempfile.mkdtemp(prefix="primus-cluster-", dir="/var/tmp"))
        self.shared = self.base / "shared"
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        for process in self._restarted:
            process.wait()
        self._remove_cgroups()
        shutil.rmtree(self.base, ignore_errors=True)

    def command(self, *argv: str, host: str = "login", cwd: Path | None = None) -> list[str]:
        """Return the argument list that runs a command on the login host or on a node.

        The process stays the caller's child, so that its pid and signals are its own.
        """
        assert self._process is not None
        pid = self._process.pid if host == "login" else self.daemon(host)
        folder = cwd or self.shared
        return [
            shutil.which("nsenter") or "nsenter",
            f"--target={pid}",
            "--mount",
            "--net",
            "--uts",
            f"--wdns={folder}",
            "--",
            *argv,
        ]

    def environ(self) -> dict[str, str]:
        """Return what a user of the cluster has in the environment beside their own variables."""
        return {"SLURM_CONF": str(self.base / "slurm.conf"), "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}

    def run(self, *argv: str, host: str = "login", cwd: Path | None = None) -> str:
        """Run a command to its end and return its standard output."""
        return subprocess.run(
            self.command(*argv, host=host, cwd=cwd),
            env={**os.environ, **self.environ()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            check=True,
            text=True,
            timeout=60,
        ).stdout

    def daemon(self, node: str) -> int:
        """Return the process id of a node's slurmd, as this machine counts."""
        wanted = f"slurmd\0-D\0-c\0-N\0{node}\0".encode()
        return next(pid for pid in self.processes() if _read(f"/proc/{pid}/cmdline") == wanted)

    def processes(self) -> list[int]:
        """Return the process ids of the daemons and of every job's processes, as this machine counts."""
        space = os.readlink(f"/proc/{self._first()}/ns/pid")
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(entry / "ns/pid") == space:
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def _first(self) -> str:
        """Return the first process of the daemons' PID namespace."""
        assert self._process is not None
        pid = str(self._process.pid)
        for _ in ("unshare", "daemons.sh"):
            pid = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0]
        return pid

    def restart(self, node: str) -> None:
        """Start a node's slurmd again, after it was killed, and wait until Slurm uses the node."""
        command = ["nsenter", f"--target={self._first()}", "--all", "unshare", "--mount", "--net", "--uts"]
        command += ["bash", str(HERE / "node.sh"), str(self.base), node, *map(str, self.visible)]
        with (self.base / "cluster.log").open("ab") as log:
            process = subprocess.Popen(
                command,
                env={**os.environ, **self.environ()},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._restarted.append(process)
        end = time.monotonic() + START_SECONDS
        while self.run("sinfo", "-h", "-n", node, "-p", "batch", "-o", "%t").strip() not in ("idle", "mix", "alloc"):
            if time.monotonic() > end:
                raise RuntimeError(f"{node} did not come back")
            time.sleep(0.1)

    def _start(self) -> None:
        cgroup = Path("/sys/fs/cgroup/freezer")
        self._write_configuration(tracks=cgroup.is_dir())
        log = self.base / "cluster.log"
        with log.open("wb") as output:
            # Without parent the cluster ends: nothing is left behind by a killed test run.
            self._process = subprocess.Popen(
                [
                    *("setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--net", "--uts", "bash"),
                    *(str(HERE / "login.sh"), str(self.base), str(self.nodes), *map(str, self.visible)),
                ],
                env={**os.environ, **self.environ()},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        end = time.monotonic() + START_SECONDS
        while not (self.base / "ready").exists():
            if self._process.poll() is not None or time.monotonic() > end:
                logs = [log, self.base / "slurmctld.log"]
                tails = "".join(f"{file}:\n{file.read_text()[-3000:]}\n" for file in logs if file.exists())
                raise RuntimeError(f"the Slurm cluster did not start\n{tails}")
            time.sleep(0.02)

    def _write_configuration(self, tracks: bool) -> None:
        base = self.base
        names = [f"node{number}" for number in range(1, self.nodes + 1)]
        # Nodes are no root-only place: the daemons' own folders are.
        for folder in ("shared", "munge", "state", *names, *(f"{name}/spool" for name in names)):
            (base / folder).mkdir(mode=0o755)
        base.chmod(0o755)
        settings = {
            "base": base,
            "names": f"node[1-{self.nodes}]",
            "gpus": GPUS,
            "proctrack": "proctrack/cgroup" if tracks else "proctrack/linuxproc",
        }
        (base / "slurm.conf").write_text(SLURM_CONF.format(**settings))
        # Any device files do: jobs get their numbers, no one opens them.
        (base / "gres.conf").write_text(f"Name=gpu File=/dev/tty[1-{GPUS}]\n")
        (base / "cgroup.conf").write_text(
            f"CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nCgroupMountpoint={base}/cgroup\n" if tracks else ""
        )
        hosts = ["127.0.0.1 localhost", "10.213.0.1 login", "::ffff:10.213.0.1 login"]
        for number, name in enumerate(names):
            address = f"10.213.{1 + number // 200}.{1 + number % 200}"
            # torch asks for the names of IPv4 addresses in their IPv6 form.
            hosts += [f"{address} {name}", f"::ffff:{address} {name}"]
        (base / "hosts").write_text("\n".join(hosts) + "\n")
        key = base / "munge/key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)

    def _remove_cgroups(self) -> None:
        folder = Path("/sys/fs/cgroup/freezer") / self.base.name
        end = time.monotonic() + 5
        while folder.is_dir() and time.monotonic() < end:
            for path in sorted(folder.glob("**/"), reverse=True):
                try:
                    path.rmdir()
                except OSError:
                    time.sleep(0.02)


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def main() -> int:
    """Run the command line's command on the login host, or a shell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("action", choices=["shell", "run"])
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("argv", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    problem = missing()
    if problem:
        sys.stderr.write(f"{problem}\n")
        return 3
    with Cluster(options.nodes, needed_below_tmp()) as cluster:
        argv = options.argv or [os.environ.get("SHELL") or "bash", "-i"]
        sys.stderr.write(f"{cluster.nodes} nodes; shared folder: {cluster.shared}\n")
        environ = {**os.environ, **cluster.environ()}
        return subprocess.call(cluster.command(*argv, cwd=Path.cwd()), env=environ)


def needed_below_tmp() -> tuple[Path, ...]:
    """Return what nodes must see below /tmp: this project and this interpreter, where they lie there."""
    wanted = {ROOT, Path(sys.prefix), Path(sys.base_prefix)}
    return tuple(path for path in sorted(wanted) if path.is_relative_to("/tmp"))


if __name__ == "__main__":
    sys.exit(main())
