"""Measure composing: the largest example, beside a bare YAML parse and beside Hydra; then how cost grows.

    .venv/bin/python benchmarks/config.py [--runs 11] [--write]

Each sample is a process of its own, so that imports and first calls count; the arms take turns. Hydra composes the
same layers where it is installed (pip install hydra-core). With --write the tables replace those in
docs/performance.md.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

# Each arm prints milliseconds; {folder} holds the files of the largest example.
ARMS = {
    "yaml.safe_load of the same files": """
import time, pathlib, yaml
files = sorted(pathlib.Path({folder!r}, "layers").glob("*.yaml"))
start = time.perf_counter()
for path in files:
    yaml.safe_load(path.read_text())
print((time.perf_counter() - start) * 1000)
""",
    "yaml.CSafeLoader of the same files": """
import time, pathlib, yaml
files = sorted(pathlib.Path({folder!r}, "layers").glob("*.yaml"))
start = time.perf_counter()
for path in files:
    yaml.load(path.read_text(), yaml.CSafeLoader)
print((time.perf_counter() - start) * 1000)
""",
    "Primus: compose and check": """
import time, yaml
from primus.core.config.experiment import compose_experiment
start = time.perf_counter()
compose_experiment({example!r}, environ={{}}, framework_version={version!r})
print((time.perf_counter() - start) * 1000)
""",
    "Primus: import, compose and check": """
import time, yaml
start = time.perf_counter()
from primus.core.config.experiment import compose_experiment
compose_experiment({example!r}, environ={{}}, framework_version={version!r})
print((time.perf_counter() - start) * 1000)
""",
    "primus-cli config check, whole process": """
import subprocess, sys, time
start = time.perf_counter()
subprocess.run([sys.executable, "-m", "primus.tools.config", "check", {example!r}], check=True, capture_output=True)
print((time.perf_counter() - start) * 1000)
""",
}
HYDRA_ARMS = {
    "Hydra: compose": """
import time, yaml, hydra
from omegaconf import OmegaConf
start = time.perf_counter()
with hydra.initialize_config_dir({folder!r} + "/hydra", version_base=None):
    OmegaConf.to_container(hydra.compose("exp"), resolve=True)
print((time.perf_counter() - start) * 1000)
""",
    "Hydra: import and compose": """
import time, yaml
start = time.perf_counter()
import hydra
from omegaconf import OmegaConf
with hydra.initialize_config_dir({folder!r} + "/hydra", version_base=None):
    OmegaConf.to_container(hydra.compose("exp"), resolve=True)
print((time.perf_counter() - start) * 1000)
""",
}

GROWTH = """
import json, sys, time, yaml
from primus.core.config.experiment import compose_experiment
results = []
for path, overrides in json.loads(sys.argv[1]):
    best = min(_ for _ in [
        (lambda start: (compose_experiment(path, overrides=overrides, environ={}, configs_dir=sys.argv[2]),
                        time.perf_counter() - start)[1])(time.perf_counter())
        for _ in range(7)
    ])
    results.append(best * 1000)
print(json.dumps(results))
"""


def sample(code: str, *arguments: str) -> str:
    """Run a piece of Python in a process of its own and return what it prints."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, *arguments]
    result = subprocess.run(command, env=environ, cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"a sample failed:\n{result.stderr}")
    return result.stdout


def largest_example() -> tuple[str, str]:
    """Return the example with the most keys, and the version to check it against."""
    from primus.core.config.experiment import compose_experiment
    from primus.core.config.nodes import leaves
    from primus.core.config.schema import schema_versions

    version = list(schema_versions("torchtitan"))[-1]
    sizes = {}
    for path in sorted((ROOT / "examples" / "torchtitan").glob("configs/**/*.yaml")):
        experiment = compose_experiment(path, environ={}, framework_version=version)
        sizes[str(path)] = len(list(leaves(experiment.params)))
    return max(sizes, key=lambda name: sizes[name]), version


