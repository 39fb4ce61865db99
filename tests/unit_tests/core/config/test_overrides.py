"""Overrides from the command line and from hooks."""

import pytest

from primus.core.config.nodes import history, to_plain
from primus.core.config.origin import Origin
from primus.core.config.overrides import build_overrides, check_list_paths, read_value, split_overrides
from primus.core.config.yaml_reader import parse_yaml
from primus.core.errors import ConfigError


def values(*tokens):
    return to_plain(build_overrides(tokens))


def refusal(*tokens):
    with pytest.raises(ConfigError) as caught:
        build_overrides(tokens)
    return caught.value.lines()


@pytest.mark.parametrize(
    "tokens", [["--training.steps", "7"], ["--training.steps=7"], ["training.steps=7"]], ids=" ".join
)
def test_the_three_forms_are_one_thing(tokens):
    assert values(*tokens) == {"training": {"steps": 7}}


def test_an_option_alone_is_true():
    assert values("--flag", "--other", "--last") == {"flag": True, "other": True, "last": True}


def test_the_first_equals_sign_splits():
    assert values("load=a/epoch=9-step=8.ckpt", "--x=a=b=c", "--y", "a/epoch=9.ckpt") == {
        "load": "a/epoch=9-step=8.ckpt",
        "x": "a=b=c",
        "y": "a/epoch=9.ckpt",
    }


def test_a_negative_number_is_a_value():
    assert values("--lr", "-1e-3", "--n", "-5") == {"lr": -1e-3, "n": -5}


def test_a_value_that_starts_with_two_dashes_needs_the_equals_sign():
    assert values("--a=--b", "--c", "--d") == {"a": "--b", "c": True, "d": True}


def test_dots_nest():
    assert values("a.b.c=1", "a.b.d=2", "a.e=3") == {"a": {"b": {"c": 1, "d": 2}, "e": 3}}


def test_the_last_of_several_wins_and_remembers_the_others():
    root = build_overrides(["a=1", "--a", "2", "a=3"])
    assert to_plain(root) == {"a": 3}
    assert [to_plain(old) for old in history(root.items["a"])] == [2, 1]


def test_sections_given_twice_merge():
    assert values("a={x: 1, y: 2}", "a={y: 3, z: 4}", "a.w=5") == {"a": {"x": 1, "y": 3, "z": 4, "w": 5}}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[0]", [0]),
        ('{"a": 1}', {"a": 1}),
        ('{"a":1}', {"a": 1}),
        ("[a, b]", ["a", "b"]),
        ('["/a b/x", "/c"]', ["/a b/x", "/c"]),
        ("null", None),
        ("~", None),
        ("None", None),
        ("true", True),
        ("True", True),
        ("TRUE", True),
        ("1e-5", 1e-5),
        ("2e-5", 2e-5),
        ("-1e-3", -1e-3),
        ("'12'", "12"),
        ('"12"', "12"),
        ("yes", "yes"),
        ("on", "on"),
        ("00123", "00123"),
        ("1234e567", "1234e567"),
    ],
)
def test_a_value_means_what_it_means_in_yaml(text, value):
    result = values(f"key={text}")["key"]
    assert result == value and type(result) is type(value)
    in_yaml = to_plain(parse_yaml(f"key: {text}", "f.yaml", "experiment"))["key"]
    assert in_yaml == value and type(in_yaml) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "pattern_%r.bin",
        "me@x.com",
        "a|b",
        "*",
        "a,b",
        "{x}",
        "C:\\x",
        "Et*1|t*1",
        "Et*1|t*1|t*2|t*2",
        "hello world!",
        "a\tb",
        "a\nb",
        'say "hi"',
        "it's",
        "",
        " ",
        " 5 ",
        "a: b",
        "a #b",
        "# a",
        "- a",
        "&x",
        "!x",
        "|",
        ">",
        "@x",
        "%x",
        "`x`",
        "? x",
        "[a",
        "[a]b",
        "{a: b",
        "{a: b} c",
        '"a',
        "'a' b",
        "[${X",
        "$(touch ./pwn)",
        "; & < >",
        "\ufeffx",
        "a\x00b",
        "'a\nb'",
        "---",
        "...",
        "[*x]",
        "{a: 1, a: 2}",
        "\U0001f600",
    ],
)
def test_a_value_that_is_no_yaml_value_arrives_byte_by_byte(text):
    assert values(f"--key={text}") == {"key": text}


def test_a_stray_word_is_refused():
    for token in ("stray", "-x", "-o=3", "pretrain"):
        assert refusal("a=1", token) == [
            f"command line: stray word {token!r}",
            "write key=value, --key=value or --key value",
        ]


@pytest.mark.parametrize("token", ["=5", "--=5", "a..b=1", ".a=1", "a.=1", "a b=1", "--"])
def test_a_malformed_key_is_refused(token):
    assert refusal(token)[0].startswith(f"command line: {token.partition('=')[0]}: ")
    assert refusal(token)[1] == "write names joined by dots, such as training.steps"


@pytest.mark.parametrize("tokens", [("a=1", "a.b=2"), ("a.b=2", "a=1"), ("a=1", "a={b: 2}"), ("a={b: 2}", "a=1")])
def test_a_key_that_is_value_and_section_is_refused_in_one_line(tokens):
    keys = [token.partition("=")[0] for token in tokens]
    assert refusal(*tokens) == [
        f"command line: {keys[1]}: a cannot be both a value and a section (see command line: {keys[0]})",
        "drop one of the two",
    ]


def test_an_override_into_a_list_is_refused():
    below = parse_yaml("a: {b: [1, 2]}", "/exp.yaml", "experiment")
    with pytest.raises(ConfigError) as caught:
        check_list_paths([build_overrides(["a.b.0=3"])], below)
    assert caught.value.lines() == [
        "command line: a.b.0: a.b is a list (see /exp.yaml:1)",
        "give the whole list, as [a, b]",
    ]
    check_list_paths([build_overrides(["a.b=[3]", "c.d=1"])], below)


def test_very_deep_keys_are_refused():
    assert "more than 100 levels" in refusal(".".join("a" * 101) + "=1")[0]


def test_overrides_are_brought_into_one_form():
    assert split_overrides(["--a", "1", "--b", "--c=2", "d=3"]) == ["--a=1", "--b=true", "--c=2", "d=3"]


def test_a_value_keeps_its_text_for_keys_that_want_text():
    place = Origin("command line: --key", 0, 0, "command line")
    assert read_value("[x, 1]", place).text == "[x, 1]" and read_value("1.10", place).text == "1.10"


def test_many_overrides_of_one_key_need_no_deep_stack():
    assert values(*[f"a={number}" for number in range(5000)]) == {"a": 4999}


def test_a_value_that_is_not_utf_8_is_refused():
    assert refusal("--a=\udcff") == ["command line: --a: not UTF-8", "write the value in UTF-8"]
    assert refusal("\udcff=1") == ["command line: ?: not UTF-8", "write the value in UTF-8"]


def test_a_hooks_override_says_so():
    node = build_overrides(["--lr", "1"], "hook").items["lr"]
    assert node.origin.place == "hook: --lr" and node.origin.layer == "hook"
