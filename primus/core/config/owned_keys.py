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
        "description": "Text files to prepare as training data.",
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
