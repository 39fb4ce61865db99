"""Each CPU patch is needed still: without it alone, the failure that it is for occurs.

A test that fails here says that TorchTitan or torch has mended what the patch works around: narrow the patch's
version range, or remove it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

BARE = {
    "triton_import": (
        "import sys; sys.modules['triton'] = None\nimport torchtitan.models.moe.kernels\n",
        "ModuleNotFoundError: import of triton halted",
    ),
    "device": (
        "from primus.core.patches import PatchContext, load_patches, run_patches\n"
        "load_patches('primus.backends.torchtitan')\n"
        "run_patches(PatchContext('torchtitan', 'prepare', 'cpu', detect_version=lambda: '0.2.2'),"
        " {'PRIMUS_PATCHES': 'torchtitan.cpu.triton_import'})\n"
        "from torchtitan.tools import utils\n"
        "assert utils.device_type == 'cuda'\n"
        "utils.device_module.set_device('cuda:0')\n",
        "has no attribute '_cuda_setDevice'|Found no NVIDIA driver|No CUDA GPUs",
    ),
}


@pytest.mark.parametrize("patch", BARE)
def test_importing_torchtitan_without_the_patch_fails(warm_ranks: Any, tmp_path: Path, patch: str) -> None:
    code, failure = BARE[patch]
    job = warm_ranks.fresh(tmp_path, bare=True, code=code, env={"CUDA_VISIBLE_DEVICES": ""})
    assert job.statuses == [71]
    assert re.search(failure, job.log()), job.log()


@pytest.mark.parametrize(
    ("patch", "ranks", "overrides", "failure"),
    [
        ("fsdp_reduce", 2, {}, "Cannot use ReduceOp.PREMUL_SUM with Gloo"),
        (
            "histc",
            1,
            {"model.name": "deepseek_v3", "model.flavor": "debugmodel"},
            "\"histogram_cpu\" not implemented for 'Long'",
        ),
        (
            "moe_permute",
            2,
            {"model.name": "deepseek_v3", "model.flavor": "debugmodel", "parallelism.expert_parallel_degree": 2},
            "'function' object is not subscriptable|0 active drivers",
        ),
        (
            "profiler",
            1,
            {"profiling.enable_profiling": "true", "profiling.profile_freq": 4},
            "Expected ProfilerActivity or dict, got <class 'NoneType'>",
        ),
    ],
)
def test_training_without_the_patch_fails(
    training: Any, patch: str, ranks: int, overrides: dict[str, Any], failure: str
) -> None:
    run = training({"training.steps": 1, **overrides}, ranks=ranks, without=[f"torchtitan.cpu.{patch}"])
    assert 1 in run.statuses
    assert any(re.search(failure, run.log(rank)) for rank in range(ranks)), run.log()


def test_without_the_patches_of_the_log_it_holds_what_they_hide(training: Any) -> None:
    names = ["torchtitan.cpu.peak_flops", "torchtitan.log.known_warnings", "torchtitan.metrics.step_report"]
    run = training({"training.steps": 1}, ranks=2, without=names)
    assert run.statuses == [0, 0], run.log()
    assert "Peak flops undefined for: CPU, fallback to A100" in run.log()
    assert "tps:" in run.log()
    assert "'set_vital' is deprecated" in run.log()
    assert "DTensor random operators may not have complete support on cpu device mesh" in run.log()
    assert "Set timeout is now only supported for either nccl or gloo" in run.log()
