"""Completion: what Python answers, and what real shells make of it when somebody presses TAB."""

from __future__ import annotations

import os
import pty
import select
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from primus.tools import completion, completion_keys

ROOT = Path(__file__).resolve().parents[3]
SHELLS = {
    "bash": (
        ["bash", "--norc", "--noprofile", "-i"],
        "bind 'set enable-bracketed-paste off'; bind 'set bell-style none'; bind 'set show-all-if-ambiguous off'",
    ),
    "zsh": (["zsh", "-f", "-i"], "unsetopt prompt_sp beep; autoload -Uz compinit; compinit -u -D"),
}


@pytest.fixture
def experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("exp.yaml").write_text("modules: {pre_trainer: {framework: torchtitan}}\n", encoding="utf-8")
    return "exp.yaml"


def answer(capfdbinary: pytest.CaptureFixture[bytes], *words: str) -> list[str]:
    """Return the records for a line, without their descriptions."""
    assert completion.main(words) == 0
    records = capfdbinary.readouterr().out.decode().split("\0")
    assert records.pop() == ""
    return [record.partition("\t")[0] for record in records]


def test_keys_carry_their_type_and_default(capfdbinary: pytest.CaptureFixture[bytes], experiment: str) -> None:
    completion.main(["train", "pretrain", "--config", experiment, "training.steps"])
    assert capfdbinary.readouterr().out == b"ptraining.steps=\ta whole number of at least 0, default 10000\0"


def test_the_last_config_counts_and_its_stage(capfdbinary: pytest.CaptureFixture[bytes], experiment: str) -> None:
    Path("post.yaml").write_text("modules: {post_trainer: {framework: elsewhere}}\n", encoding="utf-8")
    line = ["--config", "post.yaml", f"--config={experiment}", "training.step"]
    assert answer(capfdbinary, "train", "pretrain", *line) == ["ptraining.steps="]
    assert answer(capfdbinary, "train", "posttrain", *line) == []
    assert answer(capfdbinary, "tool", "config", "show", "--config", "post.yaml", "dev") == ["pdevice="]


def test_a_framework_may_come_from_a_variable_or_a_file_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "base.yaml").write_text("modules: {pre_trainer: {framework: '${WHICH:torchtitan}'}}\n")
    (tmp_path / "exp.yaml").write_text("extends: base.yaml\n")
    assert completion_keys.framework_of(tmp_path / "exp.yaml", "pretrain") == "torchtitan"
    monkeypatch.setenv("WHICH", "other")
    assert completion_keys.framework_of(tmp_path / "exp.yaml", "") == "other"
    assert completion_keys.framework_of(tmp_path / "exp.yaml", "nonsense") == "other"
    assert completion_keys.framework_of(tmp_path / "none.yaml", "") == ""


@pytest.mark.parametrize(
    ("key", "schema", "records"),
    [
        ("a", {"type": "boolean"}, ["wtrue\t", "wfalse\t"]),
        ("a", {"enum": ["x", None, True]}, ["wx\t", "wnull\t", "wtrue\t"]),
        ("a", {"anyOf": [{"enum": ["x"]}, {"type": ["boolean", "null"]}]}, ["wx\t", "wtrue\t", "wfalse\t", "wnull\t"]),
        ("a", {"type": ["string", "null"]}, []),
        ("a", {"type": "integer"}, []),
        ("model.hf_assets_path", {"type": "string"}, ["fany\t"]),
        ("job.dump_folder", {"type": ["string", "null"]}, ["fany\t"]),
        ("training.profile", {"type": "string"}, []),
    ],
)
def test_values_are_offered_where_there_is_a_choice(key: str, schema: dict[str, object], records: list[str]) -> None:
    assert list(completion_keys.value_records(key, schema)) == records


def test_flat_keys_are_listed_whole_and_a_lone_section_is_opened() -> None:
    flat: dict[str, dict[str, object]] = {"train_iters": {}, "train_samples": {}, "lr": {}}
    assert list(completion_keys.key_records("train", flat, "--")) == [
        "w--train_iters\tany value",
        "w--train_samples\tany value",
    ]
    nested: dict[str, dict[str, object]] = {"a.b.c": {}, "a.b.d": {}, "a.e": {}, "f.g": {}}
    assert list(completion_keys.key_records("", nested, "", "=")) == ["pa.\t", "pf.\t"]
    assert list(completion_keys.key_records("a", nested, "", "=")) == ["pa.b.\t", "pa.e=\tany value"]
    assert list(completion_keys.key_records("a.b", nested, "", "=")) == ["pa.b.c=\tany value", "pa.b.d=\tany value"]


