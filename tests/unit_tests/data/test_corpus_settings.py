"""What ``corpus:`` may say."""

from __future__ import annotations

from typing import Any

import pytest

from primus.core.config.owned_keys import OWNED_SCHEMA
from primus.core.errors import ConfigError
from primus.data.corpus_settings import FORMATS, KEYS, SMALLEST_VOCAB, SOURCES, STDLIB_MAX_BYTES, CorpusSettings


def test_an_empty_section_means_the_library_of_this_python() -> None:
    settings = CorpusSettings.from_mapping({})
    assert (settings.source, settings.files, settings.max_bytes) == ("stdlib", (), STDLIB_MAX_BYTES)


def test_naming_files_makes_them_the_source_without_a_limit() -> None:
    settings = CorpusSettings.from_mapping({"files": "texts/*.txt"})
    assert (settings.source, settings.files, settings.max_bytes) == ("files", ("texts/*.txt",), None)


def test_null_takes_a_setting_back() -> None:
    values = {"vocab_size": None, "files": None, "source": None}
    assert CorpusSettings.from_mapping(values) == CorpusSettings.from_mapping({})


def test_a_whole_number_may_be_written_as_a_float() -> None:
    assert CorpusSettings.from_mapping({"max_bytes": 2e6}).max_bytes == 2_000_000


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"vocabsize": 3}, "corpus.vocabsize: unknown key (did you mean vocab_size?)"),
        ({"source": "sdtlib"}, "corpus.source: wants one of stdlib, files, got 'sdtlib' (did you mean stdlib?)"),
        ({"source": "files"}, "corpus.files: names no file"),
        ({"source": "stdlib", "files": ["a"]}, "corpus.source: is stdlib, but files are named too"),
        ({"files": [1]}, "corpus.files: wants a list of file names or globs, got [1]"),
        ({"files": {"a": 1}}, "corpus.files: wants a list of file names or globs, got {'a': 1}"),
        ({"format": "csv"}, "corpus.format: wants one of auto, text, jsonl, got 'csv'"),
        ({"text_key": 7}, "corpus.text_key: wants text, got 7"),
        (
            {"vocab_size": 257},
            "corpus.vocab_size: wants a whole number of at least 258 and at most 1,000,000, got 257",
        ),
        ({"vocab_size": True}, "corpus.vocab_size: wants a whole number, got True"),
        ({"vocab_size": 300.5}, "corpus.vocab_size: wants a whole number, got 300.5"),
        ({"max_bytes": 10}, "corpus.max_bytes: wants a whole number of at least 1,000, got 10"),
        (
            {"validation_fraction": 0.6},
            "corpus.validation_fraction: wants a number of at least 0.0 and at most 0.5, got 0.6",
        ),
        (
            {"validation_fraction": float("nan")},
            "corpus.validation_fraction: wants a number of at least 0.0 and at most 0.5, got nan",
        ),
        ({"output": ""}, "corpus.output: wants text, got ''"),
        ({"lock_timeout_seconds": 0}, "corpus.lock_timeout_seconds: wants a number of at least 1.0, got 0"),
    ],
)
def test_a_wrong_setting_is_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        CorpusSettings.from_mapping(values)
    assert str(caught.value) == message
    assert caught.value.exit_status == 2


def test_the_schema_of_experiments_knows_the_same_settings() -> None:
    properties = OWNED_SCHEMA["corpus"]["properties"]
    assert tuple(properties) == KEYS
    assert tuple(properties["source"]["enum"]) == (*SOURCES, None)
    assert tuple(properties["format"]["enum"]) == (*FORMATS, None)
    assert properties["vocab_size"]["minimum"] == SMALLEST_VOCAB
