"""The experiments and presets that come with Primus, and what the documentation says of configuration."""

import re
from pathlib import Path

import pytest

from primus.core.config.command_line import FLAG_OPTIONS, VALUE_OPTIONS
from primus.core.config.experiment import compose_experiment, stages_in
from primus.core.config.experiment_schema import experiment_schema
from primus.core.config.nodes import to_plain
from primus.core.config.owned_keys import OWNED_SCHEMA
from primus.core.config.presets import default_configs_dir, list_presets
from primus.core.config.scalars import resolve_plain
from primus.core.config.schema import load_schema
from primus.core.config.yaml_reader import read_yaml

ROOT = Path(__file__).resolve().parents[4]
EXAMPLES = sorted((ROOT / "examples").glob("*/configs/**/*.yaml"))
PRESETS = sorted((default_configs_dir() / "models").glob("*/**/*.yaml"))
DOCUMENT = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")


def name_of(path):
    return "/".join(path.parts[-3:])


def newest(framework):
    return None


@pytest.mark.parametrize("path", EXAMPLES, ids=name_of)
def test_every_example_is_right_and_its_presets_agree(path):
    for stage in stages_in(path):
        experiment = compose_experiment(path, stage=stage, environ={}, framework_version=newest)
        assert experiment.warnings == ()


@pytest.mark.parametrize("path", EXAMPLES, ids=name_of)
def test_every_example_fits_the_schema_that_editors_use(path):
    jsonschema = pytest.importorskip("jsonschema", reason="pip install jsonschema")
    framework = compose_experiment(path, stage=stages_in(path)[0], environ={}, framework_version=newest).framework
    document = experiment_schema(load_schema(framework, None), framework, {})
    jsonschema.Draft202012Validator(document).validate(to_plain(read_yaml(path, "experiment")))


@pytest.mark.parametrize("path", PRESETS, ids=name_of)
def test_every_model_preset_is_right_with_its_frameworks_module_preset(path, tmp_path):
    models = default_configs_dir() / "models"
    framework = path.relative_to(models).parts[0]
    name = path.relative_to(models / framework)
    config = next(iter(list_presets(default_configs_dir() / "modules" / framework)))
    text = f"modules: {{pre_trainer: {{framework: {framework}, config: {config}, model: {name.as_posix()}}}}}\n"
    (tmp_path / "exp.yaml").write_text(text)
    assert compose_experiment(tmp_path / "exp.yaml", environ={}, framework_version=newest).warnings == ()


def table(heading):
    """Return the rows of the first table after a heading, without the head."""
    part = DOCUMENT.partition(f"{heading}\n")[2]
    found = re.search(r"^\|.*\n\|[-|]+\n((?:\|.*\n)+)", part, re.MULTILINE)
    assert found, heading
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found.group(1).splitlines()]


def test_the_documented_order_of_layers_is_the_one_that_holds(tree):
    documented = [row[0] for row in table("## Which value wins")]
    lines = {layer: f"key: {layer}\n" for layer in documented}
    tree.write("configs/models/toy/model.yaml", lines["model preset"])
    tree.write("configs/modules/toy/trainer.yaml", lines["module preset"])
    text = (tree.root / "exp.yaml").read_text()
    tree.write("exp.yaml", f"{text}    overrides:\n      {lines['experiment']}")
    experiment = tree.compose("exp.yaml", "key=command line", hook_overrides=["--key", "hook"])
    node, found = experiment.find("key"), []
    while node is not None:
        found.append(to_plain(node))
        node = node.replaced
    assert found == documented[::-1]


def test_the_documented_meaning_of_values_holds():
    meanings = {row[1]: re.findall(r"`([^`]*)`", row[0]) for row in table("## What a value means")}
    kinds = {key: {type(resolve_plain(text)) for text in texts} for key, texts in meanings.items()}
    assert [kinds[key] for key in list(kinds)[:5]] == [{type(None)}, {bool}, {int}, {float}, {str}]


def test_the_documented_keys_of_primus_are_all_there_are():
    assert {row[0].strip("`") for row in table("## The experiment file")} == set(OWNED_SCHEMA)


def test_the_documented_options_are_all_there_are():
    part = DOCUMENT.partition("These are options of Primus")[2].partition("After a lone")[0]
    documented = {name.replace("-", "_") for name in re.findall(r"`--([a-z_-]+)`", part)}
    assert documented == {*VALUE_OPTIONS, *FLAG_OPTIONS}
