"""The check before a launch: one Python, without torch, before anything else costs time.

``python -m primus.plan --nnodes N --nproc-per-node M [--node-rank R] -- train pretrain --config FILE ...``
composes and checks the experiment and writes what the launcher needs to know as NUL-terminated ``key=value``
records to standard output. Mistakes end it with status 2, lacks of the environment with status 3.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from primus.core.backend.backend_adapter import BackendAdapter

_USAGE = "python -m primus.plan --nnodes N --nproc-per-node M -- train pretrain --config FILE ..."


def main(argv: Sequence[str] | None = None) -> int:
    """Run the check and return the exit status.

    Args:
        argv: Arguments without the program's name; those of the process when omitted.
    """
    from primus.core.errors import PrimusError

    words = list(sys.argv[1:] if argv is None else argv)
    try:
        records = plan(words, os.environ)
    except PrimusError as error:
        return _report(error.message, error.hint, error.exit_status)
    except ModuleNotFoundError as error:
        if error.name not in ("yaml", "packaging"):
            raise
        hint = f"{_quoted(sys.executable)} -m pip install pyyaml packaging"
        return _report(f"{sys.executable} has no module {error.name!r}", hint, 3)
    data = "".join(f"{key}={value}\0" for key, value in records)
    try:
        sys.stdout.buffer.write(data.encode("utf-8", "surrogateescape"))
        sys.stdout.flush()
    except BrokenPipeError:
        # The launcher was ended by a signal; Python would tell of the pipe again when it shuts down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def plan(argv: Sequence[str], environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the records that a launcher needs.

    Args:
        argv: Arguments without the program's name.
        environ: The launcher's environment.

    Raises:
        PrimusError: The launch cannot work.
    """
    numbers, train = _split(argv)
    from primus.core.backend.backend_registry import BackendRegistry
    from primus.core.config.command_line import parse_train_command
    from primus.core.config.experiment import compose_experiment
    from primus.core.config.framework_facts import check_fit
    from primus.core.config.paths import data_folder

    command = parse_train_command(train)
    if command.export_config is not None:
        from primus.core.config.dump import check_target

        check_target(command.export_config)
    known: dict[str, BackendAdapter] = {}
    places: dict[str, str] = {}

    def version_of(framework: str) -> str | None:
        adapter = known.setdefault(framework, BackendRegistry.get_adapter(framework))
        places[framework] = _locate(adapter, command.backend_path, environ)
        return _version(adapter)

    experiment = compose_experiment(
        command.config,
        stage=command.stage,
        overrides=command.overrides,
        environ=environ,
        allow_unknown=command.allow_unknown,
        framework_version=version_of,
    )
    framework = experiment.framework
    if framework not in known:
        version_of(framework)
    adapter = known[framework]
    world_size = numbers["nnodes"] * numbers["nproc_per_node"]
    torch = _has_torch()
    # 0 processes per node: the ranks run on other hosts, which this one knows nothing about.
    if world_size:
        check_fit(experiment, world_size, adapter)
        _check_torch(torch, environ)
    ranks = (
        adapter.console_ranks(experiment.params_dict(), world_size, numbers["nproc_per_node"], numbers["node_rank"])
        if world_size
        else []
    )
    return [
        ("framework", framework),
        ("module", experiment.module_name),
        ("stage", command.stage),
        ("config", experiment.path),
        ("exp_dir", experiment.directory),
        ("data_path", str(data_folder(command.data_path, environ))),
        ("framework_origin", places[framework]),
        ("torch", "yes" if torch else "no"),
        ("console_ranks", ",".join(str(rank) for rank in ranks)),
        *((f"env.{name}", value) for name, value in experiment.env.items()),
        *(("warning", warning) for warning in experiment.warnings),
    ]


def _split(argv: Sequence[str]) -> tuple[dict[str, int], list[str]]:
    """Return the numbers before ``--`` and the train command after it."""
    from primus.core.errors import ConfigError

    numbers = {"nnodes": 1, "nproc_per_node": 1, "node_rank": 0}
    words = list(argv)
    while words:
        word = words.pop(0)
        if word == "--":
            return numbers, words
        option, equals, text = word.partition("=")
        name = option.removeprefix("--").replace("-", "_")
        if not option.startswith("--") or name not in numbers:
            raise ConfigError(f"primus.plan: unknown argument {word!r}", f"usage: {_USAGE}")
        value = text if equals else (words.pop(0) if words else "")
        if not (value.isascii() and value.isdigit()) or int(value) < (1 if name == "nnodes" else 0):
            raise ConfigError(f"primus.plan: {option} wants a count, got {value!r}", f"usage: {_USAGE}")
        numbers[name] = int(value)
    raise ConfigError("primus.plan: no train command", f"usage: {_USAGE}")


def _locate(adapter: BackendAdapter, backend_path: str | None, environ: Mapping[str, str]) -> str:
    """Return where the framework is; empty where a hook may still install it."""
    from primus.core.backend.backend_path import project_root
    from primus.core.errors import BackendPathError

    try:
        location = adapter.locate(backend_path)
    except BackendPathError:
        submodule = project_root() / "third_party" / adapter.third_party_dir_name
        checked_out = bool(adapter.third_party_dir_name) and submodule.is_dir() and any(submodule.iterdir())
        if _overrides_path(adapter):
            return ""
        if backend_path or environ.get("BACKEND_PATH") or checked_out:
            raise
        return ""
    adapter.location = location
    return str(location.path)


def _overrides_path(adapter: BackendAdapter) -> bool:
    from primus.core.backend.backend_adapter import BackendAdapter

    return type(adapter).setup_backend_path is not BackendAdapter.setup_backend_path


def _version(adapter: BackendAdapter) -> str | None:
    """Return the framework's version, None where it is not there; refuse one that does not work."""
    from primus.core.errors import LaunchEnvironmentError, PrimusError

    try:
        version = adapter.detect_backend_version()
    except (PrimusError, ImportError):
        return None
    if adapter.supported_versions and version:
        from packaging.specifiers import SpecifierSet
        from packaging.version import InvalidVersion, Version

        try:
            release = Version(version).base_version
        except InvalidVersion:
            return version
        if not SpecifierSet(adapter.supported_versions).contains(release, prereleases=True):
            raise LaunchEnvironmentError(
                f"{adapter.framework} {version} is not supported yet, only {adapter.supported_versions}",
                f"{_quoted(sys.executable)} -m pip install {_quoted(adapter.pip_requirement)}",
            )
    return version or None


def _has_torch() -> bool:
    import importlib.util

    return importlib.util.find_spec("torch") is not None


def _check_torch(present: bool, environ: Mapping[str, str]) -> None:
    from primus.core.errors import LaunchEnvironmentError

    if present or environ.get("PRIMUS_RUN_MODE") == "single" or environ.get("PRIMUS_AUTO_INSTALL") == "1":
        return
    raise LaunchEnvironmentError(
        f"{sys.executable} has no torch",
        f"{_quoted(sys.executable)} -m pip install torch, or name another --venv",
    )


def _report(message: str, hint: str, status: int) -> int:
    sys.stderr.write(f"[primus] ERROR {message}\n" + (f"{hint}\n" if hint else ""))
    return status


def _quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)


if __name__ == "__main__":
    sys.exit(main())