def write_layers(example: str, folder: Path) -> None:
    """Copy the files that an example is made of, as they are and in Hydra's form."""
    import yaml

    from primus.core.config.experiment import compose_experiment
    from primus.core.config.nodes import MappingNode, history, leaves

    experiment = compose_experiment(example, environ={}, framework_version="0.2.2")
    assert isinstance(experiment.params, MappingNode)
    files = [example]
    for _, node in leaves(experiment.params):
        files += [one.origin.file for one in (node, *history(node)) if one.origin.line]
    layers, hydra = folder / "layers", folder / "hydra"
    layers.mkdir()
    hydra.mkdir()
    names = []
    for number, file in enumerate(dict.fromkeys(reversed(files))):
        text = Path(file).read_text(encoding="utf-8")
        (layers / f"{number}.yaml").write_text(text, encoding="utf-8")
        values = yaml.safe_load(text)
        values.pop("extends", None)
        form = re.sub(r"\$\{(\w+):([^}]*)\}", r"${oc.env:\1,\2}", yaml.safe_dump(values, sort_keys=False))
        (hydra / f"layer{number}.yaml").write_text(f"# @package _global_\n{form}", encoding="utf-8")
        names.append(f"layer{number}")
    defaults = "".join(f"- {name}\n" for name in names)
    (hydra / "exp.yaml").write_text(f"defaults:\n{defaults}- _self_\n", encoding="utf-8")


def compare(runs: int) -> str:
    """Return the table of the arms."""
    example, version = largest_example()
    arms = {**ARMS, **(HYDRA_ARMS if importlib.util.find_spec("hydra") else {})}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_layers(example, folder)
        times: dict[str, list[float]] = {arm: [] for arm in arms}
        for _ in range(runs):
            for arm, code in arms.items():
                text = code.format(folder=str(folder), example=example, version=version)
                times[arm].append(float(sample(text)))
    shown = Path(example).relative_to(ROOT)
    lines = [f"`{shown}`, median of {runs} processes each, taking turns:", "", "| | ms |", "|---|---:|"]
    lines += [f"| {arm} | {statistics.median(values):.1f} |" for arm, values in times.items()]
    if not importlib.util.find_spec("hydra"):
        lines += ["", "Hydra was not installed (`pip install hydra-core`)."]
    return "\n".join(lines)


def growth() -> str:
    """Return the table of cost against size: keys, files deep, overrides."""
    head = "modules:\n  pre_trainer:\n    framework: toy\n    model: ./{model}\n"
    cases: list[tuple[str, int, str, list[str]]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def experiment(label: str, model: str) -> str:
            path = folder / f"{label}.yaml"
            path.write_text(head.format(model=model))
            return str(path)

        for size in (250, 500, 1000, 2000):
            (folder / f"keys{size}.yaml").write_text(_keys(size))
            cases.append(("keys", size, experiment(f"e-keys{size}", f"keys{size}.yaml"), []))
        for depth in (5, 10, 20):
            for level in range(depth):
                base = f"extends: deep{depth}-{level + 1}.yaml\n" if level + 1 < depth else ""
                (folder / f"deep{depth}-{level}.yaml").write_text(base + _keys(100))
            cases.append(("files deep, 100 keys each", depth, experiment(f"e-deep{depth}", f"deep{depth}-0.yaml"), []))
        for count in (125, 250, 500):
            overrides = [f"--section{number % 20}.key{number}={number}" for number in range(count)]
            cases.append(("overrides on 2000 keys", count, experiment(f"e-over{count}", "keys2000.yaml"), overrides))
        arguments = json.dumps([(path, overrides) for _, _, path, overrides in cases])
        times = json.loads(sample(GROWTH, arguments, name))
    lines = ["| what grows | size | ms | µs for each |", "|---|---:|---:|---:|"]
    for (label, size, _, _), milliseconds in zip(cases, times, strict=True):
        lines.append(f"| {label} | {size} | {milliseconds:.1f} | {milliseconds * 1000 / size:.0f} |")
    return "\n".join(lines)


def _keys(count: int) -> str:
    """Return a file of sections with twenty-odd keys in each."""
    lines = []
    for section in range(20):
        lines.append(f"section{section}:")
        lines += [f"  key{number}: {number}.5" for number in range(section, count, 20)]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Print the tables, and put them into the documentation when asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    text = f"{compare(args.runs)}\n\n{growth()}\n"
    print(text)
    if args.write:
        path = ROOT / "docs" / "performance.md"
        document = path.read_text(encoding="utf-8")
        marks = re.compile(r"(<!-- config -->\n).*?(<!-- end config -->)", re.DOTALL)
        if not marks.search(document):
            sys.exit(f"{path} has no <!-- config --> and <!-- end config -->")
        path.write_text(marks.sub(lambda found: f"{found[1]}{text}{found[2]}", document), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
