"""Parameters against a schema: unknown keys, types, choices, limits."""

import pytest


def training(*overrides, tree, **options):
    return tree.params(*overrides, **options)["training"]


def test_every_unknown_key_is_told_at_once_with_place_and_nearest_name(strict):
    strict.write(
        "exp.yaml",
        """\
        modules:
          pre_trainer:
            framework: toy
            overrides:
              training: {stepz: 1, qqq: 2}
              trainin: {a: 1}
              steps: 3
        """,
    )
    assert strict.fails("--training.flga") == [
        "exp.yaml:5: training.stepz: unknown key (did you mean training.steps?)",
        "exp.yaml:5: training.qqq: unknown key",
        "command line: --training.flga: unknown key (did you mean training.flag?)",
        "exp.yaml:6: trainin: unknown key (did you mean training?)",
        "exp.yaml:7: steps: unknown key (did you mean training.steps?)",
        "5 problems; mend the key, or pass --allow-unknown to be warned only",
    ]


def test_one_unknown_key_takes_two_lines(strict):
    assert strict.fails("training.stepz=1") == [
        "command line: training.stepz: unknown key (did you mean training.steps?)",
        "mend the key, or pass --allow-unknown to be warned only",
    ]


def test_unknown_keys_can_be_allowed(strict):
    experiment = strict.compose("exp.yaml", "training.stepz=1", allow_unknown=True)
    assert experiment.params_dict()["training"]["stepz"] == 1
    assert experiment.warnings == ("command line: training.stepz: unknown key (did you mean training.steps?)",)


def test_allowing_unknown_keys_allows_no_wrong_types(strict):
    assert strict.fails("training.steps=x", allow_unknown=True)[0].startswith("command line: training.steps: wants")


def test_an_unknown_key_in_capitals_is_sent_to_the_environment_block(strict):
    assert strict.fails("NCCL_DEBUG=INFO")[0] == (
        "command line: NCCL_DEBUG: unknown key; an environment variable belongs under env: at the top of the experiment"
    )


@pytest.mark.parametrize(
    ("override", "value"),
    [
        ("steps=7", 7),
        ("steps=1e3", 1000),
        ("steps=10.0", 10),
        ("lr=1", 1.0),
        ("lr=1e-5", 1e-5),
        ("name=12", "12"),
        ("name=1.10", "1.10"),
        ("name=00123", "00123"),
        ("name=1234e567", "1234e567"),
        ("name=true", "true"),
        ("name=[a, b]", "[a, b]"),
        ("name={a: 1}", "{a: 1}"),
        ("name='12'", "12"),
        ("name=", ""),
        ("path=null", None),
        ("path=None", None),
        ("path=7", "7"),
        ("flag=TRUE", True),
        ("mode=slow", "slow"),
        ("parts=[a, 1, true]", ["a", "1", "true"]),
        ("parts=[]", []),
        ("fqns=a", "a"),
        ("fqns=[a, 2]", ["a", "2"]),
        ("layout=[[a], [b, c]]", [["a"], ["b", "c"]]),
        ("layout=null", None),
    ],
)
def test_each_value_gets_the_type_that_the_schema_asks_for(strict, override, value):
    key = override.partition("=")[0]
    result = training(f"training.{override}", tree=strict)[key]
    assert result == value and type(result) is type(value)
    if override.endswith("="):
        return  # nothing after the colon is null in YAML
    text = override.partition("=")[2]
    strict.write(
        "exp.yaml",
        f"modules:\n  pre_trainer:\n    framework: toy\n    overrides:\n      training:\n        {key}: {text}\n",
    )
    result = training(tree=strict)[key]
    assert result == value and type(result) is type(value)


@pytest.mark.parametrize(
    ("override", "what"),
    [
        ("steps=x", "wants a whole number of at least 1, got text 'x'"),
        ("steps='7'", "wants a whole number of at least 1, got text '7' in quotes"),
        ("steps=1.5", "wants a whole number of at least 1, got 1.5"),
        ("steps=true", "wants a whole number of at least 1, got true"),
        ("steps=null", "wants a whole number of at least 1, got nothing (null)"),
        ("steps=[1]", "wants a whole number of at least 1, got a list"),
        ("steps={a: 1}", "wants a whole number of at least 1, got a section"),
        ("steps=0", "wants a whole number of at least 1, got 0"),
        ("lr=high", "wants a number, got text 'high'"),
        ("lr=false", "wants a number, got false"),
        ("name=null", "wants text, got nothing (null)"),
        ("flag=1", "wants true or false, got 1"),
        ("flag=yes", "wants true or false, got text 'yes'"),
        ("mode=fats", "wants one of fast, slow, got text 'fats' (did you mean fast?)"),
        ("mode=1", "wants one of fast, slow, got 1"),
        ("parts=a,b", "wants a list of text, got text 'a,b'"),
        ("parts=[[a]]", None),
        ("fqns={a: 1}", None),
        ("layout=[a]", "wants a list of text, got text 'a'"),
        ("layout=7", "wants a list of a list of text or nothing (null), got 7"),
    ],
)
def test_wrong_values_are_refused_with_what_was_wanted_and_got(strict, override, what):
    key, _, text = override.partition("=")
    if what is None:
        assert training(f"training.{override}", tree=strict)[key] == ([text[1:-1]] if key == "parts" else text)
        return
    where = f"command line: training.{key}"
    index = "[0]" if override == "layout=[a]" else ""
    named = f": training.{key}[0]" if index else ""
    if "did you mean" in what:
        assert strict.fails(f"training.{override}")[0] == f"{where}: {what}"
    else:
        assert strict.fails(f"training.{override}")[0] == f"{where}{named}: {what}"


