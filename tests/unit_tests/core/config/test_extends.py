"""``extends:``: earlier entries first, the file itself last."""

import pytest

from primus.core.config.yaml_writer import quoted_text


def test_earlier_entries_come_first_and_the_file_itself_last(tree):
    tree.write("a.yaml", "env: {A: a, B: a, C: a}\n")
    tree.write("b.yaml", "env: {B: b, C: b}\n")
    tree.write("exp.yaml", "extends: [a.yaml, b.yaml]\nenv: {C: c}\nmodules: {pre_trainer: {framework: toy}}\n")
    assert tree.compose().env == {"A": "a", "B": "b", "C": "c"}


def test_one_file_may_be_named_without_brackets(tree):
    tree.write("base.yaml", "exp_name: base\nmodules: {pre_trainer: {framework: toy}}\n")
    tree.write("exp.yaml", "extends: base.yaml\n")
    assert tree.compose().exp_name == "base"


def test_nothing_may_be_named(tree):
    for nothing in ("[]", "", "null"):
        tree.write("configs/models/toy/model.yaml", f"extends: {nothing}\nsize: 3\n")
        assert tree.params()["size"] == 3


def test_names_are_relative_to_the_file_that_holds_them(tree):
    tree.write("deep/base/b.yaml", "exp_name: base\n")
    tree.write("deep/a.yaml", "extends: base/b.yaml\nmodules: {pre_trainer: {framework: toy}}\n")
    tree.write("exp.yaml", "extends: ./deep/a.yaml\n")
    assert tree.compose().exp_name == "base"


def test_a_preset_finds_a_shared_base_in_the_folder_above_its_frameworks(tree):
    tree.write("configs/modules/toy/trainer.yaml", "extends:\n  - trainer_base.yaml\nsteps: 1\n")
    assert tree.params() == {
        "training": {"name": "small"},
        "stderr_sink_level": "INFO",
        "file_sink_level": "DEBUG",
        "steps": 1,
    }


def test_a_file_beside_the_preset_comes_before_the_shared_one(tree):
    tree.write("configs/modules/toy/trainer_base.yaml", "stderr_sink_level: ERROR\n")
    tree.write("configs/modules/toy/trainer.yaml", "extends: trainer_base.yaml\n")
    assert tree.params()["stderr_sink_level"] == "ERROR"


def test_the_key_itself_is_no_parameter(tree):
    tree.write("configs/models/toy/model.yaml", "extends: []\nsize: 3\n")
    assert "extends" not in tree.params()


def test_the_key_inside_overrides_is_refused(tree):
    tree.write("exp.yaml", "modules: {pre_trainer: {framework: toy, overrides: {extends: x.yaml}}}\n")
    assert tree.fails() == ["exp.yaml:1: extends: stands inside overrides", "move it to the top of the file"]


def test_a_circle_is_refused_with_its_chain(tree):
    tree.write("a.yaml", "extends: b.yaml\n")
    tree.write("b.yaml", "x: 1\nextends: [c.yaml]\n")
    tree.write("c.yaml", "extends: a.yaml\n")
    tree.write("exp.yaml", "extends: a.yaml\n")
    assert tree.fails() == [
        "c.yaml:1: extends: goes in a circle: a.yaml -> b.yaml -> c.yaml -> a.yaml",
        "take one of them out",
    ]


def test_a_file_that_extends_itself_is_refused(tree):
    tree.write("exp.yaml", "extends: ./exp.yaml\n")
    assert tree.fails()[0] == "exp.yaml:1: extends: goes in a circle: exp.yaml -> exp.yaml"


def test_one_file_reached_on_two_ways_is_no_circle(tree):
    tree.write("base.yaml", "env: {A: base}\n")
    tree.write("a.yaml", "extends: base.yaml\n")
    tree.write("b.yaml", "extends: base.yaml\nenv: {A: b}\n")
    tree.write("exp.yaml", "extends: [a.yaml, b.yaml]\nmodules: {pre_trainer: {framework: toy}}\n")
    assert tree.compose().env == {"A": "b"}


def test_files_that_double_at_each_level_are_read_once_each(tree):
    for level in range(40):
        tree.write(f"l{level}.yaml", f"extends: [l{level + 1}.yaml, l{level + 1}.yaml]\nenv: {{L{level}: x}}\n")
    tree.write("l40.yaml", "exp_name: bottom\nmodules: {pre_trainer: {framework: toy}}\n")
    assert tree.compose("l0.yaml").exp_name == "bottom"


def test_a_chain_beyond_the_bound_is_refused(tree):
    for level in range(120):
        tree.write(f"l{level}.yaml", f"extends: l{level + 1}.yaml\n")
    assert tree.fails(name="l0.yaml") == ["l100.yaml:1: extends: more than 100 files deep", "flatten the chain"]


def test_a_missing_file_is_refused_with_the_folders_that_were_searched(tree):
    tree.write("exp.yaml", "extends: no.yaml\n")
    assert tree.fails() == ["exp.yaml:1: extends: no.yaml not found in .", "the name is relative to the file"]
    tree.write("exp.yaml", "modules: {pre_trainer: {framework: toy, config: trainer.yaml}}\n")
    tree.write("configs/modules/toy/trainer.yaml", "x: 1\nextends:\n- no.yaml\n")
    assert tree.fails() == [
        "configs/modules/toy/trainer.yaml:3: extends: no.yaml not found in configs/modules or configs/modules/toy",
        "the name is relative to the file",
    ]


def test_what_is_no_name_is_refused(tree):
    for value in ("{a: 1}", "[[a]]", "[null]", "''"):
        tree.write("exp.yaml", f"extends: {value}\n")
        assert tree.fails() == ["exp.yaml:1: extends: wants a file name or a list of them", "write extends: base.yaml"]


@pytest.mark.parametrize("name", ["~nobody[]/x", "x" * 5000, "a\0b", "loop.yaml"])
def test_a_name_that_no_file_can_have_is_refused(tree, name):
    (tree.root / "loop.yaml").symlink_to("loop.yaml")
    tree.write("exp.yaml", f"extends: {quoted_text(name)}\n")
    line = tree.fails()[0]
    assert line.startswith("exp.yaml:1: extends: ") and " not found in " in line
    tree.write("exp.yaml", f"modules: {{pre_trainer: {{framework: toy, model: {quoted_text(name)}}}}}\n")
    line = tree.fails()[0]
    assert line.startswith("exp.yaml:1: model preset ") and " not found in " in line


def test_variables_are_filled_in_names(tree):
    tree.write("big.yaml", "exp_name: big\nmodules: {pre_trainer: {framework: toy}}\n")
    tree.write("exp.yaml", "extends: ${SIZE:small}.yaml\n")
    assert tree.compose(environ={"SIZE": "big"}).exp_name == "big"
    assert tree.fails()[0] == "exp.yaml:1: extends: small.yaml not found in ."


def test_an_empty_base_adds_nothing_and_a_list_is_refused(tree):
    tree.write("base.yaml", "# nothing yet\n")
    tree.write("exp.yaml", "extends: base.yaml\nmodules: {pre_trainer: {framework: toy}}\n")
    assert tree.compose().framework == "toy"
    tree.write("base.yaml", "- a\n")
    assert tree.fails() == ["base.yaml:1: the file holds a list, not 'key: value' lines", "write key: value lines"]
    tree.write("base.yaml", "word\n")
    assert tree.fails()[0] == "base.yaml:1: the file holds one value, not 'key: value' lines"
