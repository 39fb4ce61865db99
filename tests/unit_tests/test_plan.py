"""The check before a launch: what it answers, what it refuses, what it does not import."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from primus.core.backend.backend_adapter import BackendAdapter
from primus.core.backend.backend_path import BackendLocation
from primus.core.backend.backend_registry import BackendRegistry
from primus.core.errors import BackendPathError, PrimusError
from primus.plan import main, plan

ROOT = Path(__file__).resolve().parents[2]

EXPERIMENT = """\
work_group: group
user_name: ${WHO:me}
exp_name: tiny
env: {A: "x=y", B: "two\\nlines"}
modules:
  pre_trainer:
    framework: toy
    overrides: {degree: 2, NCCL_DEBUG: INFO}
"""


class ToyAdapter(BackendAdapter):
    """A framework that lies wherever the test says."""

    version = "1.0"
    place: BackendLocation | None = None
    supported_versions = ">=1.0,<2"

    def load_trainer_class(self, stage="pretrain"):
        raise AssertionError("the check must not load the trainer")

    def convert_config(self, params):
        raise AssertionError("the check must not convert")

    def detect_backend_version(self):
        return self.version

    def locate(self, backend_path=None):
        if backend_path == "/wrong":
            raise BackendPathError("--backend_path: /wrong is no directory", "name another")
        if self.place is None:
            raise BackendPathError("framework 'toy' not found", "pip install toy")
        return self.place

    def check_params(self, params, world_size):
        degree = params.get("degree", 1)
        return [f"degree {degree} does not divide {world_size} processes"] if world_size % degree else []

    def console_ranks(self, params, world_size, nproc_per_node, node_rank):
        return [0, nproc_per_node - 1] if node_rank == 1 else [0]


@pytest.fixture(autouse=True)
def toy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(BackendRegistry, "_adapters", {"toy": ToyAdapter})
    monkeypatch.setattr("primus.plan._has_torch", lambda: True)
    (tmp_path / "exp.yaml").write_text(EXPERIMENT)
    return tmp_path


def ask(*words, nnodes=2, nproc=4, environ=None, extra=()):
    argv = ["--nnodes", str(nnodes), "--nproc-per-node", str(nproc), *extra, "--", "train", "pretrain"]
    return plan([*argv, "--config", "exp.yaml", *words], environ or {})


def refusal(*words, **options):
    with pytest.raises(PrimusError) as caught:
        ask(*words, **options)
    return [caught.value.exit_status, *caught.value.lines()]


def test_the_answer_holds_what_a_launcher_needs(toy):
    assert ask(environ={"WHO": "you"}) == [
        ("framework", "toy"),
        ("module", "pre_trainer"),
        ("stage", "pretrain"),
        ("config", f"{toy}/exp.yaml"),
        ("exp_dir", f"{toy}/output/group/you/tiny"),
        ("data_path", f"{toy}/data"),
        ("framework_origin", ""),
        ("torch", "yes"),
        ("console_ranks", "0"),
        ("env.A", "x=y"),
        ("env.B", "two\nlines"),
        (
            "warning",
            "exp.yaml:8: NCCL_DEBUG looks like an environment variable; those belong under env: at the top",
        ),
    ]


def test_overrides_and_allow_unknown_reach_the_experiment():
    records = dict(ask("--exp_name", "other", "workspace=/w", "--workgroup.x=1", "--allow-unknown"))
    assert records["exp_dir"] == "/w/group/me/other"


def test_the_data_folder_comes_from_the_option_then_the_environment(toy):
    assert dict(ask("--data_path", "d", environ={"PRIMUS_DATA_PATH": "/e"}))["data_path"] == f"{toy}/d"
    assert dict(ask(environ={"PRIMUS_DATA_PATH": "/e/../f"}))["data_path"] == "/f"


def test_the_place_of_the_framework_is_told(monkeypatch, toy):
    monkeypatch.setattr(ToyAdapter, "place", BackendLocation("installed", toy, toy / "toy"))
    assert dict(ask())["framework_origin"] == str(toy)


def test_the_console_shows_the_ranks_that_the_backend_names():
    assert dict(ask(extra=["--node-rank", "1"]))["console_ranks"] == "0,3"


def test_a_wrong_explicit_place_is_refused():
    assert refusal("--backend_path", "/wrong") == [3, "--backend_path: /wrong is no directory", "name another"]


def test_a_framework_that_is_not_there_is_left_to_the_hooks_unless_its_place_was_named():
    assert dict(ask())["framework_origin"] == ""
    assert refusal(environ={"BACKEND_PATH": "/x"}) == [3, "framework 'toy' not found", "pip install toy"]


def test_a_backend_that_sets_its_own_path_needs_no_place(monkeypatch):
    monkeypatch.setattr(ToyAdapter, "setup_backend_path", lambda self, backend_path=None: "", raising=False)
    assert dict(ask(environ={"BACKEND_PATH": "/x"}))["framework_origin"] == ""


def test_numbers_that_do_not_fit_are_refused():
    assert refusal(nnodes=1, nproc=3) == [
        2,
        "exp.yaml:8: degree 2 does not divide 3 processes",
        "mend one of these values, or the number of processes",
    ]


@pytest.mark.parametrize("version", ["1.0", "1.5.2", "1.9rc1", "1.0+local", "not a version", ""])
def test_supported_versions_go_on(monkeypatch, version):
    monkeypatch.setattr(ToyAdapter, "version", version)
    assert dict(ask())["framework"] == "toy"


def test_an_unsupported_version_is_refused_with_the_command_that_mends_it(monkeypatch):
    monkeypatch.setattr(ToyAdapter, "version", "2.1")
    assert refusal() == [
        3,
        "toy 2.1 is not supported yet, only >=1.0,<2",
        f"{shlex.quote(sys.executable)} -m pip install toy",
    ]


def test_without_torch_there_is_no_launch_unless_none_is_needed_or_hooks_install_it(monkeypatch):
    monkeypatch.setattr("primus.plan._has_torch", lambda: False)
    assert refusal() == [
        3,
        f"{sys.executable} has no torch",
        f"{shlex.quote(sys.executable)} -m pip install torch, or name another --venv",
    ]
    assert dict(ask(environ={"PRIMUS_RUN_MODE": "single"}))["torch"] == "no"
    assert dict(ask(environ={"PRIMUS_AUTO_INSTALL": "1"}))["torch"] == "no"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "primus.plan: no train command"),
        (["--nodes", "2", "--"], "primus.plan: unknown argument '--nodes'"),
        (["--nnodes", "x", "--"], "primus.plan: --nnodes wants a count, got 'x'"),
        (["--nnodes=0", "--"], "primus.plan: --nnodes wants a count, got '0'"),
        (["--nnodes"], "primus.plan: --nnodes wants a count, got ''"),
        (["--nnodes", "1", "--"], "command line: no command"),
    ],
)
def test_a_malformed_call_is_refused(argv, message):
    with pytest.raises(PrimusError) as caught:
        plan(argv, {})
    assert (caught.value.exit_status, caught.value.message) == (2, message)


def test_records_end_with_nul_and_errors_take_two_lines(capfdbinary):
    argv = ["--", "train", "pretrain", "--config"]
    assert main([*argv, "exp.yaml", "--degree", "1"]) == 0
    out, err = capfdbinary.readouterr()
    assert out.startswith(b"framework=toy\0module=pre_trainer\0") and b"\0env.B=two\nlines\0" in out and err == b""
    assert main([*argv, "no.yaml"]) == 2
    out, err = capfdbinary.readouterr()
    assert (out, err) == (b"", b"[primus] ERROR no.yaml does not exist\ndid you mean exp.yaml?\n")


def test_the_check_imports_neither_torch_nor_the_framework(tmp_path):
    (tmp_path / "exp.yaml").write_text("modules: {pre_trainer: {framework: torchtitan}}\n")
    code = (
        "import sys; sys.argv = ['plan', '--', 'train', 'pretrain', '--config', 'exp.yaml']\n"
        "import primus.plan; status = primus.plan.main()\n"
        "print(status, sorted({'torch', 'torchtitan', 'numpy', 'jax'} & set(sys.modules)), file=sys.stderr)"
    )
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "PRIMUS_RUN_MODE": "single"}
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
    )
    assert result.stderr == "0 []\n" and result.stdout.startswith("framework=torchtitan\0")


def test_without_pyyaml_the_mending_command_is_told(tmp_path):
    code = "import sys; sys.modules['yaml'] = None; import primus.plan; sys.exit(primus.plan.main())"
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, "--", "train", "pretrain", "--config", "exp.yaml"]
    result = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (3, "")
    assert result.stderr == (
        f"[primus] ERROR {sys.executable} has no module 'yaml'\n"
        f"{shlex.quote(sys.executable)} -m pip install pyyaml packaging\n"
    )


def test_ranks_on_other_hosts_are_neither_counted_nor_asked_for_torch(monkeypatch):
    monkeypatch.setattr("primus.plan._has_torch", lambda: False)
    records = dict(ask("--degree", "3", nnodes=1, nproc=0))
    assert (records["framework"], records["console_ranks"]) == ("toy", "")


def test_a_resolved_file_that_cannot_be_written_is_refused_before_the_launch(toy, monkeypatch):
    (toy / "file").write_text("")
    told = [3, f"{toy}/file/x.yaml cannot be written: {toy}/file is no directory", "name another file"]
    assert refusal("--export_config", "file/x.yaml") == told
    assert refusal("--export_config", ".")[1] == f"{toy} cannot be written: it is a directory"
    assert dict(ask("--export_config", "new/folder/x.yaml"))["framework"] == "toy" and not (toy / "new").exists()
    monkeypatch.setattr("primus.core.config.dump.os.access", lambda path, mode: False)
    assert refusal("--export_config", "x.yaml")[1] == f"{toy}/x.yaml cannot be written: no permission to write in {toy}"


def test_a_launcher_that_is_gone_leaves_no_traceback(tmp_path):
    (tmp_path / "exp.yaml").write_text("modules: {pre_trainer: {framework: torchtitan}}\n")
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "PRIMUS_RUN_MODE": "single"}
    command = [sys.executable, "-m", "primus.plan", "--", "train", "pretrain", "--config", "exp.yaml"]
    reader, writer = os.pipe()
    os.close(reader)
    result = subprocess.run(
        command, cwd=tmp_path, env=environ, stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert (result.returncode, result.stderr) == (1, "")
