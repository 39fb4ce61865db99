"""One rank's way from a command line to a finished training."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from primus.core.backend.backend_adapter import BackendAdapter
from primus.core.backend.backend_registry import BackendRegistry
from primus.core.config.command_line import TrainCommand
from primus.core.config.experiment import Experiment, compose_experiment
from primus.core.config.namespace import to_dict, to_namespace
from primus.core.config.paths import data_folder
from primus.core.errors import TrainerError
from primus.core.patches import PatchContext, load_patches, run_patches
from primus.core.runtime.device import choose_device
from primus.core.runtime.log_setup import configure_logging
from primus.core.trainer.base_trainer import BaseTrainer
from primus.core.utils.env import get_torchrun_env
from primus.core.utils.module_utils import error_rank_0, log_rank_0, logger, warning_rank_0


class PrimusRuntime:
    """Run one training on this rank.

    Args:
        command: The parsed command line.
    """

    def __init__(self, command: TrainCommand) -> None:
        self.command = command
        self.experiment: Experiment
        self.module_config: SimpleNamespace
        self.adapter: BackendAdapter
        self.trainer: BaseTrainer
        self._patch_context: PatchContext

    def run(self) -> None:
        """Compose, prepare, build, train, clean up.

        Raises:
            PrimusError: Something is wrong with the input, the environment or a patch.
            Exception: Whatever the framework raises, unchanged.
        """
        self._load_config()
        self._initialize_environment()
        self._load_backend()
        self._build_backend_args()
        self._build_trainer()
        self._run_lifecycle()

    def _load_config(self) -> None:
        command = self.command
        self.experiment = compose_experiment(
            command.config,
            stage=command.stage,
            overrides=command.overrides,
            hook_overrides=command.hook_overrides,
            allow_unknown=command.allow_unknown,
            backend_path=command.backend_path,
        )
        self.module_config = self.experiment.module_config()

    def _initialize_environment(self) -> None:
        params = self.module_config.params
        level = "DEBUG" if self.command.debug else getattr(params, "stderr_sink_level", None) or "INFO"
        configure_logging(level, getattr(params, "file_sink_level", None))
        for warning in self.experiment.warnings:
            warning_rank_0("%s", warning)
        # The launcher has already exported the experiment's env: block, below what hooks and options set.
        if "PRIMUS_RUN_DIR" not in os.environ:
            os.environ.update(self.experiment.env)
        data = data_folder(self.command.data_path, os.environ)
        os.environ["PRIMUS_DATA_PATH"] = str(data)
        # Frameworks must not fill the home folder, which is small on most clusters.
        os.environ.setdefault("HF_HOME", str(data / "huggingface"))
        self._record_config()

    def _record_config(self) -> None:
        from primus.core.config.dump import write_resolved

        if get_torchrun_env().rank != 0:
            return
        run_dir = os.environ.get("PRIMUS_RUN_DIR")
        if run_dir:
            write_resolved(self.experiment, Path(run_dir, "config.yaml"))
        if self.command.export_config:
            write_resolved(self.experiment, Path(self.command.export_config))

    def _load_backend(self) -> None:
        config = self.module_config
        self.adapter = BackendRegistry.get_adapter(config.framework)
        self.adapter.allow_unknown = self.command.allow_unknown
        path = self.adapter.setup_backend_path(self.command.backend_path)
        if path:
            log_rank_0("%s from %s", config.framework, path)
        device = choose_device(getattr(config.params, "device", None))
        if device == "cpu":
            log_rank_0("device: cpu (chosen by the experiment, or this host has no accelerator)")
        self._patch_context = PatchContext(
            backend=config.framework,
            phase="prepare",
            device=device,
            params=config.params,
            detect_version=self.adapter.detect_backend_version,
        )
        load_patches(type(self.adapter).__module__.rpartition(".")[0])
        self._run_patches("prepare")
        self.adapter.prepare_backend(config)

    def _build_backend_args(self) -> None:
        backend_args = self.adapter.convert_config(self.module_config.params)
        self._patch_context.backend_args = backend_args
        self._run_patches("build_args")
        merge_backend_args(self.module_config.params, self._patch_context.backend_args)

    def _build_trainer(self) -> None:
        stage = getattr(self.module_config.params, "stage", None) or self.command.stage
        trainer_class = self.adapter.load_trainer_class(stage=stage)
        # The page names BaseTrainer as the base; an object without its methods would fail much later.
        if not (isinstance(trainer_class, type) and issubclass(trainer_class, BaseTrainer)):
            raise TrainerError(
                f"load_trainer_class({stage!r}) of backend {self.adapter.framework!r} returned {trainer_class!r}",
                "it must return a subclass of primus.core.trainer.base_trainer.BaseTrainer",
            )
        self.adapter.verify_backend_location()
        self.trainer = trainer_class(backend_args=self._patch_context.backend_args)

    def _run_lifecycle(self) -> None:
        try:
            self._run_patches("setup")
            self.trainer.setup()
            self.trainer.init()
            self._run_patches("before_train")
            self.trainer.train()
            self._run_patches("after_train")
        except BaseException:
            try:
                self.trainer.cleanup(on_error=True)
            except Exception:
                # What went wrong first is what the user must see.
                logger.exception("cleanup failed too; the first error follows")
            raise
        self.trainer.cleanup(on_error=False)

    def _run_patches(self, phase: str) -> None:
        self._patch_context.phase = phase
        try:
            run_patches(self._patch_context)
        except Exception:
            error_rank_0("the run stops because a patch cannot be applied")
            raise


def merge_backend_args(params: SimpleNamespace, backend_args: Any) -> None:
    """Write into ``params`` what the framework's arguments say, so that both agree.

    Args:
        params: The module's parameters; changed in place.
        backend_args: A namespace, mapping or dataclass; anything else is opaque and left alone.
    """
    if backend_args is params:
        return
    if dataclasses.is_dataclass(backend_args) and not isinstance(backend_args, type):
        values: Mapping[str, Any] = dataclasses.asdict(backend_args)
    elif isinstance(backend_args, Mapping):
        values = backend_args
    elif hasattr(backend_args, "__dict__"):
        values = vars(backend_args)
    else:
        return
    merged = to_dict(params)
    _deep_update(merged, {key: to_dict(value) for key, value in values.items()})
    params.__dict__.update(to_namespace(merged).__dict__)


def _deep_update(target: dict[str, Any], source: Mapping[str, Any]) -> None:
    for key, value in source.items():
        if isinstance(value, Mapping) and isinstance(target.get(key), dict):
            _deep_update(target[key], value)
        else:
            target[key] = value
