"""The environment hook of TorchTitan: silent where nothing is missing, exact where something is, careful when it
installs."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
HOOK = "runner/helpers/hooks/train/pretrain/torchtitan/000-environment.sh"

# Stands in for pip: notes its arguments, and "installs" empty packages.
PIP = """\
import os, sys, sysconfig, time
from pathlib import Path
with open(os.environ["PIP_NOTES"], "a") as notes:
    notes.write("\\t".join(sys.argv[1:]) + "\\n")
time.sleep(0.3)
print("pip's own words")
if os.environ.get("PIP_FAILS"):
    sys.exit(1)
for name in ("torch", "torchtitan", "tokenizers", "yaml", "packaging"):
    folder = Path(sysconfig.get_path("purelib"), name)
    folder.mkdir(exist_ok=True)
    (folder / "__init__.py").touch()
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a copy of what the hook needs, in a folder with an awkward name."""
    copy = tmp_path / "a user's project"
    shutil.copytree(ROOT / "runner", copy / "runner", symlinks=True)
    shutil.copy(ROOT / "constraints.txt", copy)
    return copy


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """Return an interpreter without torch, whose new environments have the stand-in for pip."""
    real = getattr(sys, "_base_executable", sys.executable)
    subprocess.run([real, "-m", "venv", "--without-pip", str(tmp_path / "base")], check=True)
    (tmp_path / "modules" / "pip").mkdir(parents=True)
    (tmp_path / "modules" / "pip" / "__main__.py").write_text(PIP)
    (tmp_path / "modules" / "pip" / "__init__.py").touch()
    wrapper = tmp_path / "python"
    wrapper.write_text(
        "#!/usr/bin/env bash\n"
        f"python={shlex.quote(str(tmp_path / 'base' / 'bin' / 'python'))}\n"
        '[[ "$1 $2" != "-m venv" ]] || set -- -m venv --without-pip "${@:3}"\n'
        'exec "$python" "$@"\n'
    )
    wrapper.chmod(0o755)
    return wrapper


def run(root: Path, python: Path | str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", str(root / HOOK)],
        env=environment(root, python, **environ),
        capture_output=True,
        text=True,
        check=False,
    )


def environment(root: Path, python: Path | str, **environ: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PRIMUS_", "PIP_"))}
    folder = root.parent
    return {
        **kept,
        "PRIMUS_PYTHON": str(python),
        "PYTHONPATH": str(folder / "modules"),
        "PIP_NOTES": str(folder / "notes"),
        **environ,
    }


def notes(root: Path) -> list[list[str]]:
    file = root.parent / "notes"
    return [line.split("\t") for line in file.read_text().splitlines()] if file.exists() else []


def package(folder: Path, name: str, version: str = "") -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").touch()
    if version:
        info = folder / f"{name}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def test_with_a_known_place_it_does_nothing_and_starts_no_python(root: Path) -> None:
    result = run(root, "/nonexistent/python", PRIMUS_PLAN_FRAMEWORK_ORIGIN="/somewhere", PRIMUS_AUTO_INSTALL="1")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_where_torchtitan_can_be_imported_it_is_silent(root: Path, base: Path) -> None:
    for name in ("torch", "torchtitan"):
        package(root.parent / "modules", name)
    result = run(root, base, PRIMUS_AUTO_INSTALL="1")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert not (root / ".venv").exists()


def test_a_folder_of_that_name_in_the_working_directory_is_no_torchtitan(root: Path, base: Path) -> None:
    package(root.parent / "here", "torch")
    package(root.parent / "here", "torchtitan")
    result = subprocess.run(
        ["bash", str(root / HOOK)],
        env=environment(root, base),
        cwd=root.parent / "here",
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 3


def test_a_missing_torchtitan_is_told_with_the_exact_command(root: Path, base: Path) -> None:
    result = run(root, base)
    assert (result.returncode, result.stdout) == (3, "")
    first, second = result.stderr.splitlines()
    assert first == f"[primus] ERROR {base} has no torchtitan"
    command = second.removeprefix("[primus] ").removesuffix(", or set PRIMUS_AUTO_INSTALL=1")
    assert shlex.split(command) == [
        str(base),
        "-m",
        "pip",
        "install",
        "--constraint",
        f"{root}/constraints.txt",
        "torch",
        "torchtitan",
        "tokenizers",
    ]


def test_it_installs_into_the_projects_venv_and_hands_that_on(root: Path, base: Path) -> None:
    result = run(root, base, PRIMUS_AUTO_INSTALL="1")
    assert result.returncode == 0, result.stderr
    assert result.stdout == f"env.PRIMUS_PYTHON={root}/.venv/bin/python\n"
    assert "pip's own words" in result.stderr
    (arguments,) = notes(root)
    assert arguments[0] == "install"
    assert arguments[arguments.index("--constraint") + 1 :] == [
        f"{root}/constraints.txt",
        "pyyaml>=6",
        "packaging>=22",
        "torchtitan",
        "tokenizers",
        "torch",
    ]


def test_it_installs_nothing_twice(root: Path, base: Path) -> None:
    assert run(root, base, PRIMUS_AUTO_INSTALL="1").returncode == 0
    result = run(root, base, PRIMUS_AUTO_INSTALL="1")
    assert (result.returncode, result.stdout) == (0, f"env.PRIMUS_PYTHON={root}/.venv/bin/python\n")
    assert len(notes(root)) == 1


def test_many_launchers_install_once(root: Path, base: Path) -> None:
    processes = [
        subprocess.Popen(
            ["bash", str(root / HOOK)],
            env=environment(root, base, PRIMUS_AUTO_INSTALL="1"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    answers = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0] * 4, answers
    assert {out for out, _ in answers} == {f"env.PRIMUS_PYTHON={root}/.venv/bin/python\n"}
    assert len(notes(root)) == 1


def test_a_vendors_torch_is_kept(root: Path, base: Path) -> None:
    real = root.parent / "base" / "bin" / "python"
    site = subprocess.run(
        [str(real), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    package(Path(site), "torch", "9.9.0+vendor1")
    result = run(root, base, PRIMUS_AUTO_INSTALL="1")
    assert result.returncode == 0, result.stderr
    (arguments,) = notes(root)
    packages = arguments[arguments.index("--constraint") + 2 :]
    assert packages == ["pyyaml>=6", "packaging>=22", "torchtitan", "tokenizers"]
    constraints = Path(arguments[arguments.index("--constraint") + 1]).read_text()
    assert "torch===9.9.0+vendor1\n" in constraints
    assert "torch==2" not in constraints
    assert "torchtitan==0.2.2\n" in constraints


def test_a_pip_that_fails_is_told_and_its_words_are_shown(root: Path, base: Path) -> None:
    result = run(root, base, PRIMUS_AUTO_INSTALL="1", PIP_FAILS="1")
    assert (result.returncode, result.stdout) == (3, "")
    assert "pip's own words" in result.stderr
    assert result.stderr.splitlines()[-2:] == [
        f"[primus] ERROR pip could not install torchtitan into {root}/.venv",
        "[primus] its own lines above say why",
    ]


def test_post_training_is_refused(root: Path) -> None:
    hook = root / "runner/helpers/hooks/train/posttrain/torchtitan/000-refuse.sh"
    result = subprocess.run(["bash", str(hook)], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.splitlines()[0] == (
        "[primus] ERROR torchtitan has no post-training in Primus, only: train pretrain"
    )
