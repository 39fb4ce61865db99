"""TorchTitan under the Primus command line and configuration."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from primus.backends.torchtitan.loss_rank import loss_rank
from primus.backends.torchtitan.param_checks import check_params, setting
from primus.backends.torchtitan.torchtitan_version import version_in
from primus.core.backend.backend_adapter import BackendAdapter
from primus.core.config.namespace import to_dict
from primus.core.errors import BackendPathError, ConfigError, LaunchEnvironmentError
from primus.core.runtime.device import choose_device


class TorchTitanAdapter(BackendAdapter):
    """Adapter for TorchTitan 0.2."""

    supported_versions = ">=0.2,<0.3"

    def __init__(self, framework: str = "torchtitan") -> None:
        super().__init__(framework)

    @property
    def module_name(self) -> str:
        """Return the package whose import means that TorchTitan is there."""
        return "torchtitan"

    @property
    def third_party_dir_name(self) -> str:
        """Return the submodule's folder under ``third_party/``."""
        return "torchtitan"

    @property
    def pip_requirement(self) -> str:
        """Return the release that the schemas, patches and tests are made for."""
        return "torchtitan==0.2.2"

    def detect_backend_version(self) -> str:
        """Return the version of the TorchTitan that is used, without importing it."""
        location = self.location or self.locate()
        return version_in(location.path)

    def prepare_backend(self, config: Any) -> None:
        """Refuse a TorchTitan that these patches and arguments are not made for.

        Args:
            config: The module's configuration.

        Raises:
            LaunchEnvironmentError: Its version lies outside ``supported_versions``.
        """
        version = self.detect_backend_version()
        try:
            supported = SpecifierSet(self.supported_versions).contains(Version(version).base_version, prereleases=True)
        except InvalidVersion:
            supported = False
        if not supported:
            raise LaunchEnvironmentError(
                f"torchtitan {version or 'of unknown version'} is not supported yet, install {self.pip_requirement}",
                f"{shlex.quote(sys.executable)} -m pip install {self.pip_requirement}",
            )

    def convert_config(self, params: Any) -> Any:
        """Return TorchTitan's JobConfig.

        Args:
            params: Nested namespace of parameters.

        Raises:
            ConfigError: Keys are unknown or values wrong; all of them at once.
        """
        from primus.backends.torchtitan.arguments import build_job_config

        values: dict[str, Any] = to_dict(params)
        run_dir = os.environ.get("PRIMUS_RUN_DIR")
        if run_dir and "dump_folder" not in (values.get("job") or {}):
            values["job"] = {**(values.get("job") or {}), "dump_folder": run_dir}
        config = build_job_config(values, allow_unknown=self.allow_unknown)
        if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
            config.metrics.disable_color_printing = True
        return config

    def load_trainer_class(self, stage: str = "pretrain") -> type[Any]:
        """Return the trainer class.

        Args:
            stage: ``pretrain``; TorchTitan has nothing else.

        Raises:
            ConfigError: Another stage is asked for.
        """
        if stage != "pretrain":
            raise ConfigError(
                f"torchtitan has no stage {stage!r}, only 'pretrain'",
                "take a framework with post-training for it, or use modules.pre_trainer and train pretrain",
                key="stage",
            )
        from primus.backends.torchtitan.torchtitan_pretrain_trainer import TorchTitanPretrainTrainer

        return TorchTitanPretrainTrainer

    def check_params(self, params: dict[str, Any], world_size: int) -> list[str]:
        """Return what does not fit together, as sentences with the numbers.

        Args:
            params: Composed parameters.
            world_size: Number of ranks of the job.
        """
        return check_params(params, world_size, choose_device(params.get("device")), self._package())

    def console_ranks(self, params: dict[str, Any], world_size: int, nproc_per_node: int, node_rank: int) -> list[int]:
        """Return global rank 0, and the rank that holds the loss where that is another.

        Args:
            params: Composed parameters.
            world_size: Number of ranks of the job.
            nproc_per_node: Ranks on each node.
            node_rank: The node asked about.
        """
        parallelism = params.get("parallelism") or {}
        schedule = str(parallelism.get("pipeline_parallel_schedule") or "1F1B")
        degree = int(setting(params, "parallelism.pipeline_parallel_degree"))
        node, local = divmod(loss_rank(world_size, degree, schedule), nproc_per_node)
        ranks = {0} if node_rank == 0 else set()
        return sorted(ranks | {local} if node == node_rank else ranks)

    def preload_modules(self) -> list[str]:
        """Return what a launcher may import once before it forks the ranks."""
        return ["torch"]

    def _package(self) -> Path | None:
        try:
            location = self.location or self.locate()
        except BackendPathError:
            return None
        return location.path / "torchtitan"
