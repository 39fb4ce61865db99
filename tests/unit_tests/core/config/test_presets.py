"""Where the names of presets lead."""

import pytest


def experiment(**names):
    lines = "".join(f"    {key}: {value}\n" for key, value in names.items())
    return f"modules:\n  pre_trainer:\n    framework: toy\n{lines}"


def test_a_name_leads_to_the_frameworks_folder(tree):
    tree.write("exp.yaml", experiment(config="trainer.yaml", model="model.yaml"))
    assert tree.params() == {"training": {"name": "small", "steps": 10}}


def test_a_name_may_lead_to_a_folder_below(tree):
    tree.write("configs/models/toy/cpu/tiny.yaml", "size: 1\n")
    tree.write("exp.yaml", experiment(model="cpu/tiny.yaml"))
    assert tree.params() == {"size": 1}


@pytest.mark.parametrize("name", ["./mine.yaml", "../conf/mine.yaml", "{root}/conf/mine.yaml"])
def test_a_path_leads_from_the_file_that_names_it(tree, name):
    tree.write("conf/mine.yaml", "size: 2\n")
    tree.write("conf/exp.yaml", experiment(model=name.format(root=tree.root)))
    assert tree.compose("conf/exp.yaml").params_dict() == {"size": 2}


def test_a_path_in_an_extended_file_leads_from_that_file(tree):
    tree.write("base/mine.yaml", "size: 3\n")
    tree.write("base/base.yaml", experiment(model="./mine.yaml"))
    tree.write("exp.yaml", "extends: base/base.yaml\n")
    assert tree.params() == {"size": 3}


def test_variables_are_filled_in_names(tree):
    tree.write("exp.yaml", experiment(model="${MODEL:model}.yaml"))
    assert tree.params() == {"training": {"name": "small"}}


@pytest.mark.parametrize(("key", "kind", "folder"), [("config", "module", "modules"), ("model", "model", "models")])
def test_a_missing_preset_is_refused_with_the_nearest_and_all_there_are(tree, key, kind, folder):
    for name in ("small.yaml", "large.yaml"):
        tree.write(f"configs/{folder}/other/{name}", "a: 1\n")
    tree.write("exp.yaml", experiment(**{key: "smal.yaml"}).replace("toy", "other"))
    assert tree.fails() == [
        f"exp.yaml:4: {kind} preset smal.yaml not found in configs/{folder}/other",
        "did you mean small.yaml? there are: large.yaml, small.yaml",
    ]


def test_a_missing_preset_in_a_folder_without_any_is_refused(tree):
    tree.write("exp.yaml", experiment(model="x.yaml").replace("toy", "none"))
    assert tree.fails() == [
        "exp.yaml:4: model preset x.yaml not found in configs/models/none",
        "there are none in that folder",
    ]


def test_a_preset_that_is_a_folder_is_refused(tree):
    tree.write("configs/models/toy/cpu/tiny.yaml", "size: 1\n")
    tree.write("exp.yaml", experiment(model="cpu"))
    assert tree.fails() == ["configs/models/toy/cpu is a directory", "name a file in it"]
