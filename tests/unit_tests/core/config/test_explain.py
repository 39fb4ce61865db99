"""Where a value comes from, in words; what differs between two experiments; a first experiment."""

import json

import pytest

from primus.core.config.compare import differences
from primus.core.config.experiment_schema import experiment_schema
from primus.core.config.explain import explain
from primus.core.config.nodes import to_plain
from primus.core.config.schema import load_schema
from primus.core.config.source_descriptions import read_descriptions
from primus.core.config.starter import starter
from primus.core.config.yaml_reader import read_yaml
from primus.core.errors import ConfigError


def test_a_value_is_told_with_all_it_replaced_its_type_default_and_description(strict):
    strict.write("configs/models/toy/model.yaml", "training: {steps: '${N:5}'}\n")
    experiment = strict.compose("exp.yaml", "--training.steps", "${S:7}")
    assert explain(experiment, "training.steps", {"training.steps": "How many.\nIn all."}) == [
        "training.steps = 7",
        "  set by      command line: --training.steps, as ${S:7}",
        "  replaced    10 from configs/modules/toy/trainer.yaml:1 (module preset)",
        "  replaced    ${N:5} from configs/models/toy/model.yaml:1 (model preset)",
        "  type        a whole number of at least 1",
        "  default     10 (toy 1.0.0)",
        "  about       How many.",
        "              In all.",
    ]


def test_a_key_that_nothing_sets_is_told_with_its_default(strict):
    assert explain(strict.compose(), "training.parts") == [
        "training.parts is not set",
        "  type        a list of text",
        "  default     [] (toy 1.0.0)",
    ]


def test_keys_of_primus_are_told_as_such(tree):
    assert explain(tree.compose("exp.yaml", "device=cpu"), "device") == [
        "device = cpu",
        "  set by      command line: device",
        "  type        one of auto, cpu, cuda",
        "  default     auto (Primus)",
        "  about       Where to train; auto takes the cpu when the host has no accelerator.",
    ]


def test_identity_fields_and_the_environment_are_told(tree):
    tree.write("exp.yaml", "env: {A_TOKEN: '${A:S3CRET}'}\nmodules: {pre_trainer: {framework: toy}}\n")
    experiment = tree.compose()
    assert explain(experiment, "exp_name") == ["exp_name = exp", "  set by      Primus's default"]
    assert explain(experiment, "env.A_TOKEN") == [
        'env.A_TOKEN = "***"',
        "  set by      exp.yaml:1 (experiment), as a substitution",
    ]


def test_a_section_is_told_key_by_key(strict):
    assert explain(strict.compose(), "training") == [
        "training.name = small  # configs/models/toy/model.yaml:1 (model preset)",
        "training.steps = 10  # configs/modules/toy/trainer.yaml:1 (module preset)",
    ]


@pytest.mark.parametrize(
    ("key", "nearest"), [("training.stepz", "training.steps"), ("steps", "training.steps"), ("flga", "training.flag")]
)
def test_an_unknown_key_is_refused_with_the_nearest_one(strict, key, nearest):
    with pytest.raises(ConfigError) as caught:
        explain(strict.compose(), key)
    assert caught.value.lines() == [f"command line: no key {key}", f"did you mean {nearest}?"]


def test_descriptions_are_read_from_source_without_running_it(tmp_path):
    path = tmp_path / "config.py"
    path.write_text(
        'raise SystemExit\nclass Inner:\n    size: int = 3\n    """Its\n    size."""\n    other: int = 4\n'
        'class Root:\n    inner: Inner = None\n    """A part."""\n    """Not this."""\n    flag: bool = False\n'
    )
    assert read_descriptions(path, "Root") == {"inner": "A part.", "inner.size": "Its\nsize."}
    assert read_descriptions(path, "Nobody") == {}


def test_differences_are_told_with_both_places(tree):
    tree.write(
        "other.yaml",
        "exp_name: other\nenv: {A: x}\n"
        "modules: {pre_trainer: {framework: toys, overrides: {a: 1, training: {steps: 10}}}}\n",
    )
    found = differences(tree.compose("exp.yaml", "a=1.0"), tree.compose("other.yaml"))
    assert [line for difference in found for line in difference.lines()] == [
        "exp_name: tiny -> other",
        "  exp.yaml:1 -> other.yaml:1",
        "modules.pre_trainer.framework: toy -> toys",
        "  exp.yaml:4 -> other.yaml:3",
        "training.name: small -> not set",
        "  configs/models/toy/model.yaml:1 -> nowhere",
        "a: 1.0 -> 1",
        "  command line: a -> other.yaml:3",
        "env.A: not set -> x",
        "  nowhere -> other.yaml:2",
    ]


def test_an_experiment_does_not_differ_from_itself(tree):
    assert differences(tree.compose(), tree.compose()) == []


def test_a_difference_shows_no_secret(tree):
    found = differences(tree.compose("exp.yaml", "token=S3CRET1"), tree.compose("exp.yaml", "token=S3CRET2"))
    assert found[0].lines()[0] == 'token: "***" -> "***"'


def test_a_starter_passes_the_check_and_names_what_it_uses(strict):
    text = starter("toy", "model", None, strict.configs, load_schema("toy", None, strict.configs / "schemas"))
    strict.write("new.yaml", text)
    experiment = strict.compose("new.yaml")
    assert (experiment.exp_name, experiment.model_preset, experiment.config_preset) == (
        "model",
        "model.yaml",
        "trainer.yaml",
    )
    assert "      #   steps: 10  # a whole number of at least 1\n" in text


def test_a_starter_for_an_unknown_model_is_refused(strict):
    with pytest.raises(ConfigError) as caught:
        starter("toy", "modle", None, strict.configs, None)
    assert caught.value.lines() == [
        "model preset modle not found in configs/models/toy",
        "did you mean model.yaml? there are: model.yaml",
    ]


def test_the_schema_of_an_experiment_file_takes_what_primus_takes_and_refuses_the_rest(strict):
    jsonschema = pytest.importorskip("jsonschema", reason="pip install jsonschema")
    schema = load_schema("toy", None, strict.configs / "schemas")
    document = experiment_schema(schema, "toy", {"model": ["model.yaml"], "config": []})
    jsonschema.Draft202012Validator.check_schema(document)
    json.dumps(document)
    validator = jsonschema.Draft202012Validator(document)

    def valid(text):
        strict.write("some.yaml", text)
        return validator.is_valid(to_plain(read_yaml("some.yaml", "experiment")))

    head = "modules:\n  pre_trainer:\n    framework: toy\n    model: model.yaml\n    overrides:\n"
    assert valid(
        "exp_name: 12\nenv: {A: 1}\nextends: [a.yaml]\n" + head + "      training: {steps: 5, name: 1.10, lr: 1}\n"
    )
    assert valid(head + "      training: {steps: '${N}', flag: '${F:true}', mode: '${M}', parts: ['${P}', 1]}\n")
    assert valid(head + "      device: cpu\n") and valid(head)
    for wrong in ("training: {stepz: 1}", "training: {steps: x}", "training: {mode: fats}", "device: gpu", "x: 1"):
        assert not valid(f"{head}      {wrong}\n"), wrong
    assert not valid("modules: {pre_trainer: {framework: other}}\n") and not valid("wrk: 1\n" + head)
