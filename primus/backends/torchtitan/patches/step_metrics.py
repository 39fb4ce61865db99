"""Report each logged step once, by the rank that knows the loss, on the log and in ``metrics.jsonl``.

Upstream: torchtitan 0.2.0-0.2.2, ``components/metrics.py``, ``MetricsProcessor.log``. Every rank prints its line,
those without the loss a loss of -1; the rate is for one device and, in the first report after a start or a resume,
counts the time that building and loading the model took; the number of steps left is not told.
"""

from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from primus.backends.torchtitan.step_report import StepClock, StepReport
from primus.core.patches import PatchContext, register_patch
from primus.core.utils.module_utils import log_rank_all


@register_patch(
    "torchtitan.metrics.step_report",
    backend="torchtitan",
    phase="setup",
    backend_version=">=0.2,<0.3",
    description="one line a logged step with global rate and time left; metrics.jsonl",
)
def report_steps(ctx: PatchContext) -> None:
    """Wrap ``MetricsProcessor.log`` and ``Trainer.batch_generator``, and silence upstream's own lines.

    Args:
        ctx: State of the run.
    """
    import torchtitan.components.metrics as metrics
    from torchtitan.train import Trainer

    processor = metrics.MetricsProcessor
    if getattr(processor, "_primus_reports", False):
        return
    upstream_log, upstream_validation = processor.log, processor.log_validation
    upstream_should_log, upstream_batches = processor.should_log, Trainer.batch_generator
    with_utilization = ctx.device != "cpu"
    lines = _UpstreamLines()

    def batch_generator(self: Any, data_iterable: Any) -> Any:
        # Called once, after the checkpoint was loaded and before the first step: rates count from here.
        now = time.perf_counter()
        self.metrics_processor._primus_progress = _Progress(self, StepClock(self.step, now), now)
        self.metrics_processor.time_last_log = now
        return upstream_batches(self, data_iterable)

    def should_log(self: Any, step: int) -> bool:
        progress = _progress_of(self)
        if progress is not None:
            progress.step_end = time.perf_counter()
        return bool(upstream_should_log(self, step))

    def log(
        self: Any,
        step: int,
        global_avg_loss: float,
        global_max_loss: float,
        grad_norm: float,
        extra_metrics: dict[str, Any] | None = None,
    ) -> None:
        now = time.perf_counter()
        if not isinstance(self.logger, _Listener):
            self.logger = _Listener(self.logger)
        upstream_log(self, step, global_avg_loss, global_max_loss, grad_norm, extra_metrics=extra_metrics)
        progress = _progress_of(self)
        if progress is None or not _knows_loss(metrics, self):
            return
        report = _report(self, progress, now, step, global_avg_loss, grad_norm, extra_metrics or {})
        utilization = self.logger.latest.get("mfu(%)") if with_utilization else None
        steps = self.job_config.training.steps
        log_rank_all("%s", report.line(steps, progress.clock.seconds_left(steps), utilization))
        run_dir = os.environ.get("PRIMUS_RUN_DIR")
        if run_dir:
            report.append_to(Path(run_dir, "metrics.jsonl"))

    def log_validation(self: Any, loss: float, step: int, *args: Any, **kwargs: Any) -> None:
        lines.hide_validation = not _knows_loss(metrics, self)
        upstream_validation(self, loss, step, *args, **kwargs)
        progress = _progress_of(self)
        if progress is not None:
            progress.clock.pause(time.perf_counter() - progress.step_end)

    processor.log, processor.log_validation, processor.should_log = log, log_validation, should_log
    processor._primus_reports = True
    Trainer.batch_generator = batch_generator
    metrics.logger.addFilter(lines)


@dataclass
class _Progress:
    """What a metrics processor knows of its trainer.

    Attributes:
        trainer: TorchTitan's trainer.
        clock: Times of the steps.
        step_end: When the latest step ended, in seconds of ``time.perf_counter``.
        tokens: Tokens that this rank had read at the latest report.
    """

    trainer: Any
    clock: StepClock
    step_end: float
    tokens: int = 0

    def __post_init__(self) -> None:
        self.tokens = self.trainer.ntokens_seen

    def new_tokens(self) -> int:
        """Return the tokens that this rank has read since the last call.

        Upstream's own counter is reset by a validation between two reports.
        """
        before, self.tokens = self.tokens, self.trainer.ntokens_seen
        return int(self.tokens - before)


def _progress_of(processor: Any) -> _Progress | None:
    progress: _Progress | None = getattr(processor, "_primus_progress", None)
    return progress


class _Listener:
    """TensorBoard's or Weights and Biases' logger, with the last values kept.

    Args:
        inner: Upstream's logger.
    """

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.latest: dict[str, Any] = {}

    def log(self, metrics: dict[str, Any], step: int) -> None:
        self.latest = metrics
        self.inner.log(metrics, step)

    def close(self) -> None:
        self.inner.close()


def _report(
    processor: Any, progress: _Progress, now: float, step: int, loss: float, grad_norm: float, extra: dict[str, Any]
) -> StepReport:
    steps, seconds = progress.clock.lap(step, now)
    dims = processor.parallel_dims
    tokens = progress.new_tokens() * (dims.world_size // dims.non_data_parallel_size)
    memory = processor.logger.latest.get("memory/max_reserved(GiB)", -1)
    seen = extra.get("n_tokens_seen")
    return StepReport(
        step=step,
        loss=float(loss),
        learning_rate=extra.get("lr"),
        grad_norm=float(grad_norm),
        tokens_per_second=round(tokens / seconds, 1),
        tokens_per_second_per_device=round(tokens / seconds / dims.world_size, 1),
        step_time_s=round(seconds / steps, 6),
        memory_gib=round(memory, 3) if memory >= 0 else None,
        # Upstream adds up the tokens of all context-parallel ranks, which read the same batch.
        tokens_seen=None if seen is None else int(seen) // dims.cp,
        wall_time=round(time.time(), 3),
    )


def _knows_loss(metrics: Any, processor: Any) -> bool:
    import torch.distributed as dist

    return bool(metrics._get_metrics_rank(processor.parallel_dims, processor.job_config) == dist.get_rank())


class _UpstreamLines(logging.Filter):
    """Drop upstream's line about a step, and on ranks without the loss the one about a validation."""

    hide_validation = False

    def filter(self, record: logging.LogRecord) -> bool:
        if Path(record.pathname).parts[-3:] != ("torchtitan", "components", "metrics.py"):
            return True
        return record.funcName != "log" and not (record.funcName == "log_validation" and self.hide_validation)
