"""Saves a checkpoint with TorchTitan's own checkpointer when a signal asked for one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from primus.core.runtime.save_request import save_on_signal_enabled, save_requested


def attach(titan: Any, between_steps: Callable[[bool], None]) -> None:
    """Call ``between_steps`` after each step, on all ranks with the same answer.

    TorchTitan's loop (``torchtitan/train.py``, 0.2.x) calls ``checkpointer.save`` once after every step; that call
    is what is extended. Nothing changes where signals do not ask for checkpoints.

    Args:
        titan: TorchTitan's trainer.
        between_steps: Takes whether any rank was asked.
    """
    if not save_on_signal_enabled() or not titan.checkpointer.enable or titan.checkpointer.load_only:
        return
    regular = titan.checkpointer.save
    agree = _Agreement()

    def save(curr_step: int, last_step: bool = False) -> None:
        regular(curr_step, last_step)
        asked = agree(save_requested())
        if not last_step:
            between_steps(asked)

    titan.checkpointer.save = save


def save_now(titan: Any) -> None:
    """Save a checkpoint of the current step that training can go on from, and wait until it is complete.

    Args:
        titan: TorchTitan's trainer.
    """
    checkpointer = titan.checkpointer
    due = checkpointer._should_save(titan.step)
    if not due:
        checkpointer._should_save = lambda curr_step, last_step=False: True
        try:
            type(checkpointer).save(checkpointer, titan.step)
        finally:
            del checkpointer._should_save
    checkpointer._async_wait()


class _Agreement:
    """Whether any rank says yes, asked at every step and answered at the next one, so that no rank ever waits.

    Signals reach ranks at different steps, but a checkpoint is saved by all of them at the same one.
    """

    def __init__(self) -> None:
        import torch
        import torch.distributed as dist

        self._dist = dist
        self._torch = torch
        self._group = dist.new_group(backend="gloo") if dist.is_initialized() and dist.get_world_size() > 1 else None
        self._pending: tuple[Any, Any] | None = None

    def __call__(self, mine: bool) -> bool:
        if self._group is None:
            return mine
        answer = False
        if self._pending is not None:
            work, flag = self._pending
            work.wait()
            answer = bool(flag.item())
        flag = self._torch.tensor([int(mine)], dtype=self._torch.int32)
        work = self._dist.all_reduce(flag, op=self._dist.ReduceOp.MAX, group=self._group, async_op=True)
        self._pending = (work, flag)
        return answer
