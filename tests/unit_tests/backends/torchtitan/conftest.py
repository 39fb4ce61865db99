"""Trainings of tiny models, in processes of their own: torch never gets into the process of pytest."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
FIXTURES = HERE / "fixtures"


@dataclass
class Ranks:
    """What the ranks of a job left.

    Attributes:
        folder: The job's folder, which is also the run's.
        statuses: Exit status of each rank; negative for a signal.
    """

    folder: Path
    statuses: list[int]

    def log(self, rank: int = 0) -> str:
        return (self.folder / f"rank-{rank}.log").read_text(encoding="utf-8", errors="replace")

    def metrics(self) -> list[dict[str, Any]]:
        text = (self.folder / "metrics.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]


class WarmRanks:
    """Starts jobs in the process of ``warm_ranks.py``."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(self, folder: Path, ranks: int = 1, **job: Any) -> Ranks:
        folder.mkdir(parents=True, exist_ok=True)
        if self._process is None or self._process.poll() is not None:
            environ = {name: value for name, value in os.environ.items() if not name.startswith("PRIMUS_")}
            environ |= {"PYTHONPATH": f"{ROOT}:{FIXTURES}", "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
            self._process = subprocess.Popen(
                [sys.executable, str(HERE / "warm_ranks.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=environ,
                cwd=folder,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"folder": str(folder), "ranks": ranks, **job}) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "warm_ranks.py has died; its last lines stand above"
        return Ranks(folder, json.loads(answer)["statuses"])

    def fresh(self, folder: Path, **job: Any) -> Ranks:
        """Run a job in a new process that serves no other."""
        server = WarmRanks()
        try:
            return server.run(folder, **job)
        finally:
            server.close()

    def close(self) -> None:
        if self._process is not None:
            self._process.communicate()


@pytest.fixture(scope="session")
def warm_ranks() -> Iterator[WarmRanks]:
    """Return what starts jobs; one process serves all tests of a session."""
    _require_torchtitan()
    server = WarmRanks()
    yield server
    server.close()


@pytest.fixture(scope="session")
def torchtitan_package() -> Path:
    """Return the folder of the installed TorchTitan."""
    _require_torchtitan()
    spec = importlib.util.find_spec("torchtitan")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def _require_torchtitan() -> None:
    for module in ("torch", "torchtitan", "tokenizers"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"no module {module}: {sys.executable} -m pip install -c constraints.txt torchtitan torch")


@pytest.fixture(scope="session")
def tiny_data(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return overrides for a small corpus and its tokenizer."""
    _require_torchtitan()
    from primus.data.corpus import prepare_corpus
    from primus.data.corpus_settings import CorpusSettings

    settings = CorpusSettings.from_mapping({"max_bytes": 300_000, "vocab_size": 500, "validation_fraction": 0.1})
    corpus = prepare_corpus(settings, tmp_path_factory.mktemp("corpus"))
    return {
        "training.dataset": "c4_test",
        "training.dataset_path": str(corpus.text),
        "validation.dataset": "c4_test",
        "validation.dataset_path": str(corpus.held_out),
        "model.hf_assets_path": str(corpus.tokenizer),
    }


EXPERIMENT = """\
work_group: tests
user_name: tests
exp_name: tiny
modules:
  pre_trainer:
    framework: torchtitan
    config: pre_trainer.yaml
    overrides:
      device: cpu
      model: {name: llama3, flavor: tiny}
      experimental: {custom_import: tiny_llama3}
      training: {steps: 4, local_batch_size: 2, seq_len: 64, mixed_precision_param: float32}
      optimizer: {lr: 1e-2}
      lr_scheduler: {warmup_steps: 2}
      metrics: {log_freq: 1}
      activation_checkpoint: {mode: none}
      debug: {seed: 0}
"""


class Training:
    """Runs a tiny experiment with overrides."""

    def __init__(self, ranks: WarmRanks, data: dict[str, str], folder: Path) -> None:
        self._ranks = ranks
        self._data = data
        self._folder = folder
        self._config = folder / "experiment.yaml"
        self._config.write_text(EXPERIMENT, encoding="utf-8")

    def argv(self, overrides: dict[str, Any]) -> list[str]:
        values = {**self._data, **overrides}
        words = [f"--{key}={value}" for key, value in values.items()]
        return ["train", "pretrain", "--config", str(self._config), *words]

    def __call__(self, overrides: dict[str, Any] | None = None, ranks: int = 1, name: str = "run", **job: Any) -> Ranks:
        folder = self._folder / name
        env = {
            "PRIMUS_RUN_DIR": str(folder),
            "PRIMUS_DATA_PATH": str(self._folder / "data"),
            "HF_HOME": str(Path(self._data["training.dataset_path"]).parent / "huggingface"),
            **job.pop("env", {}),
        }
        return self._ranks.run(folder, ranks, argv=self.argv(overrides or {}), env=env, **job)


@pytest.fixture
def training(warm_ranks: WarmRanks, tiny_data: dict[str, str], tmp_path: Path) -> Training:
    """Return what runs a tiny experiment in this test's folder."""
    return Training(warm_ranks, tiny_data, tmp_path)
