"""The contract between Primus and a training framework."""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from typing import Any

from primus.core.backend.backend_path import BackendLocation, resolve_backend_path, verify_import_location


class BackendAdapter(ABC):
    """Bring one framework under the Primus command line and configuration.

    Importing an adapter's module must not import its framework, torch or jax: the check before launch and
    the listing commands import adapters too.

    Args:
        framework: Name under which the experiment file asks for the backend.

    Attributes:
        allow_unknown: Set by the runtime before ``convert_config``: warn about keys that the framework does not
            know, instead of refusing them.
        location: Where the framework was found; None before ``setup_backend_path``.
    """

    supported_versions: str = ""
    """Version range that works, as pip writes it; empty for any."""

    source_roots: tuple[str, ...] = ("", "src")
    """Folders inside a source tree that may hold the framework's package."""

    def __init__(self, framework: str) -> None:
        self.framework = framework
        self.allow_unknown = False
        self.location: BackendLocation | None = None

    @property
    def third_party_dir_name(self) -> str:
        """Return the folder under ``third_party/`` that holds the framework's submodule."""
        return self.framework

    @property
    def module_name(self) -> str:
        """Return the package whose import means that the framework is there."""
        return self.framework

    @property
    def pip_requirement(self) -> str:
        """Return what to hand to ``pip install`` to get the framework."""
        return self.module_name.split(".")[0]

    @abstractmethod
    def load_trainer_class(self, stage: str = "pretrain") -> type[Any]:
        """Return the trainer class for a stage.

        Args:
            stage: ``pretrain``, ``posttrain`` or a name of the backend's own.
        """

    @abstractmethod
    def convert_config(self, params: Any) -> Any:
        """Turn module parameters into what the trainer takes.

        Args:
            params: Nested ``SimpleNamespace`` of the composed parameters.
        """

    @abstractmethod
    def detect_backend_version(self) -> str:
        """Return the framework's version, without importing the framework where that can be had."""

    def locate(self, backend_path: str | os.PathLike[str] | None = None) -> BackendLocation:
        """Find the framework without importing it; arguments and errors as ``resolve_backend_path``."""
        return resolve_backend_path(
            self.framework,
            self.module_name,
            self.third_party_dir_name,
            backend_path=backend_path,
            source_roots=self.source_roots,
            pip_requirement=self.pip_requirement,
        )

    def setup_backend_path(self, backend_path: str | os.PathLike[str] | None = None) -> str:
        """Put the framework on ``sys.path`` and return the folder that was chosen.

        Args:
            backend_path: What ``--backend_path`` said.

        Raises:
            BackendPathError: No place holds the framework, or an explicit one does not.
        """
        self.location = self.locate(backend_path)
        path = str(self.location.path)
        if self.location.source != "installed" and path not in sys.path:
            sys.path.insert(0, path)
        self.verify_backend_location()
        return path

    def verify_backend_location(self) -> None:
        """Check that the framework, if imported by now, is the chosen one.

        Raises:
            BackendPathError: It came from another place.
        """
        if self.location is not None:
            verify_import_location(self.location, self.module_name, sys.modules)

    def prepare_backend(self, config: Any) -> None:
        """Do what the framework needs before its configuration is built; nothing by default.

        Args:
            config: The module's configuration, with ``framework``, ``model`` and ``params``.
        """

    def check_params(self, params: dict[str, Any], world_size: int) -> list[str]:
        """Return what does not fit together, as sentences with the numbers; torch-free.

        Args:
            params: Composed parameters.
            world_size: Number of ranks of the job.
        """
        return []

    def console_ranks(self, params: dict[str, Any], world_size: int, nproc_per_node: int, node_rank: int) -> list[int]:
        """Return the local ranks of a node whose output belongs on the console; by default global rank 0 alone.

        Args:
            params: Composed parameters.
            world_size: Number of ranks of the job.
            nproc_per_node: Ranks on each node.
            node_rank: The node asked about, from 0.
        """
        return [0] if node_rank == 0 else []

    def preload_modules(self) -> list[str]:
        """Return modules that a launcher may import once before it forks the ranks."""
        return []
