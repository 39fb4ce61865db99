"""Measure `primus-cli slurm srun` beside bare `srun torchrun`, on a Slurm cluster that is started on this machine.

    sudo .venv/bin/python benchmarks/slurm.py [--pairs 7] [--nodes 8 16 32] [--write]

First table: seconds from the command to the trainer's first line on two nodes, median of interleaved pairs. Second
table: CPU seconds that the launcher takes on each node before the training program, for growing numbers of nodes.
With --write both replace the ones in docs/performance.md.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from tests.cluster.slurm_cluster import Cluster, missing, needed_below_tmp  # noqa: E402

CONFIG = "examples/dummy/configs/dummy_8B-pretrain.yaml"
TRAIN = ("train", "pretrain", "--config", CONFIG)
STARTED = "plain line of rank 0"
PORT = 23456
MARKS = ("<!-- slurm:begin -->", "<!-- slurm:end -->")
USAGE = """\
import resource
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print("cpu", sum(one.ru_utime + one.ru_stime for one in used))
"""


def main() -> int:
    """Run both measurements and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--nodes", type=int, nargs="*", default=[8, 16, 32])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    problem = missing()
    if problem:
        sys.stderr.write(f"{problem}\n")
        return 3
    with Cluster(max([4, *options.nodes]), needed_below_tmp()) as cluster:
        checkout(cluster)
        tables = f"{start_up(cluster, options.pairs)}\n{share(cluster, options.nodes)}"
    sys.stdout.write(tables)
    if options.write:
        write(tables)
    return 0


def checkout(cluster: Cluster) -> None:
    """Copy the product and the dummy backend to the cluster's shared folder."""
    for part in ("primus-cli", "VERSION", "runner", "primus"):
        target = cluster.shared / part
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(ROOT / part, target)
    shutil.copytree(ROOT / "tests/fixtures/dummy", cluster.shared, dirs_exist_ok=True)
    (cluster.shared / "usage.py").write_text(USAGE)


def run(cluster: Cluster, *argv: str) -> tuple[float, list[str]]:
    """Run a command on the login host; return the seconds to the trainer's first line, and all lines."""
    environ = {**os.environ, **cluster.environ(), "PRIMUS_PYTHON": sys.executable, "OMP_NUM_THREADS": "1"}
    environ["PYTHONPATH"] = str(cluster.shared)
    began = time.perf_counter()
    process = subprocess.Popen(
        cluster.command(*argv), env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    first, lines = 0.0, []
    for line in process.stdout:
        lines.append(line)
        if STARTED in line and not first:
            first = time.perf_counter() - began
    if process.wait():
        sys.exit(f"{' '.join(argv)} ended with {process.returncode}\n{''.join(lines[-40:])}")
    return first, lines


def start_up(cluster: Cluster, pairs: int) -> str:
    """Return the table of start-up times on two nodes."""
    torchrun = (
        f"exec {sys.executable} -m torch.distributed.run --nnodes 2 --node_rank $SLURM_NODEID --nproc_per_node 1 "
        f"--master_addr node1 --master_port {PORT} -m primus.run {' '.join(TRAIN)}"
    )
    flags = ("slurm", "srun", "-w", "node1,node2", "-N2")
    arms = {
        "srun torchrun": ("srun", "-w", "node1,node2", "-N2", "--ntasks-per-node=1", "bash", "-c", torchrun),
        "primus-cli slurm srun": ("./primus-cli", *flags, "--", "direct", "--nproc", "1", "--", *TRAIN),
    }
    seconds: dict[str, list[float]] = {name: [] for name in arms}
    for command in arms.values():
        run(cluster, *command)
    for number in range(pairs):
        for name in sorted(arms, reverse=bool(number % 2)):
            seconds[name].append(run(cluster, *arms[name])[0])
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    bare, ours = medians["srun torchrun"], medians["primus-cli slurm srun"]
    differences = [b - a for a, b in zip(*seconds.values(), strict=True)]
    return (
        f"| Two nodes, {pairs} pairs | seconds to the trainer's first line |\n| --- | --- |\n"
        f"| `srun torchrun` | {bare:.2f} |\n| `primus-cli slurm srun` | {ours:.2f} |\n"
        f"| median of the pairs' differences | {statistics.median(differences):+.2f} |\n"
    )


def share(cluster: Cluster, numbers: list[int]) -> str:
    """Return the table of the launcher's CPU time on each node."""
    rows = []
    for nodes in numbers:
        bare = ("srun", f"-N{nodes}", "--ntasks-per-node=1", sys.executable, "usage.py")
        options = ("direct", "--single", "--script", "usage.py", "--", *TRAIN)
        ours = ("./primus-cli", "slurm", "srun", f"-N{nodes}", "--", *options)
        used = []
        for command in (bare, ours):
            found = [float(value) for value in re.findall(r"^cpu ([\d.]+)$", "".join(run(cluster, *command)[1]), re.M)]
            if len(found) != nodes:
                sys.exit(f"{len(found)} of {nodes} nodes answered")
            used.append(statistics.median(found))
        rows.append(f"| {nodes} | {used[1] - used[0]:.2f} |\n")
    return "| Nodes | CPU seconds of the launcher on each |\n| --- | --- |\n" + "".join(rows)


def write(tables: str) -> None:
    """Put the tables between their marks in docs/performance.md; at its end the first time."""
    file = ROOT / "docs/performance.md"
    text = file.read_text(encoding="utf-8")
    if MARKS[0] not in text:
        command = "sudo .venv/bin/python benchmarks/slurm.py --write"
        intro = f"Nodes simulated on one machine, by `{command}`."
        text = f"{text.rstrip()}\n\n## Slurm\n\n{intro}\n\n{MARKS[0]}\n{MARKS[1]}\n"
    head, _, rest = text.partition(MARKS[0])
    tail = rest.partition(MARKS[1])[2]
    file.write_text(f"{head}{MARKS[0]}\n{tables}{MARKS[1]}{tail}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
