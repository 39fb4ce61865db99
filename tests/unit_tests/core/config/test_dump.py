"""The resolved experiment as a file."""

import json
import math
import stat
from pathlib import Path

import pytest
import yaml

from primus.core.config.dump import resolved_yaml, shown_tree, write_resolved
from primus.core.config.yaml_reader import parse_yaml
from primus.core.config.yaml_writer import quoted_text, scalar_text
from primus.core.errors import LaunchEnvironmentError

EXPERIMENT = """\
exp_name: 1234e567
env: {OMP_NUM_THREADS: 00123, HF_TOKEN: "${HF_TOKEN}", PLAIN: "a b"}
modules:
  pre_trainer:
    framework: toy
    config: trainer.yaml
    model: model.yaml
    overrides:
      training: {steps: 60, name: 1.10, parts: [a, "1", 'x: y'], lr: 1}
"""


def test_each_value_stands_with_its_origin_and_what_it_replaced(strict):
    strict.write("exp.yaml", EXPERIMENT)
    experiment = strict.compose("exp.yaml", "--training.flag", environ={"HF_TOKEN": "S3CRET"})
    assert (
        resolved_yaml(experiment)
        == """\
work_group: local  # Primus's default
user_name: local  # Primus's default
exp_name: "1234e567"  # exp.yaml:1 (experiment)
workspace: ./output  # Primus's default
env:
  OMP_NUM_THREADS: "00123"  # exp.yaml:2 (experiment)
  HF_TOKEN: "${HF_TOKEN}"  # exp.yaml:2 (experiment)
  PLAIN: a b  # exp.yaml:2 (experiment)
modules:
  pre_trainer:
    framework: toy
    # trainer.yaml and model.yaml merged into the overrides
    overrides:
      training:
        name: "1.10"  # exp.yaml:9 (experiment), replaces small from configs/models/toy/model.yaml:1
        steps: 60  # exp.yaml:9 (experiment), replaces 10 from configs/modules/toy/trainer.yaml:1
        parts: [a, "1", "x: y"]  # exp.yaml:9 (experiment)
        lr: 1.0  # exp.yaml:9 (experiment)
        flag: true  # command line: --training.flag
"""
    )


def test_the_file_loads_again_to_the_same_experiment(strict):
    strict.write("exp.yaml", EXPERIMENT)
    environ = {"HF_TOKEN": "S3CRET"}
    first = strict.compose(environ=environ)
    write_resolved(first, "out/again.yaml")
    second = strict.compose("out/again.yaml", environ=environ)
    assert second.params_dict() == first.params_dict()
    assert (second.exp_name, second.env, second.directory) == (first.exp_name, first.env, first.directory)


def test_secrets_are_written_as_their_variables_or_hidden(tree):
    text = resolved_yaml(
        tree.compose(
            "exp.yaml",
            "a.api_key=S3CRET",
            "b.token=${MY_TOKEN}",
            "c.token=${MY_TOKEN:S3CRET}",
            "d=x${MY_TOKEN}x",
            "e=hf_" + "S3CRET" * 5,
            "f.password=[S3CRET]",
            "g.secret={h: S3CRET}",
            "i.token=",
            "j.auth=true",
            environ={"MY_TOKEN": "S3CRET-1"},
        )
    )
    assert "S3CRET" not in text
    values = [line.strip().partition("  #")[0] for line in text.splitlines()[-22:]]
    assert 'api_key: "***"' in values and 'token: "${MY_TOKEN}"' in values and 'd: "***"' in values
    assert 'password: ["***"]' in values and 'token: ""' in values and "auth: true" in values


def test_a_replaced_secret_is_hidden_in_the_comment(tree):
    tree.write("configs/models/toy/model.yaml", "hub: {token: S3CRET}\n")
    text = resolved_yaml(tree.compose("exp.yaml", "hub.token=${T}", environ={"T": "x"}))
    assert "S3CRET" not in text and "replaces *** from configs/models/toy/model.yaml:1" in text


def test_the_tree_for_json_hides_secrets_too(tree):
    shown = shown_tree(tree.compose("exp.yaml", "hub.token=S3CRET", "a=[1, {b: 2}]"))
    assert shown["modules"]["pre_trainer"]["overrides"]["hub"] == {"token": "***"}
    assert shown["modules"]["pre_trainer"]["overrides"]["a"] == [1, {"b": 2}]


def test_text_that_looks_like_a_substitution_is_escaped_and_loads_again(tree):
    experiment = tree.compose("exp.yaml", "a=$${X}")
    write_resolved(experiment, "again.yaml")
    assert tree.compose("again.yaml").params_dict()["a"] == "${X}"


def test_comments_can_be_left_out(tree):
    assert "#" not in resolved_yaml(tree.compose(), comments=False)


