"""Text and JSON-lines files become documents, or an error that names file and line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from primus.data.corpus_error import CorpusError
from primus.data.text_files import PIECE_BYTES, read_documents


def documents(path: Path, file_format: str = "auto", text_key: str = "text") -> list[str]:
    return list(read_documents(path, file_format, text_key))


def failure(path: Path, file_format: str = "auto", text_key: str = "text") -> CorpusError:
    with pytest.raises(CorpusError) as caught:
        documents(path, file_format, text_key)
    return caught.value


def write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "README", "b.md.GZ".lower()])
def test_a_text_file_is_one_document(tmp_path: Path, name: str) -> None:
    assert documents(write(tmp_path, name, "Grüße\nzwei\n".encode())) == ["Grüße\nzwei\n"]


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    assert documents(write(tmp_path, "a.txt", b"\xef\xbb\xbfhello")) == ["hello"]


def test_a_large_text_file_becomes_pieces_cut_at_line_ends(tmp_path: Path) -> None:
    line = "x" * 99 + "\n"
    count = 3 * PIECE_BYTES // 100
    pieces = documents(write(tmp_path, "a.txt", (line * count).encode()))
    assert len(pieces) == 3
    assert all(piece.endswith("\n") for piece in pieces)
    assert "".join(pieces) == line * count


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson.gz", "a.json", "a.jsonl.gz"])
def test_each_json_line_is_a_document_and_blank_lines_are_none(tmp_path: Path, name: str) -> None:
    data = b'{"text": "one", "id": 1}\n\n  \n{"text": "zwei \\u00fc"}\n'
    assert documents(write(tmp_path, name, data)) == ["one", "zwei ü"]


def test_another_key_and_a_format_that_the_name_does_not_tell(tmp_path: Path) -> None:
    path = write(tmp_path, "dump", b'{"content": "one"}\n')
    assert documents(path, "jsonl", "content") == ["one"]


def test_a_lone_surrogate_does_not_reach_the_tokenizer(tmp_path: Path) -> None:
    assert documents(write(tmp_path, "a.jsonl", b'{"text": "a\\ud800b"}\n')) == ["a?b"]


@pytest.mark.parametrize("data", [b"", b"\n\n  \n"])
@pytest.mark.parametrize("name", ["e.txt", "e.jsonl", "e.txt.gz"])
def test_an_empty_file_is_named(tmp_path: Path, name: str, data: bytes) -> None:
    path = write(tmp_path, name, data)
    error = failure(path)
    assert error.lines() == [f"corpus: {path}: holds no text", "fill it, or leave it out of corpus.files"]


@pytest.mark.parametrize("name", ["l.txt", "l.txt.gz"])
def test_bytes_that_are_no_utf8_are_named_with_file_line_and_position(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, name, b"good\nfine\nb\xe4d\n")
    error = failure(path)
    assert error.lines() == [
        f"corpus: {path}:3: not UTF-8: byte 0xe4 at position 2 of the line",
        "convert the file (iconv -f LATIN1 -t UTF-8), or leave it out of corpus.files",
    ]
    assert (error.file, error.line, error.exit_status) == (str(path), 3, 2)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"{not json}", "not JSON: Expecting property name enclosed in double quotes"),
        (b'{"text": "cut', "not JSON: Unterminated string starting at"),
        (b"[" * 100_000, "not JSON: "),
        (b'["text"]', "wants a JSON object, got a list"),
        (b'"text"', "wants a JSON object, got text"),
        (b"null", "wants a JSON object, got null"),
        (b'{"body": "x", "id": 3}', "no key 'text'; its keys: body, id"),
        (b"{}", "no key 'text'; its keys: none"),
        (b'{"text": 3}', "'text' wants text, got a number"),
        (b'{"text": null}', "'text' wants text, got null"),
    ],
)
def test_a_bad_json_line_is_named_with_file_and_line(tmp_path: Path, line: bytes, what: str) -> None:
    path = write(tmp_path, "a.jsonl", b'{"text": "fine"}\n' + line + b"\n")
    message = failure(path).message
    assert message.startswith(f"corpus: {path}:2: {what}")


def test_a_cut_gzip_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"some text that is long enough\n" * 50)[:-12])
    assert failure(path).message.startswith(f"corpus: {path}:")
    assert "damaged gzip file" in failure(path).message


def test_a_file_that_only_claims_to_be_gzip_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(json.dumps({"text": "plain"}).encode())
    assert failure(path).message == f"corpus: {path}:1: damaged gzip file: Not a gzipped file (b'{{\"')"


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    path = tmp_path / "dangling.txt"
    path.symlink_to(tmp_path / "nowhere")
    assert failure(path).lines() == [
        f"corpus: {path}: cannot be read: No such file or directory",
        "mend its permissions or path, or leave it out",
    ]
