"""The hook prepares what an experiment asks for, and leaves a user's own data alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from primus.backends.torchtitan.corpus_hook import corpus_lines, main
from primus.core.errors import ConfigError

ROOT = Path(__file__).resolve().parents[4]
HOOK = ROOT / "runner" / "helpers" / "hooks" / "train" / "pretrain" / "torchtitan" / "prepare.py"

EXPERIMENT = """\
work_group: tests
user_name: tests
exp_name: corpus
modules:
  pre_trainer:
    framework: torchtitan
    config: pre_trainer.yaml
    model: {model}
    overrides:
      model: {{hf_assets_path: {assets}}}
      corpus: {corpus}
"""

pytest.importorskip("tokenizers", reason="pip install tokenizers")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "my data"
    folder.mkdir()
    (folder / "a.txt").write_text("hello world\n" * 50)
    (folder / "b.txt").write_text("more words\n" * 50)
    return folder


def experiment(folder: Path, corpus: str = "{files: '*.txt', vocab_size: 300}", assets: str = "/mine") -> str:
    model = "llama3_8B.yaml"
    text = EXPERIMENT.format(corpus=corpus, assets=assets, model=model)
    if not assets:
        text = text.replace("      model: {hf_assets_path: }\n", "")
    path = folder.parent / "experiment.yaml"
    path.write_text(text)
    return str(path)


def lines(data: Path, config: str, *argv: str) -> list[str]:
    return corpus_lines(["--config", config, *argv], {"PRIMUS_DATA_PATH": str(data)})


def test_a_corpus_and_a_tokenizer_are_prepared(data: Path) -> None:
    config = experiment(data, assets="")
    found = lines(data, config)
    (folder,) = (data / "corpus").iterdir()
    assert found == [
        "extra.training.dataset=c4_test",
        f"extra.training.dataset_path={folder}/text",
        f"extra.model.hf_assets_path={folder}/tokenizer",
    ]
    assert lines(data, config) == found


def test_a_tokenizer_of_the_users_own_is_kept(data: Path) -> None:
    found = lines(data, experiment(data, assets="/mine"))
    assert [line.partition("=")[0] for line in found] == ["extra.training.dataset", "extra.training.dataset_path"]
    found = lines(data, experiment(data, assets=""), "--model.hf_assets_path", "/mine")
    assert len(found) == 2


def test_a_held_out_share_becomes_the_validation_data(data: Path) -> None:
    found = lines(data, experiment(data, "{files: '*.txt', validation_fraction: 0.5}"))
    (folder,) = (data / "corpus").iterdir()
    assert found[2:] == ["extra.validation.dataset=c4_test", f"extra.validation.dataset_path={folder}/held_out"]


def test_an_experiment_without_a_corpus_has_nothing_prepared(data: Path) -> None:
    assert lines(data, experiment(data, "null")) == []
    assert lines(data, experiment(data), "--corpus=null") == []
    assert not (data / "corpus").exists()


def test_an_empty_section_or_an_override_alone_asks_for_the_library(data: Path) -> None:
    found = lines(data, experiment(data, "{}"), "--corpus.max_bytes", "100000")
    assert "/corpus/stdlib-" in found[1]
    found = lines(data, experiment(data, "null"), "--corpus.source", "stdlib", "--corpus.max_bytes", "100000")
    assert "/corpus/stdlib-" in found[1]


@pytest.mark.parametrize(
    ("argv", "what"),
    [
        (["--training.dataset_path", "/mine"], "training.dataset_path"),
        (["training.dataset=c4"], "training.dataset"),
    ],
)
def test_data_of_the_users_own_win(data: Path, capsys: pytest.CaptureFixture[str], argv: list[str], what: str) -> None:
    assert lines(data, experiment(data), *argv) == []
    assert capsys.readouterr().err.startswith(f"[primus] corpus: not prepared, because {what} (command line")
    assert not (data / "corpus").exists()


def test_the_data_path_of_the_command_line_wins(data: Path, tmp_path: Path) -> None:
    config = experiment(data)
    found = corpus_lines(["--config", config, "--data_path", str(data)], {"PRIMUS_DATA_PATH": str(tmp_path)})
    assert found[1].startswith(f"extra.training.dataset_path={data}/corpus/")


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        ("{vocabsize: 3}", "corpus.vocabsize: unknown key (did you mean corpus.vocab_size?)"),
        ("{files: 'none/*'}", "corpus.files: 'none/*' matches no file in"),
    ],
)
def test_a_wrong_setting_is_told_with_its_place(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, corpus: str, message: str
) -> None:
    config = experiment(data, corpus)
    with pytest.raises(ConfigError) as caught:
        lines(data, config)
    assert message in str(caught.value)
    monkeypatch.setenv("PRIMUS_DATA_PATH", str(data))
    assert main(["--config", config]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("[primus] ")
    assert len(err.splitlines()) == 2


def run_hook(data: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PRIMUS_DATA_PATH": str(data), "PYTHONPATH": ""}
    command = [sys.executable, str(HOOK), *argv]
    return subprocess.run(command, env=environ, cwd=data, capture_output=True, text=True, check=False)


def test_the_hook_finds_primus_by_itself_and_writes_control_lines_alone_to_stdout(data: Path) -> None:
    result = run_hook(data, "--config", experiment(data))
    assert result.returncode == 0, result.stderr
    assert all(line.startswith("extra.") for line in result.stdout.splitlines())
    assert "documents" in result.stderr


def test_the_hook_ends_with_the_status_of_the_mistake(data: Path) -> None:
    (data / "b.txt").write_bytes(b"fine\n\xe4\n")
    result = run_hook(data, "--config", experiment(data))
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-2:] == [
        "[primus] corpus: b.txt:2: not UTF-8: byte 0xe4 at position 1 of the line",
        "[primus] convert the file (iconv -f LATIN1 -t UTF-8), or leave it out of corpus.files",
    ]


def test_the_hook_leaves_neither_lock_nor_scratch_when_it_is_stopped(data: Path) -> None:
    (data / "pipe.txt").unlink(missing_ok=True)
    os.mkfifo(data / "pipe.txt")
    environ = {**os.environ, "PRIMUS_DATA_PATH": str(data)}
    command = [sys.executable, str(HOOK), "--config", experiment(data)]
    process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    # It waits for the pipe by then, with its lock and its scratch folder there.
    while not list((data / "corpus").glob(".*.tmp")) and time.monotonic() < end:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 143
    assert list((data / "corpus").iterdir()) == []


def test_a_corpus_with_fewer_documents_than_data_parallel_ranks_is_refused(data: Path) -> None:
    (data / "b.txt").unlink()
    argv = ["--config", experiment(data)]
    environ = {"PRIMUS_DATA_PATH": str(data), "GPUS_PER_NODE": "2", "NNODES": "1"}
    with pytest.raises(ConfigError) as caught:
        corpus_lines(argv, environ)
    assert caught.value.message.endswith("corpus has 1 document for 2 data-parallel ranks")
    assert corpus_lines([*argv, "parallelism.tensor_parallel_degree=2"], environ)
