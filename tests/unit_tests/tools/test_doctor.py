"""What primus-cli doctor learns from Python."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from primus.core.backend.backend_adapter import BackendAdapter
from primus.core.backend.backend_registry import BackendRegistry
from primus.tools import doctor
from primus.tools.doctor import Fact

ROOT = Path(__file__).resolve().parents[3]


class Adapter(BackendAdapter):
    """A backend whose framework lies where the test puts it."""

    supported_versions = ">=1,<2"
    version = "1.5"

    def load_trainer_class(self, stage: str = "pretrain") -> type[Any]:
        raise NotImplementedError

    def convert_config(self, params: Any) -> Any:
        raise NotImplementedError

    def detect_backend_version(self) -> str:
        return self.version


@pytest.fixture(autouse=True)
def only_our_backends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.delenv("BACKEND_PATH", raising=False)
    monkeypatch.delenv("PRIMUS_DATA_PATH", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(BackendRegistry, "_adapters", {})
    monkeypatch.setattr(BackendRegistry, "list_backends", classmethod(lambda cls: sorted(cls._adapters)))
    yield


def backend(adapter: type[BackendAdapter]) -> Fact:
    """Return the fact about the only backend."""
    BackendRegistry.register_adapter("demo", adapter)
    return next(fact for fact in doctor.facts({}) if fact.area == "backends")


def source_tree(folder: Path) -> str:
    (folder / "demo").mkdir(parents=True)
    (folder / "demo" / "__init__.py").touch()
    return str(folder)


def test_packages_have_their_versions_or_the_command_that_installs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        doctor, "_PACKAGES", (("pytest", "pytest", "pytest"), ("PyNothing", "pynothing", "pynothing>=1"))
    )
    assert list(doctor.facts({})) == [
        Fact("python", "ok", "pytest", pytest.__version__),
        Fact(
            "python",
            "missing",
            "PyNothing",
            "not installed",
            f"{shlex.quote(sys.executable)} -m pip install 'pynothing>=1'",
        ),
    ]


def test_an_empty_folder_is_no_package_and_a_bare_module_has_no_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hollow").mkdir()
    (tmp_path / "bare.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(doctor, "_PACKAGES", (("hollow", "hollow", "hollow"), ("bare", "bare", "bare")))
    assert [(fact.state, fact.value) for fact in doctor.facts({})] == [
        ("missing", "not installed"),
        ("ok", f"of unknown version, {tmp_path / 'bare.py'}"),
    ]


def test_the_folders_of_a_launch(tmp_path: Path) -> None:
    places = [fact for fact in doctor.facts({"PRIMUS_DATA_PATH": "~/d"}) if fact.area == "storage"]
    assert places == [
        Fact("storage", "place", "workspace", str(tmp_path / "output")),
        Fact("storage", "place", "data", str(Path("~/d").expanduser())),
    ]
    assert [fact.value for fact in doctor.facts({}) if fact.name == "data"] == [str(tmp_path / "data")]


def test_a_backend_from_an_explicit_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKEND_PATH", source_tree(tmp_path / "tree"))
    assert backend(Adapter) == Fact("backends", "ok", "demo", f"1.5, BACKEND_PATH: {tmp_path / 'tree'}")
    monkeypatch.setenv("BACKEND_PATH", str(tmp_path / "none"))
    assert backend(Adapter) == Fact(
        "backends",
        "missing",
        "demo",
        f"BACKEND_PATH: {tmp_path / 'none'} is no directory",
        "name the folder that contains demo/, or drop BACKEND_PATH",
    )


def test_an_installed_backend_of_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(source_tree(tmp_path / "site"))

    class Newer(Adapter):
        version = "2.0"

    assert backend(Newer) == Fact(
        "backends",
        "missing",
        "demo",
        f"2.0, installed in {tmp_path / 'site'}: only >=1,<2 is supported",
        f"{shlex.quote(sys.executable)} -m pip install demo",
    )


def test_a_backend_that_is_nowhere_and_one_that_finds_its_own_way() -> None:
    assert backend(Adapter) == Fact(
        "backends",
        "missing",
        "demo",
        "framework 'demo' not found: no --backend_path, no checked-out submodule, no installed package 'demo'",
        f"{shlex.quote(sys.executable)} -m pip install demo",
    )
    BackendRegistry._adapters.clear()

    class Own(Adapter):
        def setup_backend_path(self, backend_path: Any = None) -> str:
            return ""

    assert backend(Own) == Fact("backends", "ok", "demo", "1.5, comes with Primus")


def test_a_broken_backend_hides_no_other() -> None:
    class Broken(Adapter):
        def setup_backend_path(self, backend_path: Any = None) -> str:
            return ""

        def detect_backend_version(self) -> str:
            raise ZeroDivisionError("oops")

    BackendRegistry.register_adapter("zzz", type("Fine", (Broken,), {"detect_backend_version": lambda self: "1.1"}))
    assert backend(Broken) == Fact(
        "backends",
        "missing",
        "demo",
        "its package cannot be used: ZeroDivisionError: oops",
        "primus-cli patches list --framework demo shows where",
    )
    assert Fact("backends", "ok", "zzz", "1.1, comes with Primus") in list(doctor.facts({}))


@pytest.mark.parametrize(
    ("torch", "fact"),
    [
        ("raise ImportError('libcuda.so.1: not found')", ("missing", "fails: ImportError: libcuda.so.1: not found")),
        ("import os\nos._exit(3)", ("missing", "fails: status 3")),
        (
            "class accelerator:\n"
            "    current_accelerator = staticmethod(lambda: 'xpu')\n"
            "    device_count = staticmethod(lambda: 4)\n",
            ("ok", "works, sees 4 xpu devices; collectives: gloo"),
        ),
    ],
)
def test_deep_imports_torch_in_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, torch: str, fact: tuple[str, str]
) -> None:
    (tmp_path / "torch" / "distributed").mkdir(parents=True)
    (tmp_path / "torch" / "__init__.py").write_text(torch)
    (tmp_path / "torch" / "distributed" / "__init__.py").write_text(
        "is_available = is_gloo_available = lambda: True\nis_nccl_available = is_mpi_available = lambda: False\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    found = {fact.name: (fact.state, fact.value) for fact in doctor.facts({}, deep=True)}
    assert found["torch import"] == fact


def test_a_torch_that_takes_too_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch.py").write_text("import time\ntime.sleep(600)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(doctor, "_DEEP_SECONDS", 0.2)
    found = {fact.name: fact for fact in doctor.facts({}, deep=True)}
    assert found["torch import"].value == "not done within 0.2 s"


def test_fields_are_separated_by_nul_and_torch_is_not_imported() -> None:
    code = (
        "import sys; from primus.tools import doctor; status = doctor.main([]);"
        "sys.exit(status or bool({'torch', 'jax', 'torchtitan'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    fields = done.stdout.split("\0")
    assert fields.pop() == "" and len(fields) % 5 == 0
    assert fields[0:3] == ["python", "ok", "PyYAML"]
