"""Pre-training with TorchTitan's own loop."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from primus.backends.torchtitan import save_on_signal
from primus.backends.torchtitan.loss_rank import loss_rank
from primus.core.errors import ConfigError
from primus.core.trainer.base_trainer import BaseTrainer
from primus.core.utils.module_utils import log_rank_0, logger, warning_rank_0

FAILED_CLEANUP_SECONDS = 30.0
"""After an error other ranks may be gone, and what waits for them would wait for ever."""


class TorchTitanPretrainTrainer(BaseTrainer):
    """Run ``torchtitan.train.Trainer``, as upstream's ``main`` does.

    Args:
        backend_args: TorchTitan's JobConfig.
    """

    def __init__(self, backend_args: Any) -> None:
        super().__init__(backend_args=backend_args)
        self._titan: Any = None
        self._cleaned_up = False

    def setup(self) -> None:
        """Configure TorchTitan's logging and check that the tokenizer is there.

        Raises:
            ConfigError: ``model.hf_assets_path`` does not exist.
        """
        from torchtitan.tools.logging import init_logger

        init_logger()
        config = self.backend_args
        self._check_tokenizer()
        parallelism = config.parallelism
        # Upstream warns when the rank with the loss is not named here; the launcher shows it in any case.
        rank = loss_rank(self.world_size, parallelism.pipeline_parallel_degree, parallelism.pipeline_parallel_schedule)
        os.environ.setdefault("LOG_RANK", ",".join(str(number) for number in sorted({0, rank})))
        self._complete_environment()

    def init(self) -> None:
        """Build process group, model, optimizer and data loader."""
        from torchtitan.train import Trainer

        # Known before it is built: what a half-built one holds must be released too.
        self._titan = Trainer.__new__(Trainer)
        self._titan.__init__(self.backend_args)
        save_on_signal.attach(self._titan, self.between_steps)

    def save_checkpoint(self) -> None:
        """Save a checkpoint of the current step, between the regular ones."""
        save_on_signal.save_now(self._titan)

    def train(self) -> None:
        """Train to the last step, or save a seed checkpoint where that is asked for."""
        config = self.backend_args
        if getattr(config.comm, "mode", "default") == "local_tensor":
            log_rank_0("comm.mode local_tensor: the model is built, training is skipped, as upstream does")
            return
        if config.checkpoint.create_seed_checkpoint:
            self._save_seed_checkpoint()
            return
        self._titan.train()
        self._report_end()

    def cleanup(self, on_error: bool = False) -> None:
        """Close checkpointing and metrics, then destroy the process group; only the first call does anything.

        Args:
            on_error: Wait for neither longer than ``FAILED_CLEANUP_SECONDS``.
        """
        if self._cleaned_up:
            return
        self._cleaned_up = True
        try:
            if self._titan is not None:
                _run("closing checkpoints and metrics", self._titan.close, on_error)
        finally:
            _run("destroying the process group", _destroy_process_group, on_error)

    def _complete_environment(self) -> None:
        """Let a process that was started without torchrun be a job of its own."""
        # Port 0 takes a free one, which is enough where nobody else has to find it.
        port = 0 if self.world_size == 1 else self.master_port
        for name, value in (
            ("RANK", self.rank),
            ("LOCAL_RANK", self.local_rank),
            ("WORLD_SIZE", self.world_size),
            ("LOCAL_WORLD_SIZE", self.local_world_size),
            ("MASTER_ADDR", self.master_addr),
            ("MASTER_PORT", port),
        ):
            os.environ.setdefault(name, str(value))

    def _check_tokenizer(self) -> None:
        config = self.backend_args
        path = Path(config.model.hf_assets_path)
        names = ("tokenizer.json", "vocab.json", "vocab.txt")
        # flux has encoders instead, and a custom import may bring a model with a tokenizer of its own.
        own = config.model.name == "flux" or config.experimental.custom_import
        if own or any((path / name).is_file() for name in names):
            return
        what = "holds no tokenizer.json" if path.is_dir() else "does not exist"
        raise ConfigError(
            f"model.hf_assets_path: {path} {what}",
            "download the model's tokenizer into it, or add corpus: {} to train one on text that is at hand",
            key="model.hf_assets_path",
        )

    def _save_seed_checkpoint(self) -> None:
        config = self.backend_args
        if self.world_size != 1 or not config.checkpoint.enable:
            raise ConfigError(
                f"checkpoint.create_seed_checkpoint needs one process and checkpoint.enable: true, "
                f"got {self.world_size} processes and checkpoint.enable: {str(config.checkpoint.enable).lower()}",
                "start it with --nproc 1",
                key="checkpoint.create_seed_checkpoint",
            )
        self._titan.checkpointer.save(curr_step=0, last_step=True)
        log_rank_0("seed checkpoint: %s", self._checkpoint_folder() / "step-0")

    def _report_end(self) -> None:
        config = self.backend_args
        step, steps = self._titan.step, config.training.steps
        if step < steps:
            warning_rank_0("training ended at step %d of %d: the data ran out", step, steps)
        else:
            log_rank_0("training reached its last step, %d of %d", step, steps)
        if config.checkpoint.enable:
            folder = self._checkpoint_folder()
            log_rank_0("checkpoints: %s (%s)", folder, _last_saved(folder))

    def _checkpoint_folder(self) -> Path:
        return Path(self.backend_args.job.dump_folder, self.backend_args.checkpoint.folder).absolute()


def _last_saved(folder: Path) -> str:
    found = [re.fullmatch(r"step-(\d+)", path.name) for path in folder.glob("step-*")]
    steps = [int(match[1]) for match in found if match]
    return f"the last: step-{max(steps)}" if steps else "none was saved"


def _destroy_process_group() -> None:
    import torch.distributed as dist

    if dist.is_available() and dist.is_initialized():
        dist.destroy_process_group()


def _run(what: str, action: Callable[[], None], on_error: bool) -> None:
    """Run an action of the clean-up; after an error in a thread that is left behind when it does not end."""
    if not on_error:
        action()
        return
    failure: list[BaseException] = []

    def attempt() -> None:
        try:
            action()
        except Exception as error:
            failure.append(error)

    thread = threading.Thread(target=attempt, name=what, daemon=True)
    thread.start()
    thread.join(FAILED_CLEANUP_SECONDS)
    if thread.is_alive():
        logger.warning("%s took longer than %.0f s and is left behind", what, FAILED_CLEANUP_SECONDS)
    elif failure:
        logger.warning("%s failed: %s", what, failure[0])
