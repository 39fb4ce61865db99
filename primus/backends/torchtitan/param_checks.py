"""What must fit together in a TorchTitan experiment: told before a launch, with the numbers, torch-free."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any

from primus.backends.torchtitan.model_catalog import ModelEntry, model_names, read_model
from primus.core.config.nearest import nearest_name
from primus.core.errors import ConfigError
from primus.data.corpus_settings import CorpusSettings

# Upstream's defaults (torchtitan 0.2.2, config/job_config.py) of the keys that are compared here.
_DEFAULTS: dict[str, Any] = {
    "model.name": "llama3",
    "model.flavor": "debugmodel",
    "training.local_batch_size": 8,
    "training.global_batch_size": -1,
    "training.seq_len": 2048,
    "training.enable_cpu_offload": False,
    "parallelism.data_parallel_replicate_degree": 1,
    "parallelism.data_parallel_shard_degree": -1,
    "parallelism.context_parallel_degree": 1,
    "parallelism.tensor_parallel_degree": 1,
    "parallelism.pipeline_parallel_degree": 1,
    "parallelism.pipeline_parallel_microbatch_size": 1,
    "parallelism.expert_parallel_degree": 1,
    "parallelism.expert_tensor_parallel_degree": 1,
    "checkpoint.enable": False,
    "checkpoint.create_seed_checkpoint": False,
    "checkpoint.keep_latest_k": 10,
    "comm.mode": "default",
    "experimental.custom_import": "",
    "profiling.enable_memory_snapshot": False,
    "validation.enable": False,
}

_QWEN3_TIED = ("debugmodel", "0.6B", "1.7B", "4B")
"""Flavors with ``enable_weight_tying`` in ``torchtitan/models/qwen3/__init__.py``, 0.2.2."""

# Key and short name of each degree whose product is the number of processes, data_parallel_shard_degree apart.
_DEGREES = {
    "data_parallel_replicate_degree": "replicas",
    "context_parallel_degree": "context",
    "tensor_parallel_degree": "tensor",
    "pipeline_parallel_degree": "pipeline",
}


def setting(params: Mapping[str, Any], key: str) -> Any:
    """Return a value of the parameters, or upstream's default.

    Args:
        params: Nested parameters.
        key: A dotted key that these checks know.
    """
    value: Any = params
    for part in key.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return _DEFAULTS[key]
        value = value[part]
    return value


def check_params(params: Mapping[str, Any], world_size: int, device: str, package: Path | None) -> list[str]:
    """Return what does not fit together, as sentences.

    Args:
        params: Nested parameters, each of the right type.
        world_size: Number of ranks of the job.
        device: ``cpu`` or the accelerator's kind.
        package: The folder ``torchtitan/``; None when there is none yet.
    """
    problems = [*_check_corpus(params)]
    if setting(params, "comm.mode") == "default":
        problems += _check_parallelism(params, world_size)
    problems += _check_checkpoint(params, world_size)
    model = _known_model(params, package)
    if isinstance(model, str):
        problems.append(model)
    elif model is not None:
        problems += _check_model(params, model, device)
    if device == "cpu":
        problems += _check_cpu(params)
        problems += _check_tied_embeddings(params, world_size)
    return problems


def _check_corpus(params: Mapping[str, Any]) -> Iterator[str]:
    corpus = params.get("corpus")
    if corpus is not None:
        try:
            CorpusSettings.from_mapping(corpus)
        except ConfigError as error:
            yield f"{error.message}; {error.hint}" if error.hint else error.message


def _check_parallelism(params: Mapping[str, Any], world_size: int) -> Iterator[str]:
    degrees = {name: int(setting(params, f"parallelism.{name}")) for name in _DEGREES}
    shard = int(setting(params, "parallelism.data_parallel_shard_degree"))
    others = {"data_parallel_shard_degree": shard} if shard != -1 else {}
    wrong = [name for name, degree in {**degrees, **others}.items() if degree < 1]
    for name in wrong:
        yield f"parallelism.{name} is {({**degrees, **others})[name]}, but a degree is at least 1"
    if wrong:
        return
    product = prod(degrees.values())
    formula = " x ".join(f"{name} {degree}" for name, degree in degrees.items() if degree > 1)
    if shard == -1:
        if world_size % product:
            total = f" = {product}" if " x " in formula else ""
            yield f"{world_size} processes cannot be divided among {formula}{total}"
            return
        shard = world_size // product
    elif product * shard != world_size:
        whole = f"data_parallel_shard_degree {shard}" + (f" x {formula}" if formula else "")
        yield f"the degrees of parallelism need {product * shard} processes ({whole}), but {world_size} start"
        return
    yield from _check_experts(params, shard, degrees)
    yield from _check_batch(params, shard * degrees["data_parallel_replicate_degree"], degrees)


def _check_experts(params: Mapping[str, Any], shard: int, degrees: Mapping[str, int]) -> Iterator[str]:
    expert = int(setting(params, "parallelism.expert_parallel_degree"))
    expert_tensor = int(setting(params, "parallelism.expert_tensor_parallel_degree"))
    tensor, context = degrees["tensor_parallel_degree"], degrees["context_parallel_degree"]
    if expert <= 1:
        return
    if expert_tensor not in (1, tensor):
        yield (
            f"parallelism.expert_tensor_parallel_degree is {expert_tensor}, "
            f"but must be 1 or tensor_parallel_degree {tensor}"
        )
    elif (shard * context * tensor) % (expert * expert_tensor):
        yield (
            f"data_parallel_shard_degree {shard} x context_parallel_degree {context} x tensor_parallel_degree {tensor}"
            f" = {shard * context * tensor} is no multiple of expert_parallel_degree {expert}"
            f" x expert_tensor_parallel_degree {expert_tensor} = {expert * expert_tensor}"
        )


def _check_batch(params: Mapping[str, Any], data_degree: int, degrees: Mapping[str, int]) -> Iterator[str]:
    local = int(setting(params, "training.local_batch_size"))
    total = int(setting(params, "training.global_batch_size"))
    length = int(setting(params, "training.seq_len"))
    micro = int(setting(params, "parallelism.pipeline_parallel_microbatch_size"))
    pipeline = degrees["pipeline_parallel_degree"]
    divisor = degrees["tensor_parallel_degree"] * degrees["context_parallel_degree"] * 2
    if local < 1:
        yield f"training.local_batch_size is {local}, but must be at least 1"
        return
    if total == 0 or (total > 0 and total % (local * data_degree)):
        yield (
            f"training.global_batch_size {total} is no multiple of local_batch_size {local}"
            f" x data-parallel degree {data_degree} = {local * data_degree}"
        )
    if pipeline > 1 and (micro < 1 or local % micro):
        yield (
            f"training.local_batch_size {local} is no multiple of parallelism.pipeline_parallel_microbatch_size {micro}"
        )
    if length < 1 or length % divisor:
        yield (
            f"training.seq_len {length} is no multiple of 2 x tensor_parallel_degree"
            f" {degrees['tensor_parallel_degree']} x context_parallel_degree {degrees['context_parallel_degree']}"
            f" = {divisor}"
        )


def _check_checkpoint(params: Mapping[str, Any], world_size: int) -> Iterator[str]:
    if setting(params, "checkpoint.create_seed_checkpoint"):
        if world_size != 1:
            yield f"checkpoint.create_seed_checkpoint needs 1 process, but {world_size} start"
        if not setting(params, "checkpoint.enable"):
            yield "checkpoint.create_seed_checkpoint needs checkpoint.enable: true"
    if setting(params, "checkpoint.enable") and setting(params, "checkpoint.keep_latest_k") == 1:
        yield "checkpoint.keep_latest_k is 1, but must be 0 (keep all) or at least 2: the last may be half written"


def _known_model(params: Mapping[str, Any], package: Path | None) -> ModelEntry | str | None:
    """Return what is known of the chosen model, a sentence when there is no such model, None when unknown."""
    name = str(setting(params, "model.name"))
    # A custom import may register any name and add flavours to any model.
    if package is None or setting(params, "experimental.custom_import"):
        return None
    names = model_names(package)
    if names and name not in names:
        best = nearest_name(name, names)
        return f"model.name: no model {name!r}{_near(best)}; there are {', '.join(names)}"
    return read_model(package, name)


def _check_model(params: Mapping[str, Any], model: ModelEntry, device: str) -> Iterator[str]:
    name, flavor = setting(params, "model.name"), setting(params, "model.flavor")
    if flavor not in model.flavors:
        best = nearest_name(str(flavor), model.flavors)
        yield f"model.flavor: {name} has no flavor {flavor!r}{_near(best)}; there are {', '.join(model.flavors)}"
    elif device == "cpu" and model.flavors[flavor] in ("flex", "varlen"):
        yield (
            f"model.flavor: {name} {flavor} uses {model.flavors[flavor]} attention, which has no backward pass"
            f" on a CPU; flavors that have one: {_cpu_flavors(model)}"
        )
    if int(setting(params, "parallelism.pipeline_parallel_degree")) > 1 and not model.pipelining:
        yield f"parallelism.pipeline_parallel_degree must be 1: TorchTitan has no pipeline parallelism for {name}"
    if setting(params, "validation.enable") and not model.validation:
        yield f"validation.enable must be false: TorchTitan has no validation for {name}"


def _cpu_flavors(model: ModelEntry) -> str:
    return ", ".join(flavor for flavor, attention in model.flavors.items() if attention == "sdpa") or "none"


def _check_tied_embeddings(params: Mapping[str, Any], world_size: int) -> Iterator[str]:
    """Refuse what ends in an error about a shared parameter (FSDP) or a missing sharding strategy (TP)."""
    flavor = setting(params, "model.flavor")
    replicas = int(setting(params, "parallelism.data_parallel_replicate_degree"))
    if setting(params, "model.name") == "qwen3" and flavor in _QWEN3_TIED and world_size > replicas:
        yield (
            f"model qwen3 {flavor} ties its embeddings, which TorchTitan 0.2 cannot shard on a CPU, "
            f"but {world_size} processes start: give --nproc 1"
        )


def _check_cpu(params: Mapping[str, Any]) -> Iterator[str]:
    if int(setting(params, "parallelism.context_parallel_degree")) > 1:
        yield "parallelism.context_parallel_degree must be 1 on a CPU: its attention has no sharding rule in torch"
    if setting(params, "training.enable_cpu_offload"):
        yield "training.enable_cpu_offload must be false on a CPU: parameters are there already"
    if setting(params, "profiling.enable_memory_snapshot"):
        yield "profiling.enable_memory_snapshot must be false on a CPU: torch records device memory only"


def _near(best: str | None) -> str:
    return f" (did you mean {best}?)" if best else ""
