"""Values to YAML text that the reader takes back as the same values."""

from __future__ import annotations

import math
import re
from typing import Any

from primus.core.config.scalars import resolve_plain

# A text of these characters, starting so, needs no quotes anywhere in YAML.
_SAFE_PLAIN = re.compile(r"[A-Za-z0-9_./~^+-][A-Za-z0-9_./~^+@=\\%-]*(?: [A-Za-z0-9_./~^+@=\\%-]+)*", re.ASCII)
# What readers of YAML 1.1 take for something else than text; other tools read these files as well.
_OTHERS_TYPES = re.compile(
    r"[-+]?[.0-9][0-9_:.eE+-]*|0[xob][0-9a-fA-F_]+|y|yes|n|no|on|off|true|false|null|none", re.ASCII | re.IGNORECASE
)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}


def scalar_text(value: Any, *, substitution: bool = False) -> str:
    """Return a scalar as YAML.

    Args:
        value: None, a truth value, number or text.
        substitution: Leave ``${`` in a text as it is, to be filled in when it is read.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float_text(value)
    return quoted_text(str(value) if substitution else str(value).replace("${", "$${"))


def _float_text(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    mantissa, exponent, power = repr(value).partition("e")
    # Readers of YAML 1.1 take 1e-08 for text.
    return f"{mantissa}.0e{power}" if exponent and "." not in mantissa else repr(value)


def quoted_text(text: str) -> str:
    """Return a text as YAML, in double quotes where it would not read back as itself without.

    Args:
        text: Any text.
    """
    plain = _SAFE_PLAIN.fullmatch(text) and text not in ("-", "---", "...", "<<") and not text.startswith("- ")
    if plain and isinstance(resolve_plain(text), str) and not _OTHERS_TYPES.fullmatch(text):
        return text
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    code = ord(character)
    if 0x20 <= code < 0x7F or (0xA0 <= code < 0xD800 and code not in (0x2028, 0x2029)):
        return character
    if 0xE000 <= code <= 0xFFFD and code != 0xFEFF:
        return character
    if code > 0xFFFF:
        return character
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"


def flow_text(value: Any) -> str:
    """Return a list, section or scalar as YAML in one line.

    Args:
        value: Nested dicts, lists and scalars.
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key_text(key)}: {flow_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(flow_text(item) for item in value) + "]"
    return scalar_text(value)


def key_text(key: str) -> str:
    """Return a key as YAML.

    Args:
        key: Any text.
    """
    return quoted_text(key)
