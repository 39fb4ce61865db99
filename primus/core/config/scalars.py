"""Which plain texts are numbers, truth values or null.

The YAML 1.2 core schema (YAML 1.2.2, section 10.3.2) with these differences: ``None`` is null too; there is no
octal; a number stays text where reading it would lose something: leading zeros, a float that overflows or
vanishes, an integer beyond 64 bits.
"""

from __future__ import annotations

import math
import re
from typing import Any

_NULLS = frozenset(("", "~", "null", "Null", "NULL", "None"))
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_SPECIAL_FLOATS = {sign + dot: float(sign + "inf") for sign in ("", "+", "-") for dot in (".inf", ".Inf", ".INF")} | {
    name: float("nan") for name in (".nan", ".NaN", ".NAN")
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,19})", re.ASCII)
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]{1,16}", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_MANTISSA_DIGIT = re.compile(r"^[^eE]*[1-9]")
_LOWEST, _HIGHEST = -(2**63), 2**64 - 1
_STARTS_A_TYPE = frozenset("-+.0123456789~nNtTfF")


def resolve_plain(text: str) -> Any:
    """Return the value that an unquoted text stands for.

    Args:
        text: A scalar as written.
    """
    if not text:
        return None
    if text[0] not in _STARTS_A_TYPE:
        return text
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if text in _SPECIAL_FLOATS:
        return _SPECIAL_FLOATS[text]
    if _INTEGER.fullmatch(text):
        number = int(text)
        return number if _LOWEST <= number <= _HIGHEST else text
    if _HEXADECIMAL.fullmatch(text):
        return int(text, 16)
    # An integer too long for the pattern above matches this one as well and would lose digits.
    if _FLOAT.fullmatch(text) and not text.lstrip("+-").isdigit():
        value = float(text)
        vanished = value == 0.0 and _MANTISSA_DIGIT.match(text)
        return text if math.isinf(value) or vanished else value
    return text
