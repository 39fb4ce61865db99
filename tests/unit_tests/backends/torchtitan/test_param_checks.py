"""What does not fit together is told before a launch, with the numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from primus.backends.torchtitan.param_checks import check_params


def check(world_size: int, device: str = "cuda", package: Path | None = None, **params: Any) -> list[str]:
    return check_params(params, world_size, device, package)


@pytest.mark.parametrize("world_size", [1, 2, 8])
def test_nothing_set_fits_any_number_of_processes(world_size: int) -> None:
    assert check(world_size) == []


def test_degrees_that_fit_are_accepted() -> None:
    degrees = {
        "data_parallel_replicate_degree": 2,
        "data_parallel_shard_degree": 2,
        "tensor_parallel_degree": 2,
        "pipeline_parallel_degree": 2,
    }
    assert check(16, parallelism=degrees) == []


@pytest.mark.parametrize(
    ("world_size", "parallelism", "problem"),
    [
        (4, {"pipeline_parallel_degree": 3}, "4 processes cannot be divided among pipeline_parallel_degree 3"),
        (
            8,
            {"tensor_parallel_degree": 4, "context_parallel_degree": 4},
            "8 processes cannot be divided among context_parallel_degree 4 x tensor_parallel_degree 4 = 16",
        ),
        (
            4,
            {"data_parallel_shard_degree": 4, "tensor_parallel_degree": 2},
            "the degrees of parallelism need 8 processes (data_parallel_shard_degree 4 x tensor_parallel_degree 2), "
            "but 4 start",
        ),
        (
            2,
            {"data_parallel_shard_degree": 1},
            "the degrees of parallelism need 1 processes (data_parallel_shard_degree 1), but 2 start",
        ),
        (2, {"tensor_parallel_degree": 0}, "parallelism.tensor_parallel_degree is 0, but a degree is at least 1"),
        (
            2,
            {"data_parallel_shard_degree": -2},
            "parallelism.data_parallel_shard_degree is -2, but a degree is at least 1",
        ),
        (
            8,
            {"expert_parallel_degree": 3},
            "data_parallel_shard_degree 8 x context_parallel_degree 1 x tensor_parallel_degree 1 = 8"
            " is no multiple of expert_parallel_degree 3 x expert_tensor_parallel_degree 1 = 3",
        ),
        (
            8,
            {"expert_parallel_degree": 2, "expert_tensor_parallel_degree": 2, "tensor_parallel_degree": 4},
            "parallelism.expert_tensor_parallel_degree is 2, but must be 1 or tensor_parallel_degree 4",
        ),
    ],
)
def test_degrees_that_do_not_fit_are_told(world_size: int, parallelism: dict[str, int], problem: str) -> None:
    assert check(world_size, parallelism=parallelism) == [problem]


@pytest.mark.parametrize(
    ("world_size", "params", "problem"),
    [
        (
            2,
            {"training": {"global_batch_size": 6, "local_batch_size": 2}},
            "training.global_batch_size 6 is no multiple of local_batch_size 2 x data-parallel degree 2 = 4",
        ),
        (
            2,
            {
                "training": {"local_batch_size": 3},
                "parallelism": {"pipeline_parallel_degree": 2, "pipeline_parallel_microbatch_size": 2},
            },
            "training.local_batch_size 3 is no multiple of parallelism.pipeline_parallel_microbatch_size 2",
        ),
        (
            2,
            {"training": {"seq_len": 6}, "parallelism": {"tensor_parallel_degree": 2}},
            "training.seq_len 6 is no multiple of 2 x tensor_parallel_degree 2 x context_parallel_degree 1 = 4",
        ),
        (1, {"training": {"local_batch_size": 0}}, "training.local_batch_size is 0, but must be at least 1"),
        (
            2,
            {"checkpoint": {"create_seed_checkpoint": True, "enable": True}},
            "checkpoint.create_seed_checkpoint needs 1 process, but 2 start",
        ),
        (
            1,
            {"checkpoint": {"create_seed_checkpoint": True}},
            "checkpoint.create_seed_checkpoint needs checkpoint.enable: true",
        ),
        (
            1,
            {"checkpoint": {"enable": True, "keep_latest_k": 1}},
            "checkpoint.keep_latest_k is 1, but must be 0 (keep all) or at least 2: the last may be half written",
        ),
        (
            1,
            {"corpus": {"vocabsize": 3}},
            "corpus.vocabsize: unknown key (did you mean vocab_size?); the keys of corpus: are source, files, format, "
            "text_key, vocab_size, max_bytes, validation_fraction, output, lock_timeout_seconds",
        ),
    ],
)
def test_batches_checkpoints_and_corpora_that_cannot_be_are_told(
    world_size: int, params: dict[str, Any], problem: str
) -> None:
    assert check(world_size, **params) == [problem]


def test_all_problems_are_told_at_once() -> None:
    assert len(check(3, training={"local_batch_size": 0}, checkpoint={"create_seed_checkpoint": True})) == 3


def test_a_simulated_world_is_not_compared_with_the_processes() -> None:
    assert check(1, comm={"mode": "fake_backend"}, parallelism={"tensor_parallel_degree": 8}) == []


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        (
            {"parallelism": {"context_parallel_degree": 2}},
            "parallelism.context_parallel_degree must be 1 on a CPU: its attention has no sharding rule in torch",
        ),
        (
            {"training": {"enable_cpu_offload": True}},
            "training.enable_cpu_offload must be false on a CPU: parameters are there already",
        ),
        (
            {"profiling": {"enable_memory_snapshot": True}},
            "profiling.enable_memory_snapshot must be false on a CPU: torch records device memory only",
        ),
    ],
)
def test_what_only_an_accelerator_can_do_is_told_on_the_cpu(params: dict[str, Any], problem: str) -> None:
    assert check(2, device="cpu", **params) == [problem]
    assert check(2, device="cuda", **params) == []


def test_a_mistyped_model_or_flavour_is_told_with_the_nearest(torchtitan_package: Path) -> None:
    (problem,) = check(1, package=torchtitan_package, model={"name": "lama3"})
    assert problem.startswith("model.name: no model 'lama3' (did you mean llama3?); there are ")
    (problem,) = check(1, package=torchtitan_package, model={"name": "qwen3", "flavor": "8b"})
    assert problem.startswith("model.flavor: qwen3 has no flavor '8b' (did you mean 8B?); there are debugmodel, 0.6B,")


def test_a_custom_import_may_bring_any_model_and_flavour(torchtitan_package: Path) -> None:
    model = {"name": "mine", "flavor": "big"}
    assert check(1, package=torchtitan_package, model=model, experimental={"custom_import": "mine"}) == []


def test_what_a_model_lacks_is_told(torchtitan_package: Path) -> None:
    assert check(
        2, package=torchtitan_package, model={"name": "qwen3"}, parallelism={"pipeline_parallel_degree": 2}
    ) == ["parallelism.pipeline_parallel_degree must be 1: TorchTitan has no pipeline parallelism for qwen3"]
    assert check(
        1, package=torchtitan_package, model={"name": "deepseek_v3", "flavor": "16B"}, validation={"enable": True}
    ) == ["validation.enable must be false: TorchTitan has no validation for deepseek_v3"]


def test_attention_without_a_backward_pass_on_the_cpu_is_told(torchtitan_package: Path) -> None:
    model = {"name": "llama3", "flavor": "8B_flex"}
    assert check(1, package=torchtitan_package, model=model) == []
    assert check(1, "cpu", torchtitan_package, model=model) == [
        "model.flavor: llama3 8B_flex uses flex attention, which has no backward pass on a CPU; "
        "flavors that have one: debugmodel, 8B, 70B, 405B"
    ]


def test_qwen3_with_tied_embeddings_is_one_process_on_a_cpu() -> None:
    model = {"name": "qwen3", "flavor": "debugmodel"}
    assert check(1, "cpu", model=model) == []
    assert check(2, "cuda", model=model) == []
    assert check(2, "cpu", model=model) == [
        "model qwen3 debugmodel ties its embeddings, which TorchTitan 0.2 cannot shard on a CPU, "
        "but 2 processes start: give --nproc 1"
    ]
