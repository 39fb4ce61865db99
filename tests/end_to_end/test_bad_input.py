"""Bad input ends in two lines, before a hook or a rank is started."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

GOOD = "examples/dummy/configs/dummy_8B-pretrain.yaml"

MODULES = "modules:\n  pre_trainer:\n    framework: {framework}\n{rest}"


def write(project, text, name="exp.yaml"):
    (project.root / name).write_text(text)
    return name


def missing_config(project):
    return "nowhere.yaml"


def folder(project):
    return "examples"


def empty(project):
    return write(project, "")


def no_mapping(project):
    return write(project, "- a\n- b\n")


def no_modules(project):
    return write(project, "exp_name: x\n")


def no_framework(project):
    return write(project, "modules:\n  pre_trainer:\n    config: dummy_trainer.yaml\n")


def unknown_framework(project):
    return write(project, MODULES.format(framework="dumy", rest=""))


def no_module_preset(project):
    return write(project, MODULES.format(framework="dummy", rest="    config: dummy_trayner.yaml\n"))


def no_model_preset(project):
    return write(project, MODULES.format(framework="dummy", rest="    model: dummy_9B.yaml\n"))


def only_post_trainer(project):
    return "examples/dummy/configs/dummy_8B-posttrain.yaml"


def unset_variable(project):
    return write(project, "exp_name: ${NOT_SET_AT_ALL}\n" + MODULES.format(framework="dummy", rest=""))


CASES = [
    (missing_config, ("nowhere.yaml", "")),
    (folder, ("examples", "directory")),
    (empty, ("exp.yaml", "empty")),
    (no_mapping, ("exp.yaml:1", "")),
    (no_modules, ("exp.yaml", "modules")),
    (no_framework, ("exp.yaml:2", "framework")),
    (unknown_framework, ("exp.yaml:3", "did you mean dummy?")),
    (no_module_preset, ("exp.yaml:4", "dummy_trainer.yaml")),
    (no_model_preset, ("exp.yaml:4", "dummy_8B.yaml")),
    (only_post_trainer, ("dummy_8B-posttrain.yaml", "train posttrain")),
    (unset_variable, ("exp.yaml:1", "NOT_SET_AT_ALL")),
]


@pytest.fixture
def dummy(project):
    project.add_fixture("dummy")
    return project


@pytest.mark.parametrize(("make", "expected"), CASES, ids=[case[0].__name__ for case in CASES])
def test_bad_input_is_refused_in_two_lines_before_anything_starts(dummy, make, expected):
    result = dummy.train(config=make(dummy))
    assert result.returncode == 2, result.stderr
    lines = result.stderr.splitlines()
    assert len(lines) <= 2 and result.stdout == "", result.stderr
    for text in expected:
        assert text in result.stderr
    assert not (dummy.root / "output").exists()


def test_a_missing_config_option_is_refused(dummy):
    result = dummy.run("direct", "--", "train", "pretrain")
    assert result.returncode == 2
    assert "--config" in result.stderr and len(result.stderr.splitlines()) <= 2


def test_a_framework_that_is_not_installed_is_status_3_with_the_command_that_installs_it(project):
    python = bare_python(project.root.parent)
    result = project.train(
        config="examples/torchtitan/configs/cpu/llama3_debug-pretrain.yaml", PRIMUS_PYTHON=str(python)
    )
    assert result.returncode == 3, result.stderr
    assert "pip install" in result.stderr and not (project.root / "output").exists()


def bare_python(folder: Path) -> Path:
    """Make an interpreter with PyYAML and packaging and no framework."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "bare")], check=True)
    import packaging
    import yaml

    site = next((folder / "bare/lib").glob("python*/site-packages"))
    for module in (yaml, packaging):
        source = Path(module.__file__).parent
        shutil.copytree(source, site / source.name)
    return folder / "bare/bin/python"


def test_the_launcher_starts_one_python_before_training_and_it_imports_no_torch(dummy, tmp_path):
    """A recorder stands in for the interpreter: it notes each start, and forbids torch until the agent runs."""
    log = tmp_path / "starts"
    forbid = tmp_path / "forbid"
    (forbid / "torch").mkdir(parents=True)
    (forbid / "torch/__init__.py").write_text("raise RuntimeError('torch was imported before the launch')\n")
    recorder = tmp_path / "python"
    recorder.write_text(
        "#!/usr/bin/env bash\n"
        f'printf "%s\\n" "$2" >>"{log}"\n'
        'case "$2" in primus.torchrun) ;; '
        f'*) export PYTHONPATH="{forbid}${{PYTHONPATH:+:$PYTHONPATH}}" ;; esac\n'
        f'exec "{sys.executable}" "$@"\n'
    )
    recorder.chmod(0o755)
    result = dummy.train(config=GOOD, options=("--nproc", "1"), PRIMUS_PYTHON=str(recorder))
    assert result.returncode == 0, result.stderr
    assert log.read_text().splitlines()[:2] == ["primus.plan", "primus.torchrun"]
