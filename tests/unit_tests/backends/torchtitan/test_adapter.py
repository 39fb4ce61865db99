"""The adapter answers what the launcher asks, without importing TorchTitan or torch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from primus.backends.torchtitan import TorchTitanAdapter
from primus.core.backend.backend_registry import BackendRegistry
from primus.core.errors import ConfigError, LaunchEnvironmentError

ROOT = Path(__file__).resolve().parents[4]


def tree(folder: Path, version: str) -> Path:
    (folder / "torchtitan").mkdir(parents=True)
    (folder / "torchtitan" / "__init__.py").touch()
    (folder / "assets").mkdir()
    (folder / "assets" / "version.txt").write_text(version)
    return folder


def test_the_registry_knows_it() -> None:
    assert isinstance(BackendRegistry.get_adapter("torchtitan"), TorchTitanAdapter)


def test_the_version_is_that_of_the_chosen_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKEND_PATH", str(tree(tmp_path / "one", "0.2.1")))
    assert TorchTitanAdapter().detect_backend_version() == "0.2.1"
    adapter = TorchTitanAdapter()
    adapter.location = adapter.locate(str(tree(tmp_path / "two", "0.2.0")))
    assert adapter.detect_backend_version() == "0.2.0"


@pytest.mark.parametrize("version", ["0.2.0", "0.2.2", "0.2.2+rocm", "0.2.9.dev1"])
def test_versions_0_2_are_supported(tmp_path: Path, version: str) -> None:
    adapter = TorchTitanAdapter()
    adapter.location = adapter.locate(str(tree(tmp_path, version)))
    adapter.prepare_backend(None)


@pytest.mark.parametrize("version", ["0.3.0", "0.3.0.dev20260101", "0.1.0", "1.0"])
def test_other_versions_are_refused_with_the_command_that_helps(tmp_path: Path, version: str) -> None:
    adapter = TorchTitanAdapter()
    adapter.location = adapter.locate(str(tree(tmp_path, version)))
    with pytest.raises(LaunchEnvironmentError) as caught:
        adapter.prepare_backend(None)
    assert str(caught.value) == f"torchtitan {version} is not supported yet, install torchtitan==0.2.2"
    assert caught.value.hint.endswith("-m pip install torchtitan==0.2.2")
    assert caught.value.exit_status == 3


@pytest.mark.parametrize(
    ("parallelism", "world_size", "per_node", "node", "ranks"),
    [
        ({}, 8, 8, 0, [0]),
        ({"tensor_parallel_degree": 8}, 8, 8, 0, [0]),
        ({"pipeline_parallel_degree": 2}, 2, 2, 0, [0, 1]),
        ({"pipeline_parallel_degree": 2}, 8, 8, 0, [0, 4]),
        ({"pipeline_parallel_degree": 4}, 16, 8, 0, [0]),
        ({}, 16, 8, 1, []),
        ({"pipeline_parallel_degree": 4}, 16, 8, 1, [4]),
        ({"pipeline_parallel_degree": 2}, 16, 8, 1, [0]),
        ({"pipeline_parallel_degree": 2, "pipeline_parallel_schedule": "ZBVZeroBubble"}, 2, 2, 0, [0]),
    ],
)
def test_the_console_shows_the_rank_with_the_loss(
    parallelism: dict[str, Any], world_size: int, per_node: int, node: int, ranks: list[int]
) -> None:
    adapter = TorchTitanAdapter()
    assert adapter.console_ranks({"parallelism": parallelism}, world_size, per_node, node) == ranks


@pytest.mark.parametrize("stage", ["posttrain", "sft"])
def test_there_is_no_other_stage_than_pretrain(stage: str) -> None:
    with pytest.raises(ConfigError) as caught:
        TorchTitanAdapter().load_trainer_class(stage)
    assert str(caught.value) == f"torchtitan has no stage '{stage}', only 'pretrain'"


def test_asking_the_adapter_imports_neither_torchtitan_nor_torch() -> None:
    code = (
        "import sys\n"
        "from primus.backends.torchtitan import TorchTitanAdapter\n"
        "adapter = TorchTitanAdapter()\n"
        "adapter.check_params({'model': {'name': 'llama3', 'flavor': '8B'}, 'corpus': {}}, 8)\n"
        "adapter.console_ranks({}, 8, 8, 0)\n"
        "adapter.load_trainer_class()\n"
        "from primus.core.patches import load_patches\n"
        "load_patches('primus.backends.torchtitan')\n"
        "print(sorted({'torch', 'torchtitan', 'tokenizers', 'numpy'} & set(sys.modules)))\n"
    )
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "[]\n"), result.stderr
