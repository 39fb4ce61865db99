"""Module parameters that belong to Primus in every backend; frameworks never see them."""

from __future__ import annotations

from typing import Any

_SINK_LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR"]

OWNED_SCHEMA: dict[str, dict[str, Any]] = {
    "stage": {
        "type": ["string", "null"],
        "description": "Selects the trainer class; by default the stage that the command names.",
    },
    "device": {
        "enum": ["auto", "cpu", "cuda"],
        "default": "auto",
        "description": "Where to train; auto takes the cpu when the host has no accelerator.",
    },
    "corpus": {
        "type": ["object", "null"],
        "description": "Text to prepare as training data; each key is explained in primus/data/corpus_settings.py.",
        "properties": {
            "source": {"enum": ["stdlib", "files", None]},
            "files": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": ["string", "null"]}]},
            "format": {"enum": ["auto", "text", "jsonl", None]},
            "text_key": {"type": ["string", "null"]},
            "vocab_size": {"type": ["integer", "null"], "minimum": 258, "maximum": 1000000},
            "max_bytes": {"type": ["integer", "null"], "minimum": 1000},
            "validation_fraction": {"type": ["number", "null"], "minimum": 0, "maximum": 0.5},
            "output": {"type": ["string", "null"]},
            "lock_timeout_seconds": {"type": ["number", "null"], "minimum": 1},
        },
        "additionalProperties": False,
    },
    "stderr_sink_level": {
        "enum": _SINK_LEVELS,
        "default": "INFO",
        "description": "Least level of log lines on the console.",
    },
    "file_sink_level": {
        "enum": _SINK_LEVELS,
        "default": "DEBUG",
        "description": "Least level of log lines in the log files.",
    },
}

OWNED_KEYS = frozenset(OWNED_SCHEMA)
