"""Which rank knows the loss."""

from __future__ import annotations


def loss_rank(world_size: int, pipeline_degree: int, schedule: str) -> int:
    """Return the global rank that holds the loss.

    Source: torchtitan 0.2.2, ``components/metrics.py``, ``_get_metrics_rank``: the first rank of the last
    pipeline stage, but rank 0 for V-shaped schedules, which end where they began.

    Args:
        world_size: Number of ranks.
        pipeline_degree: Pipeline stages, 1 for no pipeline.
        schedule: Name of the pipeline schedule.
    """
    if pipeline_degree <= 1 or schedule == "ZBVZeroBubble":
        return 0
    return world_size // pipeline_degree * (pipeline_degree - 1)
