"""The launcher's configuration."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from primus.core.errors import ConfigError
from primus.launcher_config import Setting, declared_options, read_settings

ROOT = Path(__file__).resolve().parents[2]
DIRECT = ROOT / "runner" / "commands" / "direct"


def _read(tmp_path: Path, *texts: str, command: Path = DIRECT) -> list[tuple[str, str, str]]:
    files = []
    for number, text in enumerate(texts):
        file = tmp_path / f"{number}.yaml"
        file.write_text(text, encoding="utf-8")
        files.append(str(file))
    return [(setting.kind, setting.name, setting.value) for setting in read_settings(command, files)]


def test_options_are_those_of_the_commands_header(tmp_path: Path) -> None:
    command = tmp_path / "command"
    command.write_text(
        "#!/bin/bash\n# Title\n#\n# Options:\n#   --flag        text\n#   --value N     text\n"
        "#   --list NAME... text\n#                 --not-this one\n\n#   --after N     no header\n"
    )
    assert declared_options(command) == {"flag": "flag", "value": "value", "list": "list"}


def test_a_later_file_wins_and_lists_are_replaced(tmp_path: Path) -> None:
    assert _read(
        tmp_path,
        "env: {A: one, B: one}\ndirect: {nproc: 2, env-file: [a, b]}\n",
        "env: {B: two}\ndirect: {nproc: 3, env_file: c}\n",
    ) == [("env", "A", "one"), ("env", "B", "two"), ("option", "--nproc", "3"), ("option", "--env-file", "c")]


def test_texts_are_kept_as_they_are_written(tmp_path: Path) -> None:
    assert _read(tmp_path, "env: {A: 007, B: 1.10, C: yes, D: '', E: 1e5, F: \"x\\ny\"}\n") == [
        ("env", "A", "007"),
        ("env", "B", "1.10"),
        ("env", "C", "yes"),
        ("env", "D", ""),
        ("env", "E", "1e5"),
        ("env", "F", "x\ny"),
    ]


def test_a_flag_is_set_or_taken_back(tmp_path: Path) -> None:
    assert _read(tmp_path, "direct: {numa: true, single: false}\n") == [("option", "--numa", "1")]
    assert _read(tmp_path, "direct: {numa: false}\n") == [("option", "--no-numa", "1")]
    assert _read(tmp_path, "direct: {numa: true}\n", "direct: {no-numa: true}\n") == [("option", "--no-numa", "1")]


def test_hook_folders_are_relative_to_their_file(tmp_path: Path) -> None:
    assert _read(tmp_path, "hooks_path: [here, /there]\n") == [("env", "PRIMUS_HOOKS_PATH", f"{tmp_path}/here:/there")]


def test_other_commands_sections_are_checked_but_not_applied(tmp_path: Path) -> None:
    assert _read(tmp_path, "hooks: {only: x}\n") == []
    with pytest.raises(ConfigError, match="unknown option of hooks 'onyl'"):
        _read(tmp_path, "hooks: {onyl: x}\n")


def test_empty_files_and_sections_set_nothing(tmp_path: Path) -> None:
    assert _read(tmp_path, "# nothing\n", "direct:\nenv:\n", "") == []


def test_the_place_is_file_and_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.yaml").write_text("\n\ndirect:\n  nproc: 8\n")
    assert read_settings(DIRECT, ["c.yaml"]) == [Setting("option", "--nproc", "8", "c.yaml:4")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("direct: {nprocs: 3}", "unknown option of direct 'nprocs'"),
        ("dirct: {}", "unknown section 'dirct'"),
        ("direct: {nproc: null}", "direct.nproc holds no single value"),
        ("direct: {numa: 1}", "direct.numa is neither true nor false"),
        ("env: [A]", "env is no mapping"),
        ("a: 1\na: 2", "a"),
    ],
)
def test_mistakes_name_their_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        _read(tmp_path, text)
    assert ":1: " in str(caught.value) or ":2: " in str(caught.value)


def test_the_check_runs_in_the_same_process(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("direct: {nproc: 8}\n")
    request = b"1\0NAME=odd \xff value\0" + b"--nnodes\0x\0--\0train\0pretrain\0"
    done = subprocess.run(
        [sys.executable, "-m", "primus.launcher_config", str(DIRECT), str(tmp_path / "c.yaml")],
        input=request,
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.stdout.split(b"\0")[:4] == [b"option", b"--nproc", b"8", f"{tmp_path}/c.yaml:1".encode()]
    assert done.returncode == 2
    assert b"--nnodes wants a count" in done.stderr


def test_nothing_to_check_ends_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "primus.launcher_config", str(DIRECT)],
        input=b"",
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"end\0\0\0\0", b"")


SLURM = DIRECT.parent / "slurm"


def test_other_keys_of_the_section_slurm_are_flags_of_slurm(tmp_path: Path) -> None:
    low, high = tmp_path / "low.yaml", tmp_path / "high.yaml"
    low.write_text("slurm: {partition: gpu, exclusive: true, time: 1-00:00:00, save-seconds: 60}\n")
    high.write_text("slurm: {exclusive: false, requeue: false, cpus_per_task: 8}\n")
    settings = [(setting.name, setting.value) for setting in read_settings(SLURM, [str(low), str(high)])]
    assert settings == [
        ("--slurm-option", "partition=gpu"),
        ("--slurm-option", "time=1-00:00:00"),
        ("--save-seconds", "60"),
        ("--slurm-option", "no-requeue"),
        ("--slurm-option", "cpus-per-task=8"),
    ]