def test_the_file_is_written_whole_or_not_at_all(tree, monkeypatch):
    experiment = tree.compose()
    write_resolved(experiment, "out.yaml")
    before = Path("out.yaml").read_text()

    def broken(experiment):
        raise RuntimeError("no")

    monkeypatch.setattr("primus.core.config.dump.resolved_yaml", broken)
    with pytest.raises(RuntimeError):
        write_resolved(experiment, "out.yaml")
    assert Path("out.yaml").read_text() == before
    assert sorted(path.name for path in Path().glob("*out*")) == ["out.yaml"] and not list(Path().glob(".primus-*"))


def test_the_file_can_be_read_by_others_as_the_umask_allows(tree):
    write_resolved(tree.compose(), "out.yaml")
    assert stat.S_IMODE(Path("out.yaml").stat().st_mode) & 0o044 == 0o044


def test_a_place_that_cannot_be_written_is_refused(tree):
    tree.write("file", "x")
    with pytest.raises(LaunchEnvironmentError) as caught:
        write_resolved(tree.compose(), "file/out.yaml")
    assert caught.value.lines() == [f"{tree.root}/file/out.yaml cannot be written: File exists", "name another file"]


@pytest.mark.parametrize(
    "text",
    ["", " ", "a", "a b", "a: b", "- a", "-", "---", "...", "#a", "a #b", "1", "1e5", "true", "null", "~", "None",
     "00123", "0x1F", "'", '"', "\\", "a\nb", "a\tb", "\x00\x07\x1b", "\x85\u2028\ufeff", "é", "\U0001f600", "{a}",
     "[a]", "*a", "&a", "!a", "%a", "@a", "`a", "|", ">", "a,b", "${X}",
     "$${X}", "C:\\x", "a:b", ":a", "=", "? a", ".inf",
     "<<"],
)  # fmt: skip
def test_any_text_reads_back_as_itself(text):
    for written in (f"{quoted_text(text)}", f"[{quoted_text(text)}]", f"{{k: {quoted_text(text)}}}"):
        node = parse_yaml(f"key: {written}", "f.yaml", "experiment").items["key"]
        while not hasattr(node, "value"):
            node = next(iter(node.items.values())) if isinstance(node.items, dict) else node.items[0]
        assert node.value == text


@pytest.mark.parametrize(
    "value", [None, True, False, 0, -5, 10**18, 1.5, 1e-05, 1e22, -0.0, float("inf"), float("-inf")]
)
def test_any_number_reads_back_as_itself(value):
    node = parse_yaml(scalar_text(value), "f.yaml", "experiment")
    assert (node.value, type(node.value)) == (value, type(value))
    assert scalar_text(float("nan")) == ".nan"


def test_a_secret_with_an_empty_default_stays_a_variable_set_or_not(strict):
    text = "env: {HF_TOKEN: '${HF_TOKEN:}', TEAM: '${TEAM:}'}\nmodules: {pre_trainer: {framework: toy}}\n"
    strict.write("exp.yaml", text)
    for environ in {"HF_TOKEN": "S3CRET", "TEAM": "x"}, {"TEAM": "x"}:
        experiment = strict.compose("exp.yaml", environ=environ)
        assert shown_tree(experiment)["env"] == {"HF_TOKEN": "${HF_TOKEN:}", "TEAM": "x"}
        strict.write("again.yaml", resolved_yaml(experiment))
        assert '  HF_TOKEN: "${HF_TOKEN:}"' in resolved_yaml(experiment)
        assert strict.compose("again.yaml", environ={"HF_TOKEN": "new"}).env == {"HF_TOKEN": "new", "TEAM": "x"}


def test_json_loads_back_the_same(strict):
    words = ["training.lr=-.inf", "training.name=$${HOME}", "training.parts=['$${A}', \U0001f600]", "exp_name=$${x"]
    experiment = strict.compose("exp.yaml", *words)
    strict.write("again.yaml", json.dumps(shown_tree(experiment), allow_nan=False))
    again = strict.compose("again.yaml")
    assert again.params_dict() == experiment.params_dict()
    assert again.params_dict()["training"]["lr"] == -math.inf
    assert (again.exp_name, again.params_dict()["training"]["name"]) == ("${x", "${HOME}")


@pytest.mark.parametrize(
    ("value", "text"), [(1e-8, "1.0e-08"), (-1e16, "-1.0e+16"), (1.5e-8, "1.5e-08"), (0.1, "0.1"), (1e300, "1.0e+300")]
)
def test_a_number_with_an_exponent_is_one_to_readers_of_yaml_1_1_too(value, text):
    assert scalar_text(value) == text
    assert yaml.safe_load(text) == value
