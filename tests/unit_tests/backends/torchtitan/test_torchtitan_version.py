"""The version is told from what lies beside the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from primus.backends.torchtitan.torchtitan_version import version_in


def package(root: Path, *modules: str) -> Path:
    for module in ("__init__.py", *modules):
        path = root / "torchtitan" / module
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return root


def wheel(root: Path, version: str, metadata: bool = True) -> Path:
    folder = root / f"torchtitan-{version}.dist-info"
    folder.mkdir(parents=True)
    if metadata:
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torchtitan\nVersion: {version}\n\nText\n")
    return root


@pytest.mark.parametrize("metadata", [True, False])
def test_a_wheel_says_it_in_its_metadata(tmp_path: Path, metadata: bool) -> None:
    assert version_in(wheel(package(tmp_path), "0.2.2+rocm6", metadata)) == "0.2.2+rocm6"


def test_a_source_tree_says_it_in_its_assets_whatever_is_installed_beside_it(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "version.txt").write_text("0.2.1\n")
    assert version_in(wheel(package(tmp_path), "0.1.0")) == "0.2.1"


@pytest.mark.parametrize(
    ("modules", "version"),
    [
        (["trainer.py", "train.py"], "0.3.0"),
        (["distributed/context_parallel.py", "hf_datasets/__init__.py", "config/job_config.py"], "0.2.2"),
        (["hf_datasets/__init__.py", "config/job_config.py"], "0.2.1"),
        (["config/job_config.py"], "0.2.0"),
        (["config_manager.py"], "0.1.0"),
        ([], ""),
    ],
)
def test_a_bare_tree_is_told_by_its_modules(tmp_path: Path, modules: list[str], version: str) -> None:
    assert version_in(package(tmp_path, *modules)) == version


def test_two_installed_versions_say_nothing(tmp_path: Path) -> None:
    root = package(tmp_path, "config/job_config.py")
    wheel(root, "0.2.2")
    assert version_in(wheel(root, "0.1.0")) == "0.2.0"


def test_the_installed_one_is_told(torchtitan_package: Path) -> None:
    from importlib.metadata import version

    assert version_in(torchtitan_package.parent) == version("torchtitan")