def test_a_section_without_a_line_is_an_empty_section_and_null_is_none(strict):
    text = "modules:\n  pre_trainer:\n    framework: toy\n    overrides:\n      training:\n"
    strict.write("exp.yaml", text)
    assert strict.params()["training"] == {}
    strict.write("exp.yaml", text.replace("training:", "training: null"))
    assert strict.fails() == ["exp.yaml:5: training: wants a section, got nothing (null)", "mend the value"]


def test_a_substitution_is_typed_by_the_schema(strict):
    strict.write(
        "exp.yaml",
        "modules:\n  pre_trainer:\n    framework: toy\n    overrides:\n      training:\n"
        "        {steps: ${A}, name: ${B}, flag: ${C:false}, path: ${D:}}\n".replace("{steps", "steps")
        .replace(", ", "\n        ")
        .replace("}}", "}"),
    )
    assert training(tree=strict, environ={"A": "5", "B": "00123"}) == {
        "steps": 5,
        "name": "00123",
        "flag": False,
        "path": None,
    }


def test_an_empty_substitution_is_empty_text_where_text_is_wanted(strict):
    assert training("training.name=${X:}", tree=strict)["name"] == ""


def test_a_secret_is_not_shown_in_a_message(strict):
    text = strict.fails("training.steps=hf_abcdefghijklmnopqrstuv")[0]
    assert text == "command line: training.steps: wants a whole number of at least 1, got a secret"


def test_a_very_long_text_is_shortened_in_a_message(strict):
    assert len(strict.fails("training.steps=" + "x" * 5000)[0]) < 200


def test_thousands_of_unknown_keys_are_told_quickly_and_shortened(strict):
    lines = strict.fails(*[f"key{number}=1" for number in range(3000)])
    assert lines[50:] == ["... and 2950 more", "3000 problems; mend the key, or pass --allow-unknown to be warned only"]


def test_not_a_number_lies_outside_of_every_limit(strict):
    strict.write(
        "configs/schemas/toy-1.0.0.json",
        '{"type": "object", "properties": {"a": {"type": "number", "minimum": 0, "exclusiveMaximum": 1},'
        ' "b": {"type": "number", "exclusiveMinimum": 0, "maximum": 2}}}',
    )
    strict.write("exp.yaml", "modules: {pre_trainer: {framework: toy}}\n")
    assert strict.fails("a=.nan", "b=0", "a=1")[0] == "command line: a: wants a number of at least 0 and below 1, got 1"
    assert strict.fails("a=.nan", "b=0") == [
        "command line: a: wants a number of at least 0 and below 1, got .nan",
        "command line: b: wants a number above 0 and of at most 2, got 0",
        "2 problems",
    ]
    assert strict.fails("b=3")[0] == "command line: b: wants a number above 0 and of at most 2, got 3"
    assert strict.fails("a=-1")[0] == "command line: a: wants a number of at least 0 and below 1, got -1"


def test_a_dotted_key_in_a_file_is_refused_with_how_to_nest_it(strict):
    text = "modules:\n  pre_trainer:\n    framework: toy\n    overrides:\n      "
    strict.write("exp.yaml", text + "training.steps: 5\n")
    message = "exp.yaml:5: training.steps: a dot does not nest in a file, write training: {steps: 5}"
    assert strict.fails(allow_unknown=True) == [message, "mend the file"]


def test_a_dotted_key_in_a_file_is_refused_without_a_schema_too(tree):
    tree.write("exp.yaml", "modules:\n  pre_trainer:\n    framework: toy\n    overrides: {a: {b.c.d: [1]}}\n")
    message = "exp.yaml:4: a.b.c.d: a dot does not nest in a file, write b: {c: {d: ...}}"
    assert tree.fails() == [message, "mend the file"]


def test_a_variable_that_is_not_set_is_told_once(strict):
    text = "modules:\n  pre_trainer:\n    framework: toy\n    overrides: {training: {steps: '${N}'}}\n"
    strict.write("exp.yaml", text)
    message = "exp.yaml:4: training.steps: variable N is not set"
    assert strict.fails() == [message, "set N, or write ${N:default}"]


@pytest.mark.parametrize(
    ("override", "what"),
    [
        ("--env.X=1", "environment variables belong under env: at the top of the experiment"),
        ("--framework=toy", "framework: belongs beside overrides: in the experiment"),
        ("--modules.pre_trainer.overrides.x=1", "leave out modules.NAME.overrides. and write what stands below it"),
        ("--PYTHONPATH=/x", "an environment variable belongs under env: at the top of the experiment"),
        ("--PATH=/x", "an environment variable belongs under env: at the top of the experiment"),
    ],
)
def test_a_part_of_the_file_given_as_an_override_is_told_what_to_write(strict, override, what):
    assert strict.fails(override)[0] == f"command line: {override.partition('=')[0]}: unknown key; {what}"


def test_a_part_of_the_file_given_as_an_override_is_a_warning_without_a_schema(tree):
    what = "environment variables belong under env: at the top of the experiment"
    assert tree.compose("exp.yaml", "env.X=1").warnings == (f"command line: env.X: is a parameter here; {what}",)
