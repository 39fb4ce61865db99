"""One order decides where a framework comes from, and an explicit place is never passed over."""

import shlex
import sys

import pytest

from primus.core.backend.backend_path import resolve_backend_path, verify_import_location
from primus.core.errors import BackendPathError


def make_package(folder, name="frame"):
    package = folder / name
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    return package / "__init__.py"


def resolve(root, **kwargs):
    kwargs.setdefault("environ", {})
    return resolve_backend_path("frame", "frame", "frame-src", root=root, **kwargs)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    make_package(tmp_path / "site")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return tmp_path / "site"


def test_the_option_wins_over_the_variable_the_submodule_and_the_installed_package(tmp_path, installed):
    for name in ("option", "variable", "root/third_party/frame-src"):
        make_package(tmp_path / name)
    places = []
    root = tmp_path / "root"
    environ = {"BACKEND_PATH": str(tmp_path / "variable")}
    places.append(resolve(root, backend_path=tmp_path / "option", environ=environ))
    places.append(resolve(root, environ=environ))
    places.append(resolve(root))
    places.append(resolve(tmp_path / "elsewhere"))
    assert [(place.source, place.path) for place in places] == [
        ("--backend_path", tmp_path / "option"),
        ("BACKEND_PATH", tmp_path / "variable"),
        ("third_party", root / "third_party/frame-src"),
        ("installed", installed),
    ]


def test_a_wrong_explicit_path_is_an_error_though_the_package_is_installed(tmp_path, installed):
    with pytest.raises(BackendPathError) as caught:
        resolve(tmp_path, backend_path=tmp_path / "nowhere")
    assert caught.value.lines() == [
        f"--backend_path: {tmp_path}/nowhere is no directory",
        "name the folder that contains frame/, or drop --backend_path",
    ]
    with pytest.raises(BackendPathError) as caught:
        resolve(tmp_path, environ={"BACKEND_PATH": str(tmp_path)})
    assert caught.value.message == f"BACKEND_PATH: {tmp_path} holds no package 'frame'"
    assert caught.value.exit_status == 3


def test_a_source_tree_may_hold_its_package_under_src(tmp_path):
    make_package(tmp_path / "tree/src")
    assert resolve(tmp_path, backend_path=tmp_path / "tree").path == tmp_path / "tree/src"


def test_an_empty_submodule_folder_counts_as_not_checked_out(tmp_path, installed):
    (tmp_path / "third_party/frame-src").mkdir(parents=True)
    assert resolve(tmp_path).source == "installed"


def test_a_framework_that_is_nowhere_names_the_git_command_and_the_pip_command(tmp_path):
    root = tmp_path / "a root"
    (root / "third_party/frame-src").mkdir(parents=True)
    with pytest.raises(BackendPathError) as caught:
        resolve(root, pip_requirement="frame==1.2")
    assert caught.value.lines() == [
        "framework 'frame' not found: no --backend_path, no checked-out submodule, no installed package 'frame'",
        f"git -C '{root}' submodule update --init third_party/frame-src  or  "
        f"{shlex.quote(sys.executable)} -m pip install frame==1.2",
    ]


def test_a_checked_out_submodule_without_the_package_is_an_error(tmp_path):
    (tmp_path / "third_party/frame-src/.github").mkdir(parents=True)
    with pytest.raises(BackendPathError, match="is checked out but holds no package 'frame'"):
        resolve(tmp_path)


def test_a_module_imported_from_another_place_is_an_error_that_names_both(tmp_path):
    import types

    chosen = resolve(tmp_path, backend_path=make_package(tmp_path / "chosen").parents[1])
    other = types.ModuleType("frame")
    other.__file__ = str(make_package(tmp_path / "other"))
    with pytest.raises(BackendPathError) as caught:
        verify_import_location(chosen, "frame", {"frame": other})
    assert caught.value.message == (
        f"frame was imported from {other.__file__}, but --backend_path chose {tmp_path}/chosen/frame/__init__.py"
    )
    other.__file__ = str(chosen.module_file)
    verify_import_location(chosen, "frame", {"frame": other})
    verify_import_location(chosen, "frame", {})


def test_an_installed_namespace_package_is_found_by_its_parts(tmp_path, monkeypatch):
    make_package(tmp_path / "wheel/spread", "core")
    monkeypatch.syspath_prepend(str(tmp_path / "wheel"))
    place = resolve_backend_path("spread", "spread.core", "", environ={}, root=tmp_path)
    assert (place.source, place.path) == ("installed", tmp_path / "wheel")
