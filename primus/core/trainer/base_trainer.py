"""The lifecycle that every backend's trainer follows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from primus.core.utils.env import get_torchrun_env
from primus.core.utils.module_utils import log_rank_0


class BaseTrainer(ABC):
    """Train with one framework: ``setup``, ``init``, ``train``, then ``cleanup`` once, whatever happened.

    Args:
        backend_args: What the adapter's ``convert_config`` returned.

    Attributes:
        rank, local_rank, world_size, local_world_size, master_addr, master_port: As ``TorchrunEnv``.
    """

    def __init__(self, backend_args: Any) -> None:
        self.backend_args = backend_args
        env = get_torchrun_env()
        self.rank = env.rank
        self.local_rank = env.local_rank
        self.world_size = env.world_size
        self.local_world_size = env.local_world_size
        self.master_addr = env.master_addr
        self.master_port = env.master_port

    @abstractmethod
    def setup(self) -> None:
        """Do what must precede the building of the model."""

    @abstractmethod
    def init(self) -> None:
        """Build model, optimizer and data."""

    @abstractmethod
    def train(self) -> None:
        """Run the training loop to its end."""

    def save_checkpoint(self) -> None:
        """Save a checkpoint now. Optional: without it, a run that ends early goes on from its last regular one."""
        raise NotImplementedError(f"{type(self).__name__} cannot save a checkpoint on request")

    def between_steps(self, requested: bool | None = None) -> None:
        """Save a checkpoint when a signal asked for one; a trainer that can calls this between two steps.

        Args:
            requested: What all ranks agreed on; None in a run of one rank, which need not ask anybody.

        Raises:
            SystemExit: The checkpoint is saved, and the run is to go on in another job.
        """
        from primus.core.runtime.save_request import save_done, save_requested

        if requested if requested is not None else save_requested():
            log_rank_0("a signal asked for a checkpoint: saving it")
            self.save_checkpoint()
            save_done()

    def cleanup(self, on_error: bool = False) -> None:
        """Release what was taken; called exactly once after the trainer was constructed.

        Args:
            on_error: True when the run ends by an exception, an interrupt or a signal.
        """
