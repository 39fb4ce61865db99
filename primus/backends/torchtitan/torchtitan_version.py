"""Which TorchTitan lies in a folder, told without importing it."""

from __future__ import annotations

import re
from pathlib import Path

_DIST_INFO = re.compile(r"torchtitan-(?P<version>\d[^-]*)\.dist-info")


def version_in(root: Path) -> str:
    """Return the version of the TorchTitan whose package lies in a folder.

    Metadata of the environment lies when a source tree shadows an installed package, so only what lies beside the
    package counts: a wheel's ``dist-info``, a source tree's ``assets/version.txt``, and in a tree with neither the
    modules that came and went.

    Args:
        root: Folder that holds ``torchtitan/``.
    """
    source_tree = root / "assets" / "version.txt"
    if source_tree.is_file():
        return source_tree.read_text(encoding="utf-8").strip()
    return _installed_version(root) or _version_by_modules(root / "torchtitan")


def _installed_version(root: Path) -> str:
    found = [path for path in root.glob("torchtitan-*.dist-info") if _DIST_INFO.fullmatch(path.name)]
    if len(found) != 1:
        return ""
    metadata = found[0] / "METADATA"
    if metadata.is_file():
        # Not email.parser, which imports sockets and more: this is read before every launch.
        header = metadata.read_text(encoding="utf-8", errors="replace").partition("\n\n")[0]
        line = re.search(r"^Version: *(\S+)", header, re.MULTILINE)
        if line:
            return line[1]
    match = _DIST_INFO.fullmatch(found[0].name)
    return match["version"] if match else ""


def _version_by_modules(package: Path) -> str:
    """Return the first release with the modules that are there.

    0.3 replaced ``train.py``'s JobConfig by ``trainer.py``; 0.2.2 split off ``distributed/context_parallel.py``;
    0.2.1 renamed ``datasets/`` to ``hf_datasets/``; 0.2.0 has ``config/job_config.py``, 0.1 ``config_manager.py``.
    """
    for module, version in (
        ("trainer.py", "0.3.0"),
        ("distributed/context_parallel.py", "0.2.2"),
        ("hf_datasets", "0.2.1"),
        ("config/job_config.py", "0.2.0"),
        ("config_manager.py", "0.1.0"),
    ):
        if (package / module).exists():
            return version
    return ""
