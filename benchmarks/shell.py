"""Measure the shell front half of the launcher: what it costs beside bare bash and beside torchrun.

    .venv/bin/python benchmarks/shell.py [--repeats 20] [--nodes 1000]

Prints a table of medians: seconds by the clock and CPU seconds of each command and its children. The launches are
real up to the start of training, for which a recorder stands in the place of the interpreter; the check of the
experiment is measured with the real interpreter, in the dry run. With strace on PATH it also counts the files that a
node opens.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CLI = str(ROOT / "primus-cli")
CONFIG = str(ROOT / "examples/torchtitan/configs/cpu/llama3_debug-pretrain.yaml")
RECORDER = str(ROOT / "tests/runner/bin/recorder-python")
TRAIN = ["--", "train", "pretrain", "--config", CONFIG]
HOOKS = 100


def main() -> int:
    """Run all measurements and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=20, help="runs of each command")
    parser.add_argument("--nodes", type=int, default=1000, help="simulated nodes of one job")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(options.repeats, options.nodes, Path(folder))
    return 0


def measure(repeats: int, nodes: int, folder: Path) -> None:
    """Print every row of the table.

    Args:
        repeats: Runs of each command.
        nodes: Simulated nodes of one job.
        folder: For records and hooks.
    """
    real = {**os.environ, "PRIMUS_PYTHON": sys.executable}
    recorded = {
        **os.environ,
        "PRIMUS_PYTHON": RECORDER,
        "TEST_PYTHON": sys.executable,
        "RECORDS": str(folder),
        "PRIMUS_RUN_ID": "benchmark",
    }
    print("| what | seconds | CPU seconds |\n|---|---:|---:|")
    row("bash -c :", ["bash", "-c", ":"], real, repeats)
    row("primus-cli --version", [CLI, "--version"], real, repeats)
    row("primus-cli --help", [CLI, "--help"], real, repeats)
    row("primus-cli direct --help", [CLI, "direct", "--help"], real, repeats)
    row("dry run without its Python", [CLI, "direct", "--dry-run", *TRAIN], recorded, repeats)
    row("dry run", [CLI, "direct", "--dry-run", *TRAIN], real, repeats)
    row("launch without its Python", [CLI, "direct", *TRAIN], recorded, repeats)
    hooks = folder / "hooks"
    hooks.mkdir()
    for number in range(HOOKS):
        (hooks / f"{number:03d}.sh").write_text("echo env.A=1\n")
    with_hooks = {**recorded, "PRIMUS_HOOKS_PATH": str(hooks)}
    row(f"the same with {HOOKS} hooks", [CLI, "direct", *TRAIN], with_hooks, max(1, repeats // 5))
    torchrun = shutil.which("torchrun", path=str(Path(sys.executable).parent))
    if torchrun:
        row("torchrun --help", [torchrun, "--help"], real, max(1, repeats // 10))
    many_nodes(nodes, recorded)
    files_opened(real, folder)


def row(name: str, command: list[str], env: dict[str, str], repeats: int) -> None:
    """Print one row.

    Args:
        name: What is measured.
        command: Its argument list.
        env: Its environment.
        repeats: How often it runs.
    """

    def run() -> None:
        subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

    samples = [timed(run) for _ in range(repeats)]
    clock, cpu = (statistics.median(column) for column in zip(*samples, strict=True))
    print(f"| {name} | {clock:.3f} | {cpu:.3f} |", flush=True)


def timed(action: Callable[[], None]) -> tuple[float, float]:
    """Return the seconds that an action took by the clock, and of CPU in children.

    Args:
        action: What to do.
    """
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    action()
    clock, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def many_nodes(nodes: int, env: dict[str, str]) -> None:
    """Print the CPU seconds that a node of one job costs, for the first and the last tenth of the nodes.

    Args:
        nodes: How many, one after the other.
        env: Environment of each.
    """

    def node(rank: int) -> Callable[[], None]:
        command = [
            CLI,
            "direct",
            "--nnodes",
            str(nodes),
            "--node-rank",
            str(rank),
            "--master-addr",
            "localhost",
            *TRAIN,
        ]

        def run() -> None:
            subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

        return run

    # Rank 0 also looks at its port and names, the others do not.
    costs = [timed(node(rank))[1] for rank in range(1, nodes)]
    tenth = max(1, len(costs) // 10)
    print(f"| each of the first {tenth} of {nodes} nodes of one job | | {statistics.median(costs[:tenth]):.3f} |")
    print(f"| each of the last {tenth} | | {statistics.median(costs[-tenth:]):.3f} |", flush=True)


def files_opened(env: dict[str, str], folder: Path) -> None:
    """Print how many files the launcher and its check open.

    Args:
        env: Environment of the launch.
        folder: For the trace.
    """
    strace = shutil.which("strace")
    if not strace:
        print("\nstrace is not on PATH: files are not counted")
        return
    trace = folder / "trace"
    command = [strace, "-f", "-e", "trace=openat", "-o", str(trace), CLI, "direct", "--dry-run", *TRAIN]
    subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    opened = re.findall(r'openat\([^"]*"([^"]+)"[^\n]* = \d+', trace.read_text())
    project = {os.path.normpath(name) for name in opened if name.startswith(str(ROOT)) and "site-packages" not in name}
    shell = {name for name in project if not name.endswith((".py", ".pyc"))}
    print(f"\nfiles of the project that one node opens: {len(project)}, of them read by bash: {len(shell)}")


if __name__ == "__main__":
    sys.exit(main())
