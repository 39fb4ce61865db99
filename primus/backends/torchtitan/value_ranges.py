"""Limits on TorchTitan's numbers that its types do not tell, as keywords of JSON Schema.

Each is what the framework, or the part of torch it hands the number to, refuses or divides by. Sources, all 0.2.2:
``distributed/parallel_dims.py`` ``_validate`` (degrees), ``train.py`` (batch sizes), ``config/job_config.py``
``Validation.__post_init__``, ``tools/utils.py`` ``GarbageCollection``, ``components/checkpoint.py``,
``components/lr_scheduler.py``, the modulo operations on ``log_freq``, ``freq`` and ``interval``, and torch 2.13
``torch/optim/adamw.py``.
"""

from __future__ import annotations

from typing import Any

_AT_LEAST_ONE = {"minimum": 1}
_NOT_NEGATIVE = {"minimum": 0}
_FRACTION = {"minimum": 0, "maximum": 1}
_BETA = {"minimum": 0, "exclusiveMaximum": 1}
_MINUS_ONE_OR_MORE = {"anyOf": [{"enum": [-1]}, {"type": "integer", "minimum": 1}]}

VALUE_RANGES: dict[str, dict[str, Any]] = {
    "metrics.log_freq": _AT_LEAST_ONE,
    "profiling.profile_freq": _AT_LEAST_ONE,
    "optimizer.lr": _NOT_NEGATIVE,
    "optimizer.beta1": _BETA,
    "optimizer.beta2": _BETA,
    "optimizer.eps": _NOT_NEGATIVE,
    "optimizer.weight_decay": _NOT_NEGATIVE,
    "lr_scheduler.warmup_steps": _NOT_NEGATIVE,
    "lr_scheduler.total_steps": _AT_LEAST_ONE,
    "lr_scheduler.decay_ratio": _FRACTION,
    "lr_scheduler.min_lr_factor": _FRACTION,
    "training.local_batch_size": _AT_LEAST_ONE,
    "training.global_batch_size": _MINUS_ONE_OR_MORE,
    "training.seq_len": _AT_LEAST_ONE,
    "training.steps": _NOT_NEGATIVE,
    "training.gc_freq": _AT_LEAST_ONE,
    "training.dataloader.num_workers": _NOT_NEGATIVE,
    "parallelism.data_parallel_replicate_degree": _AT_LEAST_ONE,
    "parallelism.data_parallel_shard_degree": _MINUS_ONE_OR_MORE,
    "parallelism.tensor_parallel_degree": _AT_LEAST_ONE,
    "parallelism.pipeline_parallel_degree": _AT_LEAST_ONE,
    "parallelism.pipeline_parallel_layers_per_stage": _AT_LEAST_ONE,
    "parallelism.pipeline_parallel_microbatch_size": _AT_LEAST_ONE,
    "parallelism.context_parallel_degree": _AT_LEAST_ONE,
    "parallelism.expert_parallel_degree": _AT_LEAST_ONE,
    "parallelism.expert_tensor_parallel_degree": _AT_LEAST_ONE,
    "checkpoint.interval": _AT_LEAST_ONE,
    # A single kept checkpoint could be deleted while the next one is written.
    "checkpoint.keep_latest_k": {"anyOf": [{"enum": [0]}, {"type": "integer", "minimum": 2}]},
    "activation_checkpoint.memory_budget": _FRACTION,
    "comm.init_timeout_seconds": _AT_LEAST_ONE,
    "comm.train_timeout_seconds": _AT_LEAST_ONE,
    "comm.trace_buf_size": _NOT_NEGATIVE,
    "validation.local_batch_size": _AT_LEAST_ONE,
    "validation.seq_len": _AT_LEAST_ONE,
    "validation.freq": _AT_LEAST_ONE,
    "validation.steps": _MINUS_ONE_OR_MORE,
    "validation.dataloader.num_workers": _NOT_NEGATIVE,
}
