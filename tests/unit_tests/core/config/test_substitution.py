"""``${VAR}`` and ``${VAR:default}``."""

import pytest

from primus.core.config.nodes import to_plain
from primus.core.config.origin import Origin
from primus.core.config.substitution import substitute_scalar, substitute_text, substitute_tree
from primus.core.config.yaml_reader import parse_yaml
from primus.core.errors import ConfigError

PLACE = Origin("/nowhere/exp.yaml", 3, 1, "experiment")


def fill(text, **environ):
    return substitute_text(text, environ, PLACE, "key")


def value(yaml_text, **environ):
    """Return the value of a scalar as written in a file."""
    node = parse_yaml(f"key: {yaml_text}", "exp.yaml", "experiment").items["key"]
    return substitute_scalar(node, environ).value


def refusal(text, **environ):
    with pytest.raises(ConfigError) as caught:
        fill(text, **environ)
    return caught.value.lines()


def test_a_variable_is_filled_in_anywhere_in_a_text():
    assert fill("a/${X}/b-${Y}", X="1", Y="2") == "a/1/b-2"


def test_an_unset_variable_takes_its_default():
    assert fill("${X:d}") == "d" and fill("${X:}") == "" and fill("${X:a:b}") == "a:b"


def test_a_set_variable_beats_its_default():
    assert fill("${X:d}", X="v") == "v"


def test_an_empty_variable_counts_as_unset():
    assert fill("${X:d}", X="") == "d"
    assert refusal("${X}", X="") == ["/nowhere/exp.yaml:3: key: variable X is empty", "set X, or write ${X:default}"]


def test_a_blank_variable_is_a_value():
    assert fill("[${X:d}]", X=" ") == "[ ]"


def test_a_variable_without_default_must_be_set():
    assert refusal("a ${NOPE}") == [
        "/nowhere/exp.yaml:3: key: variable NOPE is not set",
        "set NOPE, or write ${NOPE:default}",
    ]


def test_defaults_nest():
    assert fill("${A:${B:c}}") == "c" and fill("${A:${B:c}}", B="b") == "b" and fill("${A:x${B:c}y}") == "xcy"


def test_braces_in_a_default_balance():
    assert fill('${A:{"x": {"y": 1}}}!') == '{"x": {"y": 1}}!'


def test_an_escaped_mark_is_literal():
    assert fill("$${X} $$${Y} ${Z:$${W}}") == "${X} $${Y} ${W}"


def test_a_dollar_alone_is_literal():
    assert fill("$X $ $$ $(x)") == "$X $ $$ $(x)"


def test_a_variable_that_is_not_utf_8_is_refused():
    assert refusal("${X}", X="\udcff") == ["/nowhere/exp.yaml:3: key: variable X is not UTF-8", "set it in UTF-8"]


def test_values_are_not_filled_in_again():
    assert fill("${X}", X="${Y}") == "${Y}"


def test_malformed_marks_are_refused():
    assert refusal("${X") == [
        "/nowhere/exp.yaml:3: key: '${' is not closed",
        "close it with '}', or write $${ for a literal ${",
    ]
    for text in ("${}", "${1X}", "${a.b}", "${ X }", "${X-d}"):
        assert refusal(text)[0] == f"/nowhere/exp.yaml:3: key: '{text}' names no variable"


def test_endless_nesting_is_refused():
    text = "${A:" * 30 + "x" + "}" * 30
    assert refusal(text)[0] == "/nowhere/exp.yaml:3: key: more than 20 defaults inside each other"


@pytest.mark.parametrize(
    ("written", "environ", "result"),
    [
        ("${X:false}", {}, False),
        ("${X}", {"X": "FALSE"}, False),
        ("${X:null}", {}, None),
        ("${X:None}", {}, None),
        ("${X:}", {}, None),
        ("${X:1e-5}", {}, 1e-5),
        ("${X:12}", {}, 12),
        ("${X}", {"X": "00123"}, "00123"),
        ("${X}", {"X": "1234e567"}, "1234e567"),
        ("${X}", {"X": "1.10"}, 1.1),
        ("${X}", {"X": "[1]"}, "[1]"),
        ("${X}", {"X": " 1"}, " 1"),
    ],
)
def test_a_plain_scalar_that_is_one_whole_substitution_is_typed_like_a_plain_scalar(written, environ, result):
    filled = value(written, **environ)
    assert filled == result and type(filled) is type(result)


@pytest.mark.parametrize("written", ['"${X}"', "'${X}'", "|-\n  ${X}"])
def test_a_quoted_scalar_stays_text(written):
    assert value(written, X="12") == "12"


@pytest.mark.parametrize("written", ["${X}0", "1${X}", "${X}${X}"])
def test_a_substitution_that_is_not_the_whole_scalar_stays_text(written):
    assert isinstance(value(written, X="1"), str)


def test_a_tree_is_filled_everywhere_and_every_error_is_reported():
    root = parse_yaml("a: ${A}\nb: [x, '${B}']\nc: {d: '${C:c}'}\n${K}: 1\n", "/exp.yaml", "experiment")
    errors = []
    filled = substitute_tree(root, {}, errors.append)
    assert to_plain(filled) == {"a": "${A}", "b": ["x", "${B}"], "c": {"d": "c"}, "${K}": 1}
    assert [str(error) for error in errors] == [
        "/exp.yaml:1: a: variable A is not set",
        "/exp.yaml:2: b: variable B is not set",
        "/exp.yaml:4: key '${K}' holds a substitution",
    ]


def test_a_filled_scalar_remembers_what_was_written():
    node = parse_yaml("${X:7}", "exp.yaml", "experiment")
    assert substitute_scalar(node, {}).source == "${X:7}"
