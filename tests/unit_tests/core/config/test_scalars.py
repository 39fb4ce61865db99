"""Which plain texts are numbers, truth values or null."""

import math

import pytest

from primus.core.config.scalars import resolve_plain


@pytest.mark.parametrize("text", ["", "~", "null", "Null", "NULL", "None"])
def test_null_has_the_core_schemas_spellings_and_none(text):
    assert resolve_plain(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("True", True), ("TRUE", True), ("false", False), ("False", False), ("FALSE", False)],
)
def test_truth_values_are_true_and_false_alone(text, value):
    assert resolve_plain(text) is value


@pytest.mark.parametrize("text", ["yes", "no", "on", "off", "y", "n", "Yes", "ON", "tRUE", "nULL", "NONE", "none"])
def test_yes_and_on_stay_text(text):
    assert resolve_plain(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("7", 7),
        ("-7", -7),
        ("+7", 7),
        ("0x1F", 31),
        ("18446744073709551615", 2**64 - 1),
        ("-9223372036854775808", -(2**63)),
    ],
)
def test_integers(text, value):
    result = resolve_plain(text)
    assert result == value and type(result) is int


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-5", 1e-5),
        ("2e-5", 2e-5),
        ("-1e-3", -1e-3),
        ("1E5", 1e5),
        ("1e+5", 1e5),
        (".5", 0.5),
        ("5.", 5.0),
        ("-0.0", -0.0),
        ("0.10", 0.1),
        ("0e5", 0.0),
        (".inf", math.inf),
        ("-.INF", -math.inf),
    ],
)
def test_floats_need_no_dot_before_the_exponent(text, value):
    result = resolve_plain(text)
    assert result == value and type(result) is float


def test_not_a_number_has_its_spelling():
    assert math.isnan(resolve_plain(".nan"))


@pytest.mark.parametrize(
    "text",
    [
        "00123",  # a job id
        "007",
        "-01",
        "00.5",
        "0o17",
        "017",
        "1_000",
        "1:30",
        "190:20:30",
        "1234e567",  # a git hash
        "1e-400",
        "18446744073709551616",
        "-9223372036854775809",
        "1" * 5000,
        "0x",
        "0x1F0000000000000000",
        "1.2.3",
        "1.e",
        "e5",
        ".",
        "-",
        "+",
        "1 2",
        " 1",
        "1 ",
        "\u0661",
        "inf",
        "nan",
        "infinity",
        "2026-01-01",
    ],
)
def test_what_would_lose_something_stays_text(text):
    assert resolve_plain(text) == text
