"""A corpus is built once, whole, the same everywhere, and found again while its inputs are unchanged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from primus.core.errors import ConfigError, LaunchEnvironmentError
from primus.data import corpus as module
from primus.data.corpus import PreparedCorpus, prepare_corpus
from primus.data.corpus_settings import CorpusSettings

ROOT = Path(__file__).resolve().parents[3]


def settings(**values: Any) -> CorpusSettings:
    return CorpusSettings.from_mapping(values)


def prepare(folder: Path, tokenizer: bool = False, **values: Any) -> PreparedCorpus:
    return prepare_corpus(settings(**values), folder, tokenizer=tokenizer)


def texts(folder: Path) -> list[str]:
    return [json.loads(line)["text"] for line in (folder / "data.json").read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "my 'data'"
    (folder / "in").mkdir(parents=True)
    for number in range(6):
        (folder / "in" / f"{number}.txt").write_text(f"text number {number}\n" * 20, encoding="utf-8")
    return folder


def test_the_files_become_lines_in_their_order(data: Path) -> None:
    corpus = prepare(data, files="in/*.txt")
    assert texts(corpus.text) == [f"text number {number}\n" * 20 for number in range(6)]
    assert (corpus.documents, corpus.text_bytes, corpus.reused) == (6, 6 * 20 * 14, False)
    assert [path.name for path in corpus.text.iterdir()] == ["data.json"]
    assert (corpus.held_out, corpus.tokenizer) == (None, None)


def test_nothing_but_the_result_is_left(data: Path) -> None:
    corpus = prepare(data, files="in/*.txt")
    assert list((data / "corpus").iterdir()) == [corpus.folder]


def test_the_same_inputs_are_found_again(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = prepare(data, files="in/*.txt")
    monkeypatch.setattr(module, "_build", lambda *arguments: pytest.fail("built twice"))
    second = prepare(data, files="in/*.txt")
    assert second.reused
    assert second.folder == first.folder


@pytest.mark.parametrize("what", ["time", "size", "settings", "more files", "tokenizer"])
def test_a_change_gives_another_corpus_and_leaves_the_old_one(data: Path, what: str) -> None:
    first = prepare(data, files="in/*.txt")
    file = data / "in" / "3.txt"
    values: dict[str, Any] = {"files": "in/*.txt"}
    if what == "time":
        os.utime(file, ns=(0, 12345))
    elif what == "size":
        file.write_text("other", encoding="utf-8")
    elif what == "settings":
        values["max_bytes"] = 5000
    elif what == "more files":
        (data / "in" / "7.txt").write_text("more", encoding="utf-8")
    second = prepare(data, tokenizer=what == "tokenizer", **values)
    assert second.folder != first.folder
    assert first.folder.is_dir()


def test_limits_that_change_nothing_but_waiting_keep_the_corpus(data: Path) -> None:
    first = prepare(data, files="in/*.txt")
    assert prepare(data, files="in/*.txt", lock_timeout_seconds=5).folder == first.folder


def test_a_moved_data_folder_keeps_its_corpus(data: Path) -> None:
    first = prepare(data, files="in/*.txt")
    moved = data.with_name("moved")
    data.rename(moved)
    assert prepare(moved, files="in/*.txt").folder.name == first.folder.name


def test_max_bytes_ends_the_corpus_before_the_document_that_would_go_over(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert prepare(data, files="in/*.txt", max_bytes=1000).documents == 3
    assert "stopped after 840 bytes of text, as corpus.max_bytes says" in capsys.readouterr().err


def test_a_first_document_over_max_bytes_is_an_error(data: Path) -> None:
    (data / "in" / "0.txt").write_text("x" * 2000, encoding="utf-8")
    with pytest.raises(ConfigError, match="its first document is larger than 1,000 bytes"):
        prepare(data, files="in/*.txt", max_bytes=1000)


def test_a_share_is_held_out_in_a_folder_of_its_own(data: Path) -> None:
    corpus = prepare(data, files="in/*.txt", validation_fraction=0.34)
    assert corpus.held_out is not None
    assert [text.split("\n")[0][-1] for text in texts(corpus.held_out)] == ["2", "5"]
    assert [text.split("\n")[0][-1] for text in texts(corpus.text)] == ["0", "1", "3", "4"]
    assert prepare(data, files="in/*.txt", validation_fraction=0.34).held_out == corpus.held_out


def test_too_little_text_to_hold_any_out_is_an_error(data: Path) -> None:
    with pytest.raises(ConfigError, match=r"too few documents \(6\) to hold out 0.1 of them"):
        prepare(data, files="in/*.txt", validation_fraction=0.1)


def test_a_wrong_file_leaves_nothing_behind(data: Path) -> None:
    (data / "in" / "4.txt").write_bytes(b"fine\n\xff\n")
    with pytest.raises(ConfigError, match=r"4\.txt:2: not UTF-8"):
        prepare(data, files="in/*.txt")
    assert list((data / "corpus").iterdir()) == []


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("none/*.txt", "corpus.files: 'none/*.txt' matches no file in {data}"),
        ("missing.txt", "corpus.files: 'missing.txt' matches no file in {data}"),
        ("in", "corpus: {data}/in: is a folder"),
    ],
)
def test_a_name_without_a_file_is_an_error(data: Path, pattern: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        prepare(data, files=["in/*.txt", pattern])
    assert str(caught.value) == message.format(data=data)


def test_a_file_is_taken_once_and_its_brackets_are_no_pattern(data: Path) -> None:
    (data / "in" / "odd[1].txt").write_text("odd", encoding="utf-8")
    corpus = prepare(data, files=["in/odd[1].txt", "in/1.txt", "in/[0-9].txt"])
    assert [text.split("\n")[0] for text in texts(corpus.text)][:3] == ["odd", "text number 1", "text number 0"]
    assert corpus.documents == 7


def test_an_absolute_name_and_a_recursive_glob_work(data: Path) -> None:
    (data / "in" / "deep" / "er").mkdir(parents=True)
    (data / "in" / "deep" / "er" / "a.md").write_text("deep", encoding="utf-8")
    assert prepare(data, files=[str(data / "in" / "0.txt"), "**/*.md"]).documents == 2


def test_an_output_folder_that_cannot_be_made_is_an_error(data: Path) -> None:
    (data / "occupied").write_text("a file", encoding="utf-8")
    with pytest.raises(LaunchEnvironmentError) as caught:
        prepare(data, files="in/*.txt", output="occupied")
    assert str(caught.value).startswith(f"corpus: cannot write {data}/occupied")
    assert caught.value.exit_status == 3


def test_the_output_folder_may_lie_elsewhere(data: Path, tmp_path: Path) -> None:
    corpus = prepare(data, files="in/*.txt", output=str(tmp_path / "elsewhere"))
    assert corpus.folder.parent == tmp_path / "elsewhere"


def test_scratch_of_a_killed_builder_goes_after_a_day_and_not_before(data: Path) -> None:
    corpus = prepare(data, files="in/*.txt")
    fresh, old = (corpus.folder.with_name(f".{corpus.folder.name}.{name}.tmp") for name in ("fresh", "old"))
    fresh.mkdir()
    old.mkdir()
    os.utime(old, (0, 0))
    (corpus.folder / "corpus.json").unlink()
    corpus.folder.rename(data / "gone")
    prepare(data, files="in/*.txt")
    assert (fresh.exists(), old.exists()) == (True, False)


def test_many_processes_build_one_corpus(data: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from primus.data.corpus import prepare_corpus\n"
        "from primus.data.corpus_settings import CorpusSettings\n"
        "c = prepare_corpus(CorpusSettings.from_mapping({'files': 'in/*.txt'}), Path(sys.argv[1]), tokenizer=False)\n"
        "print(c.reused)\n"
    )
    command = [sys.executable, "-c", program, str(data)]
    processes = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for _ in range(5)
    ]
    answers = sorted(process.communicate()[0].strip() for process in processes)
    assert answers == ["False", "True", "True", "True", "True"]
    assert len(list((data / "corpus").iterdir())) == 1


def test_long_reading_shows_how_far_it_is(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(0, 10_000, 2))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    prepare(data, files="in/*.txt")
    assert "file 2 of 6" in capsys.readouterr().err


def test_finding_a_corpus_again_imports_neither_tokenizers_nor_torch(data: Path) -> None:
    prepare(data, files="in/*.txt")
    program = (
        "import sys; from pathlib import Path\n"
        "from primus.data.corpus import prepare_corpus\n"
        "from primus.data.corpus_settings import CorpusSettings\n"
        "c = prepare_corpus(CorpusSettings.from_mapping({'files': 'in/*.txt'}), Path(sys.argv[1]), tokenizer=False)\n"
        "assert c.reused\n"
        "print(sorted({'tokenizers', 'torch', 'jax', 'datasets'} & set(sys.modules)))\n"
    )
    command = [sys.executable, "-c", program, str(data)]
    assert subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout == "[]\n"


def test_the_library_of_this_python_is_a_corpus_of_bounded_size(tmp_path: Path) -> None:
    corpus = prepare(tmp_path, max_bytes=500_000)
    found = texts(corpus.text)
    assert 490_000 < corpus.text_bytes <= 500_000
    assert len(found) == corpus.documents > 100
    assert sum("import " in text for text in found) > 10


def test_the_library_corpus_is_the_same_wherever_it_is_built(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers", reason="pip install tokenizers")
    one, two = (prepare(tmp_path / name, True, max_bytes=300_000, vocab_size=400) for name in ("a", "b"))
    for part in ("text/data.json", "tokenizer/tokenizer.json", "tokenizer/tokenizer_config.json", "corpus.json"):
        assert (one.folder / part).read_bytes() == (two.folder / part).read_bytes(), part
    assert one.folder.name == two.folder.name


def test_the_tokenizer_gives_every_text_back(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="pip install tokenizers")
    corpus = prepare(tmp_path, True, max_bytes=300_000, vocab_size=400)
    assert corpus.tokenizer is not None
    tokenizer = tokenizers.Tokenizer.from_file(str(corpus.tokenizer / "tokenizer.json"))
    assert tokenizer.get_vocab_size() == 400
    text = "def f(x):\n\treturn 'Grüße, 世界 🙂'  # \x00\n"
    assert tokenizer.decode(tokenizer.encode(text).ids) == text
    config = json.loads((corpus.tokenizer / "tokenizer_config.json").read_text(encoding="utf-8"))
    assert tokenizer.token_to_id(config["bos_token"]) == 0
    assert tokenizer.token_to_id(config["eos_token"]) == 1


def test_a_missing_tokenizers_library_is_told_with_the_command(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(LaunchEnvironmentError) as caught:
        prepare(data, True, files="in/*.txt")
    assert caught.value.hint.endswith("-m pip install tokenizers")
    assert list((data / "corpus").iterdir()) == []
