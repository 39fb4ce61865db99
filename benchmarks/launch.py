"""Measure `primus-cli direct` beside TorchTitan's own entry under torchrun: same settings, interleaved pairs.

    .venv/bin/python benchmarks/launch.py [--pairs 5] [--nproc 1] [--steps 60] [--write]

Prints, for each arm, the median of: seconds from the command to the first logged step, steps per second after
it, CPU seconds of all processes together, and the memory of the largest process; then the differences. With
--write the table replaces the one in docs/performance.md.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONFIG = "examples/torchtitan/configs/cpu/llama3_debug-pretrain.yaml"
FIRST_STEP = re.compile(r"step:? +1\b")
ANY_STEP = re.compile(r"step:? +(\d+)\b")


@dataclass(frozen=True)
class Sample:
    """One launch: seconds to the first step, steps per second, CPU seconds, MiB of the largest process."""

    first_step: float
    steps_per_second: float
    cpu: float
    memory: float


def measure(command: list[str], environ: dict[str, str]) -> Sample:
    """Run a command to its end and watch its output for steps."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    steps: list[tuple[int, float]] = []
    output = []
    for line in process.stdout:
        output.append(line)
        found = ANY_STEP.search(re.sub(r"\x1b\[[0-9;]*m", "", line))
        if found and (not steps or int(found[1]) > steps[-1][0]):
            steps.append((int(found[1]), time.perf_counter() - start))
    if process.wait() != 0 or len(steps) < 2 or steps[0][0] != 1:
        sys.exit(f"{shlex.join(command)} ended with {process.returncode}\n{''.join(output[-40:])}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    (first, first_time), (last, last_time) = steps[0], steps[-1]
    return Sample(first_time, (last - first) / (last_time - first_time), cpu, after.ru_maxrss / 1024)


def arms(nproc: int, steps: int, folder: Path) -> dict[str, list[str]]:
    """Return the command of each arm, with the same settings in both."""
    settings = {
        "training.steps": steps,
        "training.dataset": "c4_test",
        "training.seq_len": 64,
        "training.local_batch_size": 2,
        "training.mixed_precision_param": "float32",
        "metrics.log_freq": 1,
        "model.name": "llama3",
        "model.flavor": "debugmodel",
        "lr_scheduler.warmup_steps": 2,
        "activation_checkpoint.mode": "none",
        "optimizer.lr": 2e-3,
        "debug.seed": 0,
    }
    data = prepared_data()
    settings |= {"training.dataset_path": data["training.dataset_path"]}
    settings |= {"model.hf_assets_path": data["model.hf_assets_path"]}
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={nproc}"]
    entry = [f"--{key}={value}" for key, value in settings.items()]
    own = [*torchrun, "benchmarks/torchtitan_entry.py", *entry, f"--job.dump_folder={folder / 'own'}"]
    overrides = [f"{key}={value}" for key, value in settings.items()]
    flags = ["checkpoint.enable=false", f"workspace={folder / 'primus'}"]
    ours = ["./primus-cli", "direct", "--nproc", str(nproc), "--", "train", "pretrain", "--config", CONFIG]
    return {"torchrun torchtitan": own, "primus-cli direct": [*ours, *overrides, *flags]}


def prepared_data() -> dict[str, str]:
    """Prepare the demo's corpus once and return the settings that point to it."""
    hook = ROOT / "runner/helpers/hooks/train/pretrain/torchtitan/prepare.py"
    result = subprocess.run(
        [sys.executable, str(hook), "--config", CONFIG],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    lines = [line.removeprefix("extra.") for line in result.stdout.splitlines() if line.startswith("extra.")]
    return dict(line.split("=", 1) for line in lines)


def table(samples: dict[str, list[Sample]], nproc: int, steps: int) -> str:
    """Return the medians as a Markdown table, with the comparison of pairs below."""
    pairs = len(next(iter(samples.values())))
    rows = [
        f"{nproc} process{'es' if nproc > 1 else ''}, {steps} steps, {pairs} pairs; medians.",
        "",
        "| | first step (s) | steps/s | CPU (s) | largest process (MiB) |",
        "|---|---|---|---|---|",
    ]
    for name, values in samples.items():
        medians = [
            statistics.median(getattr(value, field) for value in values)
            for field in ("first_step", "steps_per_second", "cpu", "memory")
        ]
        rows.append(f"| {name} | {medians[0]:.2f} | {medians[1]:.2f} | {medians[2]:.2f} | {medians[3]:.0f} |")
    own, ours = samples.values()
    both = list(zip(own, ours, strict=True))
    first = statistics.median(our.first_step - other.first_step for other, our in both)
    cpu = statistics.median(our.cpu - other.cpu for other, our in both)
    speed = statistics.median(our.steps_per_second / other.steps_per_second for other, our in both)
    rows += ["", f"Median difference of pairs: first step {first:+.2f} s, CPU {cpu:+.2f} s; speed ratio {speed:.3f}."]
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--nproc", type=int, default=1)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    args = parser.parse_args()
    environ = {**os.environ, "PRIMUS_PYTHON": sys.executable, "HF_HUB_OFFLINE": "1"}
    samples: dict[str, list[Sample]] = {}
    with tempfile.TemporaryDirectory(prefix="primus-bench-") as folder:
        commands = arms(args.nproc, args.steps, Path(folder))
        for number in range(args.pairs):
            # Which arm goes first alternates, so that a drifting machine favours neither.
            order = list(commands) if number % 2 == 0 else list(commands)[::-1]
            for name in order:
                sample = measure(commands[name], environ)
                samples.setdefault(name, []).append(sample)
                print(f"{name}: {sample}", flush=True)
    samples = {name: samples[name] for name in commands}
    result = table(samples, args.nproc, args.steps)
    print(f"\n{result}")
    if args.write:
        page = ROOT / "docs/performance.md"
        start, end = f"<!-- launch {args.nproc} -->\n", f"<!-- end launch {args.nproc} -->"
        text = page.read_text(encoding="utf-8")
        head, rest = text.split(start)
        page.write_text(head + start + result + "\n" + end + rest.split(end)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
