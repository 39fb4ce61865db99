"""Build a corpus once, and find it again while its inputs are unchanged.

A corpus is a folder ``<output>/<source>-<fingerprint>/``:

    text/data.json        one document a line, {"text": "..."}
    held_out/data.json    the same, for validation; only when a share is held out
    tokenizer/            tokenizer.json, tokenizer_config.json; only when a tokenizer is asked for
    corpus.json           what it was made from

Folders of data hold nothing else: dataset libraries take every file that they find.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from primus.core.errors import LaunchEnvironmentError
from primus.data.bpe_tokenizer import train_tokenizer
from primus.data.corpus_error import CorpusError
from primus.data.corpus_settings import CorpusSettings
from primus.data.folder_lock import folder_lock
from primus.data.input_files import InputFile, list_inputs
from primus.data.library_text import library_documents
from primus.data.progress import Progress, say
from primus.data.text_files import read_documents

FORM = 2
"""Part of every fingerprint: raise it when the same inputs give another corpus."""

_ABANDONED_SECONDS = 24 * 3600


@dataclass(frozen=True)
class PreparedCorpus:
    """A corpus on disk.

    Attributes:
        folder: The whole of it.
        text: Folder with ``data.json``.
        held_out: Folder with the held-out ``data.json``; None when nothing is held out.
        tokenizer: Folder with ``tokenizer.json``; None when none was asked for.
        reused: It was there already.
        documents: How many documents there are, without the held-out ones.
        text_bytes: How many UTF-8 bytes of text, without the held-out ones.
    """

    folder: Path
    text: Path
    held_out: Path | None
    tokenizer: Path | None
    reused: bool
    documents: int
    text_bytes: int


def prepare_corpus(settings: CorpusSettings, data_path: Path, *, tokenizer: bool = True) -> PreparedCorpus:
    """Return the corpus for the settings, building it when no process has done so yet.

    Args:
        settings: What it is made of.
        data_path: Folder that relative names start from.
        tokenizer: Also train a tokenizer.

    Raises:
        ConfigError: A file is missing, empty, unreadable, no UTF-8 or no JSON lines.
        LaunchEnvironmentError: The output folder cannot be written, a library is missing, or another process
            holds the lock too long.
    """
    inputs = list_inputs(settings, data_path)
    output = Path(data_path, settings.output)
    name = f"{settings.source}-{_fingerprint(settings, inputs, tokenizer)}"
    folder = output / name
    if not (folder / "corpus.json").is_file():
        try:
            output.mkdir(parents=True, exist_ok=True)
            with folder_lock(
                output / f".{name}.lock",
                timeout=settings.lock_timeout_seconds,
                finished=(folder / "corpus.json").is_file,
            ) as mine:
                if mine:
                    _build(settings, inputs, folder, tokenizer)
                    return _open(folder, reused=False)
        except OSError as error:
            path = os.fsdecode(error.filename) if isinstance(error.filename, (str, bytes)) else ""
            if os.fspath(output) in path:
                raise LaunchEnvironmentError(
                    f"corpus: cannot write {path}: {error.strerror}",
                    "give a folder that can be written with --data_path or corpus.output",
                ) from error
            raise
    return _open(folder, reused=True)


def _fingerprint(settings: CorpusSettings, inputs: Sequence[InputFile], tokenizer: bool) -> str:
    meaning: dict[str, Any] = {
        "form": FORM,
        "format": settings.format,
        "text_key": settings.text_key,
        "max_bytes": settings.max_bytes,
        "validation_fraction": settings.validation_fraction,
        "vocab_size": settings.vocab_size if tokenizer else None,
        "inputs": [[file.name, file.size, file.mtime_ns] for file in inputs],
    }
    return hashlib.sha256(json.dumps(meaning, sort_keys=True).encode()).hexdigest()[:12]


def _open(folder: Path, reused: bool) -> PreparedCorpus:
    record = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
    return PreparedCorpus(
        folder=folder,
        text=folder / "text",
        held_out=folder / "held_out" if record["held_out_documents"] else None,
        tokenizer=folder / "tokenizer" if record["tokens_in_vocabulary"] else None,
        reused=reused,
        documents=record["documents"],
        text_bytes=record["text_bytes"],
    )


def _build(settings: CorpusSettings, inputs: Sequence[InputFile], folder: Path, tokenizer: bool) -> None:
    """Write the corpus under another name and rename it: a folder of that name is always whole."""
    _remove_abandoned(folder)
    scratch = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}.tmp")
    say(f"building {folder} from {len(inputs)} files ({sum(file.size for file in inputs) / 1e6:.1f} MB)")
    start = time.monotonic()
    try:
        (scratch / "text").mkdir(parents=True)
        record = _write_texts(settings, inputs, scratch)
        record["tokens_in_vocabulary"] = 0
        if tokenizer:
            (scratch / "tokenizer").mkdir()
            say(f"training a tokenizer of at most {settings.vocab_size} tokens")
            texts = _read_back(scratch / "text" / "data.json")
            record["tokens_in_vocabulary"] = train_tokenizer(texts, settings.vocab_size, scratch / "tokenizer")
        record["inputs"] = [[file.name, file.size, file.mtime_ns] for file in inputs]
        (scratch / "corpus.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        try:
            scratch.rename(folder)
        except OSError:
            # A builder that was taken for dead has finished after all; its result is the same.
            if not (folder / "corpus.json").is_file():
                raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    say(
        f"{record['documents']} documents, {record['text_bytes'] / 1e6:.1f} MB of text, "
        f"in {time.monotonic() - start:.1f} s"
    )


def _remove_abandoned(folder: Path) -> None:
    for path in folder.parent.glob(f".{folder.name}.*.tmp"):
        if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
            shutil.rmtree(path, ignore_errors=True)


def _write_texts(settings: CorpusSettings, inputs: Sequence[InputFile], scratch: Path) -> dict[str, Any]:
    held_out_every = round(1 / settings.validation_fraction) if settings.validation_fraction else 0
    record = {"documents": 0, "text_bytes": 0, "held_out_documents": 0, "held_out_bytes": 0}
    if held_out_every:
        (scratch / "held_out").mkdir()
    with (scratch / "text" / "data.json").open("w", encoding="utf-8") as text:
        held_out = (scratch / "held_out" / "data.json").open("w", encoding="utf-8") if held_out_every else None
        try:
            for number, document in enumerate(_documents(settings, inputs)):
                chosen = held_out if held_out and number % held_out_every == held_out_every - 1 else text
                chosen.write(json.dumps({"text": document}, ensure_ascii=False) + "\n")
                kind = "" if chosen is text else "held_out_"
                record[f"{kind}documents"] += 1
                record[f"{kind}bytes" if kind else "text_bytes"] += len(document.encode())
        finally:
            if held_out:
                held_out.close()
    if held_out_every and not record["held_out_documents"]:
        raise CorpusError(
            inputs[0].path,
            None,
            f"too few documents ({record['documents']}) to hold out {settings.validation_fraction:g} of them",
            "give more text, or a larger corpus.validation_fraction",
        )
    return record


def _documents(settings: CorpusSettings, inputs: Sequence[InputFile]) -> Iterator[str]:
    """Yield documents until ``max_bytes``; the one that would go over and all after it are left out."""
    taken = 0
    for document in library_documents(inputs) if settings.source == "stdlib" else _user_documents(settings, inputs):
        size = len(document.encode())
        if settings.max_bytes is not None and taken + size > settings.max_bytes:
            if taken == 0:
                raise CorpusError(
                    inputs[0].path,
                    None,
                    f"its first document is larger than {settings.max_bytes:,} bytes",
                    "raise corpus.max_bytes",
                )
            if settings.source == "files":
                say(f"stopped after {taken:,} bytes of text, as corpus.max_bytes says")
            return
        taken += size
        yield document


def _user_documents(settings: CorpusSettings, inputs: Sequence[InputFile]) -> Iterator[str]:
    progress = Progress()
    taken = 0
    for number, file in enumerate(inputs, start=1):
        for document in read_documents(file.path, settings.format, settings.text_key):
            yield document
            taken += len(document)
            progress.report(f"read {taken / 1e6:,.1f} million characters, file {number} of {len(inputs)}")


def _read_back(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["text"]
