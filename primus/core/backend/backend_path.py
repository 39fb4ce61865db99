"""Where a framework's code comes from: one resolver, asked by the check before launch and by each rank.

Order: ``--backend_path``, ``BACKEND_PATH``, the submodule under ``third_party/`` when it is checked out,
the installed package. A place that was named explicitly and is wrong is an error, never a reason to fall back.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from primus.core.errors import BackendPathError


@dataclass(frozen=True)
class BackendLocation:
    """Where a framework was found.

    Attributes:
        source: Who named the place: ``--backend_path``, ``BACKEND_PATH``, ``third_party`` or ``installed``.
        path: Folder that goes on ``sys.path``; for an installed package the folder it already lies in.
        module_file: The package's ``__init__.py``, or its folder for a namespace package.
    """

    source: str
    path: Path
    module_file: Path


def project_root() -> Path:
    """Return the folder that holds ``primus/``, ``runner/`` and ``third_party/``."""
    return Path(__file__).resolve().parents[3]


def _module_in(root: Path, module_name: str) -> Path | None:
    package = root.joinpath(*module_name.split("."))
    for candidate in (package / "__init__.py", package.with_suffix(".py")):
        if candidate.is_file():
            return candidate
    if package.is_dir() and any(package.glob("*.py")):
        return package
    return None


def _search(folder: Path, module_name: str, source_roots: Sequence[str]) -> tuple[Path, Path] | None:
    for sub in source_roots:
        root = folder / sub if sub else folder
        module = _module_in(root, module_name)
        if module is not None:
            return root, module
    return None


def _installed(module_name: str) -> BackendLocation | None:
    try:
        spec = importlib.util.find_spec(module_name)
    except ModuleNotFoundError:
        return None
    if spec is None:
        return None
    depth = module_name.count(".") + 1
    if spec.origin and spec.origin not in ("namespace", "built-in", "frozen"):
        module_file = Path(spec.origin)
        root = module_file.parents[depth] if module_file.name == "__init__.py" else module_file.parents[depth - 1]
        return BackendLocation("installed", root, module_file)
    folders = list(spec.submodule_search_locations or ())
    for folder in map(Path, folders):
        # An empty folder that happens to bear the name is no framework.
        if any(folder.glob("*.py")):
            return BackendLocation("installed", folder.parents[depth - 1], folder)
    return None


def resolve_backend_path(
    framework: str,
    module_name: str,
    third_party_dir_name: str,
    *,
    backend_path: str | os.PathLike[str] | None = None,
    environ: Mapping[str, str] | None = None,
    source_roots: Sequence[str] = ("", "src"),
    pip_requirement: str = "",
    root: Path | None = None,
) -> BackendLocation:
    """Find a framework without importing it.

    Args:
        framework: The backend's name, for messages.
        module_name: The package to find, dots allowed.
        third_party_dir_name: Folder under ``third_party/`` that holds its submodule; empty for none.
        backend_path: What ``--backend_path`` said.
        environ: Environment that may hold ``BACKEND_PATH``; the process's own when omitted.
        source_roots: Folders inside a source tree that may hold the package, first match wins.
        pip_requirement: What to hand to pip, for messages.
        root: Project root; this file's own when omitted.

    Raises:
        BackendPathError: An explicit place does not hold the package, or no place does.
    """
    variables = os.environ if environ is None else environ
    explicit = (("--backend_path", backend_path), ("BACKEND_PATH", variables.get("BACKEND_PATH")))
    for source, value in explicit:
        if not value:
            continue
        folder = Path(value).expanduser().absolute()
        found = _search(folder, module_name, source_roots) if folder.is_dir() else None
        if found is None:
            what = "is no directory" if not folder.is_dir() else f"holds no package {module_name!r}"
            raise BackendPathError(
                f"{source}: {folder} {what}",
                f"name the folder that contains {module_name.replace('.', '/')}/, or drop {source}",
            )
        return BackendLocation(source, *found)

    base = project_root() if root is None else root
    submodule = base / "third_party" / third_party_dir_name if third_party_dir_name else None
    if submodule is not None and submodule.is_dir() and any(submodule.iterdir()):
        found = _search(submodule, module_name, source_roots)
        if found is None:
            raise BackendPathError(
                f"{submodule} is checked out but holds no package {module_name!r}",
                f"git -C {_quoted(base)} submodule update --init --force third_party/{third_party_dir_name}",
            )
        return BackendLocation("third_party", *found)

    installed = _installed(module_name)
    if installed is not None:
        return installed
    ways = []
    if submodule is not None and submodule.is_dir():
        ways.append(f"git -C {_quoted(base)} submodule update --init third_party/{third_party_dir_name}")
    ways.append(f"{_quoted(sys.executable)} -m pip install {pip_requirement or module_name.split('.')[0]}")
    raise BackendPathError(
        f"framework {framework!r} not found: no --backend_path, no checked-out submodule, "
        f"no installed package {module_name!r}",
        "  or  ".join(ways),
    )


def _quoted(path: str | os.PathLike[str]) -> str:
    import shlex

    return shlex.quote(os.fspath(path))


def verify_import_location(location: BackendLocation, module_name: str, modules: Mapping[str, ModuleType]) -> None:
    """Check that an imported framework is the one that was chosen.

    Args:
        location: What ``resolve_backend_path`` answered.
        module_name: The package to look up; nothing is checked when it is not imported yet.
        modules: ``sys.modules``.

    Raises:
        BackendPathError: The package was imported from another place.
    """
    module = modules.get(module_name)
    if module is None:
        return
    places = [module.__file__] if getattr(module, "__file__", None) else list(getattr(module, "__path__", []))
    expected = location.module_file.resolve()
    if places and all(Path(str(place)).resolve() != expected for place in places):
        raise BackendPathError(
            f"{module_name} was imported from {places[0]}, but {location.source} chose {location.module_file}",
            "remove the other copy from PYTHONPATH or uninstall it",
        )