def test_options_of_python_commands_are_those_of_their_help(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    from primus.tools.config import HELP

    for name, text in HELP.items():
        for option in completion.options_in(text):
            assert option.name in text
        if name:
            given = answer(capfdbinary, "tool", "config", name, "--")
            assert given == [*(f"w{option.name}" for option in completion.options_in(text)), "w--help"]
    assert answer(capfdbinary, "tool", "config", "") == [*(f"w{name}" for name in HELP if name), "w--help"]


@pytest.mark.parametrize(
    ("words", "records"),
    [
        (["config", "show", "--config", ""], ["fexperiment"]),
        (["config", "show", "--stage=p"], ["w--stage=pretrain", "w--stage=posttrain"]),
        (["config", "schema", "--output", ""], ["fany"]),
        (["config", "diff", "a.yaml", ""], ["fexperiment"]),
        (["config", "new", "--framework", "../..", "--model", ""], []),
        (["config", "new", "--framework", "torchtitan", "--preset", "pre"], ["wpre_trainer.yaml"]),
        (["config", "nonsense", "--"], ["w--help"]),
        (["patches", "list", "--framework", "torch"], ["wtorchtitan"]),
    ],
)
def test_arguments_of_python_commands(
    capfdbinary: pytest.CaptureFixture[bytes], experiment: str, words: list[str], records: list[str]
) -> None:
    assert answer(capfdbinary, "tool", *words) == records


def test_the_value_of_an_option_is_no_option(capfdbinary: pytest.CaptureFixture[bytes], experiment: str) -> None:
    assert answer(capfdbinary, "train", "pretrain", "--data-path", "") == ["ffolder"]
    assert answer(capfdbinary, "train", "pretrain", "--export_config=x") == ["fany"]
    line = ["--debug", "--config", experiment, "--allow-unknown", "train"]
    assert "ptraining.steps=" in answer(capfdbinary, "train", "pretrain", *line)


def test_it_needs_no_torch() -> None:
    code = (
        "import sys; from primus.tools import completion, completion_keys as k; k.known_keys(sys.argv[1], '');"
        "sys.exit(bool({'torch', 'jax', 'torchtitan'} & set(sys.modules)))"
    )
    example = ROOT / "examples" / "torchtitan" / "configs" / "cpu" / "llama3_debug-pretrain.yaml"
    subprocess.run([sys.executable, "-c", code, example], cwd=ROOT, check=True)


class Terminal:
    """A shell at a terminal, where ``primus-cli`` prints its arguments instead of doing anything."""

    def __init__(self, shell: str, folder: Path) -> None:
        argv, settings = SHELLS[shell]
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            path = os.environ["PATH"]
            own = {"PATH": path, "HOME": str(folder), "TERM": "dumb", "PRIMUS_PYTHON": sys.executable, "PS1": "$ "}
            os.execvpe(argv[0], argv, own)
        recorder = "primus-cli() { printf 'GOT'; printf '[%s]' \"$@\"; printf 'E%s\\n' ND; }"
        script = f"source <({shlex.quote(str(ROOT / 'primus-cli'))} completion {shell})"
        self.type(f"{settings}; {script}; {recorder}; printf 'READ%s\\n' Y\r", "READY")

    def type(self, keys: str, until: str) -> str:
        """Press keys and return what the terminal shows up to a text."""
        os.write(self.terminal, keys.encode())
        shown = ""
        deadline = time.monotonic() + 60
        while until not in shown:
            ready, _, _ = select.select([self.terminal], [], [], deadline - time.monotonic())
            assert ready, f"the terminal shows only {shown!r}"
            shown += os.read(self.terminal, 65536).decode()
        return shown

    def arguments(self, keys: str) -> str:
        """Return the arguments that primus-cli got, each in brackets."""
        shown = self.type(keys + "\r", "END\r\n")
        return shown.rpartition("GOT")[2].partition("END")[0]

    def close(self) -> None:
        """End the shell."""
        os.write(self.terminal, b"exit\r")
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


@pytest.mark.parametrize("shell", SHELLS)
def test_pressing_tab_in_a_real_shell(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}: apt-get install {shell}")
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "it's one.yaml").write_text("modules: {pre_trainer: {framework: torchtitan}}\n")
    (tmp_path / "exp.yaml").write_text("modules: {pre_trainer: {framework: torchtitan}}\n")
    terminal = Terminal(shell, tmp_path)
    try:
        assert terminal.arguments("primus-cli dir\t--npr\t3") == "[direct][--nproc][3]"
        assert terminal.arguments("primus-cli direct -- tr\tpre\t--conf\ta\ti\t") == (
            "[direct][--][train][pretrain][--config][a b/it's one.yaml]"
        )
        train = "primus-cli direct -- train pretrain --config exp.yaml "
        got = "[direct][--][train][pretrain][--config][exp.yaml]"
        assert terminal.arguments(train + "training.see\t1") == got + "[training.see1]"
        assert terminal.arguments(train + "training.ste\t1") == got + "[training.steps=1]"
        assert terminal.arguments(train + "--training.ste\t1") == got + "[--training.steps][1]"
        assert terminal.arguments(train + "device=cu\tx=1") == got + "[device=cuda][x=1]"
        assert terminal.arguments(train + "--device=cu\tx=1") == got + "[--device=cuda][x=1]"
        assert terminal.arguments(train + "--device cu\tx=1") == got + "[--device][cuda][x=1]"
        assert terminal.arguments("primus-cli hooks list --config=ex\tx") == "[hooks][list][--config=exp.yaml][x]"
        assert terminal.arguments("primus-cli direct --config ~/ex\tx") == f"[direct][--config][{tmp_path}/exp.yaml][x]"
        assert terminal.arguments("primus-cli config explain --config exp.yaml optimizer.be\t1") == (
            "[config][explain][--config][exp.yaml][optimizer.beta1]"
        )
    finally:
        terminal.close()
