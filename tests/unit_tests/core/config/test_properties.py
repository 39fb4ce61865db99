"""What holds for any input: no traceback, one meaning, both parsers alike."""

import math

import pytest
import yaml
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from primus.core.config.experiment import compose_experiment
from primus.core.config.nodes import to_plain
from primus.core.config.origin import Origin
from primus.core.config.overrides import build_overrides, read_value
from primus.core.config.presets import default_configs_dir
from primus.core.config.scalars import resolve_plain
from primus.core.config.schema import describe_keys, load_schema
from primus.core.config.substitution import substitute_text
from primus.core.config.yaml_reader import parse_yaml
from primus.core.config.yaml_text import decode
from primus.core.config.yaml_writer import flow_text, quoted_text
from primus.core.errors import ConfigError

PLACE = Origin("command line: --key", 0, 0, "command line")
quick = settings(
    max_examples=80,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)

# Pieces whose combinations are likely to be, or nearly to be, YAML.
PIECES = [
    "a", "b", "key", "1", "1e-5", "true", "null", "~", ": ", ":", "- ", "-", "? ", "\n", "\n  ", "\n    ", " ", "  ",
    "\t", "[", "]", "{", "}", ", ", "'", '"', "|", ">", "|-\n", ">+\n", "#", " # c", "&a ", "*a", "!!str ", "!t ",
    "---", "...", "%YAML 1.2", "<<", "\\", "\\n", "\r\n", "\r", "@", "`", "%", "\u2028", "\x85", "é",
    "\U0001f600", "${X}", "${X:", "$${",
]  # fmt: skip
yaml_like = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
any_text = st.text(st.characters(codec="utf-8"), max_size=30)


def outcome(text, use_c):
    try:
        return repr(parse_yaml(text, "/f.yaml", "experiment", use_c=use_c))
    except ConfigError as error:
        return error.lines()


@pytest.mark.skipif(not hasattr(yaml, "_yaml"), reason="PyYAML without libyaml: pip install --force-reinstall pyyaml")
@settings(quick, max_examples=300)
@given(yaml_like)
@example("a: |\t\n  b")
@example("a:\tb\t# c")
def test_both_parsers_give_the_same_result_or_the_same_message(text):
    assert outcome(text, use_c=True) == outcome(text, use_c=False)


@quick
@given(st.one_of(yaml_like, any_text))
def test_any_text_is_read_or_refused_with_a_place(text):
    result = outcome(text, use_c=None)
    assert isinstance(result, str) or result[0].startswith("/f.yaml:")


@quick
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data):
    try:
        parse_yaml(decode(data, "/f.yaml"), "/f.yaml", "experiment")
    except ConfigError as error:
        assert error.message.startswith("/f.yaml:")


@quick
@given(st.one_of(yaml_like, any_text))
def test_an_overrides_value_is_what_yaml_says_or_the_text_itself(text):
    value = to_plain(read_value(text, PLACE))
    if isinstance(value, str) and value == text:
        return
    assert text and "\0" not in text
    in_yaml = to_plain(parse_yaml(f"key: {text}\n", "/f.yaml", "experiment").items["key"])
    assert repr(in_yaml) == repr(value)


@quick
@given(st.lists(st.one_of(yaml_like, any_text), max_size=5))
def test_any_words_are_overrides_or_refused(words):
    try:
        build_overrides(words)
    except ConfigError as error:
        assert error.message.startswith("command line: ") and error.hint


@quick
@given(any_text)
def test_any_text_that_is_written_reads_back_as_itself(text):
    node = parse_yaml(f"key: {quoted_text(text)}\nl: [{quoted_text(text)}]", "/f.yaml", "experiment")
    assert to_plain(node) == {"key": text, "l": [text]}


trees = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**63), 2**64 - 1),
        st.floats(allow_nan=False),
        any_text.filter(lambda text: "${" not in text),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(any_text, inner, max_size=3)),
    max_leaves=8,
)


@quick
@given(trees)
def test_any_tree_that_is_written_reads_back_as_itself(tree):
    node = parse_yaml(f"key: {flow_text(tree)}", "/f.yaml", "experiment")
    assert repr(to_plain(node)["key"]) == repr(tree)


@quick
@given(any_text)
def test_a_plain_text_becomes_a_number_only_if_nothing_is_lost(text):
    value = resolve_plain(text)
    if isinstance(value, float) and not isinstance(value, bool) and math.isfinite(value):
        assert float(text) == value
    elif isinstance(value, int) and not isinstance(value, bool):
        assert int(text, 0) == value


@quick
@given(st.one_of(yaml_like, any_text), st.dictionaries(st.sampled_from(["X", "Y"]), any_text, max_size=2))
def test_substitution_fills_in_or_refuses(text, environ):
    try:
        result = substitute_text(text, environ, PLACE)
    except ConfigError as error:
        assert error.message.startswith("command line: --key: ")
    else:
        assert "${" in text or result == text


SCHEMA = load_schema("torchtitan", "0.2.2", default_configs_dir() / "schemas")
KEYS = [key for key, _ in describe_keys(SCHEMA.document)]
SCALARS = [
    "1", "0", "-1", "1.0", "0.5", "1e-5", "2e-5", "-1e-3", "1e3", "true", "FALSE", "null", "~", "None", "yes", "on",
    "00123", "1.10", "1234e567", "0x1F", "word", "two words", "'1'", '"true"', "[]", "[a, 1]", "[[a], [b]]", "{}",
    "{a: 1}", "fused", "linear", "full", "bfloat16", "disabled", "a=b=c", "a|b", "a,b", ".inf", ".nan", "1_000", "''",
]  # fmt: skip


def verdict(tmp_path, text, *overrides):
    path = tmp_path / "exp.yaml"
    path.write_text(text, encoding="utf-8")
    try:
        experiment = compose_experiment(
            path, overrides=overrides, environ={}, configs_dir=tmp_path, framework_version="0.2.2"
        )
    except ConfigError as error:
        return "refused", error.message.rpartition(": ")[2]
    return "taken", repr(experiment.params_dict())


@settings(quick, max_examples=120)
@given(st.sampled_from(KEYS), st.sampled_from(SCALARS))
def test_a_key_and_value_mean_the_same_in_yaml_and_on_the_command_line(tmp_path, key, text):
    schemas = tmp_path / "schemas"
    if not schemas.exists():
        schemas.symlink_to(default_configs_dir() / "schemas")
    head = "modules:\n  pre_trainer:\n    framework: torchtitan\n"
    nested = "".join(f"{'  ' * depth}      {part}:\n" for depth, part in enumerate(key.split("."))).rstrip("\n")
    in_yaml = verdict(tmp_path, f"{head}    overrides:\n{nested} {text}\n")
    for override in (f"--{key}={text}", f"{key}={text}"):
        assert verdict(tmp_path, head, override) == in_yaml


@settings(quick, max_examples=60)
@given(st.sampled_from(KEYS), st.sampled_from(SCALARS))
def test_a_value_from_a_variable_means_what_it_means_written_out(tmp_path, key, text):
    assume(text[0] not in "[{'\"" and text not in ("null", "~", "None"))
    schemas = tmp_path / "schemas"
    if not schemas.exists():
        schemas.symlink_to(default_configs_dir() / "schemas")
    head = "modules:\n  pre_trainer:\n    framework: torchtitan\n"
    assert verdict(tmp_path, head, f"{key}=${{NO:{text}}}") == verdict(tmp_path, head, f"{key}={text}")
