"""What the interpreter that runs this has for training; for ``primus-cli doctor``.

``python -m primus.tools.doctor [--deep]`` writes facts to standard output, five NUL-terminated fields each: area,
state, name, value, and the command that mends it. The state is ``ok``, ``warning`` or ``missing``; for the folders
of a launch, which the shell looks at, it is ``place``. Nothing is imported but what it takes to ask the backends;
with ``--deep`` a process of its own imports torch.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from primus.core.backend.backend_adapter import BackendAdapter

# What every launch imports: name, module, what to hand to pip.
_PACKAGES = (("PyYAML", "yaml", "pyyaml"), ("packaging", "packaging", "packaging"), ("torch", "torch", "torch"))
_DEEP_SECONDS = 120
_DEEP = """
import torch
import torch.distributed as dist

kind = torch.accelerator.current_accelerator() if hasattr(torch, "accelerator") else None
count = torch.accelerator.device_count() if kind else torch.cuda.device_count()
names = [name for name in ("gloo", "nccl", "mpi") if dist.is_available() and getattr(dist, f"is_{name}_available")()]
devices = f"{count} {kind or 'cuda'} devices" if count else "no device"
print(f"works, sees {devices}; collectives: {', '.join(names) or 'none'}")
"""


class Fact(NamedTuple):
    """One thing that this host has or lacks.

    Attributes:
        area: The section of the report.
        state: ``ok``, ``warning``, ``missing`` or ``place``.
        name: What it is about.
        value: What was found.
        remedy: The command that mends it; empty where there is nothing to mend.
    """

    area: str
    state: str
    name: str
    value: str
    remedy: str = ""


def main(argv: Sequence[str] | None = None) -> int:
    """Write the facts and return the exit status.

    Args:
        argv: Arguments without the program's name; those of the process when omitted.
    """
    deep = "--deep" in (sys.argv[1:] if argv is None else argv)
    fields = [field for fact in facts(os.environ, deep=deep) for field in fact]
    sys.stdout.buffer.write("".join(f"{field}\0" for field in fields).encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()
    return 0


def facts(environ: Mapping[str, str], *, deep: bool = False) -> Iterator[Fact]:
    """Yield the facts in the order of the report.

    Args:
        environ: The launcher's environment.
        deep: Also import torch, in a process of its own.
    """
    packages = [_package(*package) for package in _PACKAGES]
    yield from packages
    found = {fact.name for fact in packages if fact.state == "ok"}
    if deep and "torch" in found:
        yield _torch_import()
    if {"PyYAML", "packaging"} <= found:
        from primus.core.backend.backend_registry import BackendRegistry

        yield from map(_backend, BackendRegistry.list_backends())
        yield from _places(environ)


def _package(name: str, module: str, requirement: str) -> Fact:
    spec = importlib.util.find_spec(module)
    # A folder that happens to bear the name is no package.
    if spec is None or spec.origin is None:
        return Fact("python", "missing", name, "not installed", _pip(requirement))
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        version = f"of unknown version, {spec.origin}"
    return Fact("python", "ok", name, version)


def _torch_import() -> Fact:
    command = [sys.executable, "-c", _DEEP]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_DEEP_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        what, remedy = f"not done within {_DEEP_SECONDS} s", _python("-X", "importtime", "-c", "import torch")
        return Fact("python", "missing", "torch import", what, remedy)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        return Fact("python", "missing", "torch import", f"fails: {last}", _pip("--force-reinstall", "torch"))
    return Fact("python", "ok", "torch import", done.stdout.strip())


def _backend(name: str) -> Fact:
    from primus.core.backend.backend_registry import BackendRegistry
    from primus.core.errors import PrimusError

    try:
        adapter = BackendRegistry.get_adapter(name)
        return _located(name, adapter)
    except PrimusError as error:
        return Fact("backends", "missing", name, error.message, error.hint)
    except Exception as error:
        what = f"its package cannot be used: {type(error).__name__}: {error}"
        return Fact("backends", "missing", name, what, f"primus-cli patches list --framework {name} shows where")


def _located(name: str, adapter: BackendAdapter) -> Fact:
    from primus.core.backend.backend_adapter import BackendAdapter
    from primus.core.errors import BackendPathError
    from primus.core.patches.runner import version_matches

    try:
        adapter.location = adapter.locate()
    except BackendPathError:
        # A backend that finds its framework in its own way does not follow the resolver.
        if type(adapter).setup_backend_path is BackendAdapter.setup_backend_path:
            raise
    location = adapter.location
    version = adapter.detect_backend_version()
    where = {"installed": "installed in ", "third_party": "checked out in "}
    place = "comes with Primus" if location is None else where.get(location.source, f"{location.source}: ")
    value = f"{version or 'of unknown version'}, {place}{location.path if location else ''}"
    if adapter.supported_versions and not (version and version_matches(version, adapter.supported_versions)):
        value += f": only {adapter.supported_versions} is supported"
        return Fact("backends", "missing", name, value, _pip(adapter.pip_requirement))
    return Fact("backends", "ok", name, value)


def _places(environ: Mapping[str, str]) -> Iterator[Fact]:
    from primus.core.config.experiment_file import IDENTITY_DEFAULTS
    from primus.core.config.paths import absolute, data_folder

    yield Fact("storage", "place", "workspace", str(absolute(IDENTITY_DEFAULTS["workspace"])))
    yield Fact("storage", "place", "data", str(data_folder(None, environ)))


def _pip(*words: str) -> str:
    return _python("-m", "pip", "install", *words)


def _python(*words: str) -> str:
    return shlex.join([sys.executable, *words])


if __name__ == "__main__":
    sys.exit(main())
