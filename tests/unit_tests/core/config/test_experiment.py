"""Composing: which layer wins, where each value comes from, what is refused."""

import pytest

from primus.core.config.experiment import stages_in
from primus.core.config.nodes import history, to_plain
from primus.core.config.primus_config import load_primus_config
from primus.core.errors import ConfigError

LAYERS = ["model preset", "module preset", "experiment", "hook", "command line"]


def compose_with(tree, layers):
    """Compose an experiment in which each of the layers sets ``key`` to its own name."""

    def text(layer):
        return f"key: {layer}\n" if layer in layers else "other: 1\n"

    tree.write("configs/models/toy/model.yaml", text("model preset"))
    tree.write("configs/modules/toy/trainer.yaml", text("module preset"))
    tree.write(
        "exp.yaml",
        "modules:\n  pre_trainer:\n    framework: toy\n    config: trainer.yaml\n    model: model.yaml\n"
        f"    overrides:\n      {text('experiment')}",
    )
    hooks = ["--key", "hook"] if "hook" in layers else []
    user = ["--key=command line"] if "command line" in layers else []
    return tree.compose("exp.yaml", *user, hook_overrides=hooks)


@pytest.mark.parametrize("low", range(len(LAYERS)))
@pytest.mark.parametrize("high", range(len(LAYERS)))
def test_each_layer_wins_over_each_lower_one(tree, low, high):
    if low >= high:
        low, high = high, low
    experiment = compose_with(tree, {LAYERS[low], LAYERS[high]})
    assert experiment.params_dict()["key"] == LAYERS[high]
    assert experiment.origin_of("key").layer == LAYERS[high]


def test_a_value_remembers_every_layer_below_it(tree):
    node = compose_with(tree, set(LAYERS)).find("key")
    assert [to_plain(one) for one in (node, *history(node))] == LAYERS[::-1]
    assert [one.origin.place for one in (node, *history(node))] == [
        "command line: --key",
        "hook: --key",
        "exp.yaml:7",
        "configs/modules/toy/trainer.yaml:1",
        "configs/models/toy/model.yaml:1",
    ]


def test_an_override_equal_to_the_preset_counts_as_set(tree):
    assert tree.compose("exp.yaml", "training.steps=10").origin_of("training.steps").layer == "command line"


def test_overrides_merge_deep_and_lists_replace(tree):
    tree.write("configs/modules/toy/trainer.yaml", "a: {b: {c: 1, d: [1, 2]}}\n")
    tree.write("configs/models/toy/model.yaml", "x: 1\n")
    assert tree.params("a.b.d=[3]", "a.e=2") == {"x": 1, "a": {"b": {"c": 1, "d": [3]}, "e": 2}}


def test_values_from_hooks_and_the_user_are_told_when_they_meet(tree):
    experiment = tree.compose("exp.yaml", "--lr", "2", hook_overrides=["--lr", "1", "--x", "3"])
    assert experiment.params_dict()["lr"] == 2
    assert experiment.warnings == ("lr: the command line (--lr) wins over a hook's value",)


def test_presets_that_disagree_are_told(tree):
    tree.write("configs/models/toy/model.yaml", "training: {steps: 20, name: x}\n")
    experiment = tree.compose()
    assert experiment.params_dict()["training"]["steps"] == 10
    assert experiment.warnings == (
        "training.steps: the module preset (configs/modules/toy/trainer.yaml:1) "
        "wins over the model preset (configs/models/toy/model.yaml:1)",
    )


def test_presets_that_agree_or_are_both_overruled_are_not_told(tree):
    tree.write("configs/models/toy/model.yaml", "training: {steps: 10}\n")
    assert tree.compose().warnings == ()
    tree.write("configs/models/toy/model.yaml", "training: {steps: 20}\n")
    assert tree.compose("exp.yaml", "training.steps=5").warnings == ()


def test_an_experiment_with_modules_alone_has_defaults_for_the_rest(tree):
    tree.write("my.run.yaml", "modules: {pre_trainer: {framework: toy}}\n")
    experiment = tree.compose("my.run.yaml")
    identity = (experiment.work_group, experiment.user_name, experiment.exp_name, experiment.workspace)
    assert identity == ("local", "local", "my.run", "./output")
    assert experiment.directory == str(tree.root / "output/local/local/my.run")
    assert (experiment.config_preset, experiment.model_preset, experiment.params_dict()) == ("", "", {})


@pytest.mark.parametrize("text", ["1234e567", "1.10", "00123", "true", "0x10", "12", "1e5"])
def test_identity_fields_are_always_text(tree, text):
    tree.write("exp.yaml", f"exp_name: {text}\nwork_group: ${{G}}\nmodules: {{pre_trainer: {{framework: toy}}}}\n")
    experiment = tree.compose("exp.yaml", f"user_name={text}", environ={"G": text})
    assert (experiment.exp_name, experiment.work_group, experiment.user_name) == (text, text, text)


def test_identity_fields_can_be_overridden(tree):
    experiment = tree.compose("exp.yaml", "--exp_name", "other", "workspace=/w", hook_overrides=["--user_name", "h"])
    assert experiment.directory == "/w/local/h/other"
    assert "exp_name" not in experiment.params_dict()
    assert experiment.origin_of("exp_name").place == "command line: --exp_name"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("exp_name: ''", "exp_name: is empty"),
        ("user_name:", "user_name: is empty"),
        ("exp_name: /abs", "exp_name: leads out of the workspace: '/abs'"),
        ("work_group: a/../../b", "work_group: leads out of the workspace: 'a/../../b'"),
        ('exp_name: "a\\nb"', "exp_name: holds a control character: 'a\\nb'"),
        ("exp_name: [a]", "exp_name: wants text, got a list or section"),
        ("exp_name: ${NOPE}", "exp_name: variable NOPE is not set"),
    ],
)
def test_identity_fields_that_name_no_folder_are_refused(tree, text, what):
    tree.write("exp.yaml", f"modules: {{pre_trainer: {{framework: toy}}}}\n{text}\n")
    assert tree.fails()[0] == f"exp.yaml:2: {what}"


def test_the_environment_block_is_text_as_written(tree):
    tree.write(
        "exp.yaml",
        "env: {A: 4, B: true, C: 00123, D: 1e-5, E: '', F: '${X:y}', G: 'a b'}\n"
        "modules: {pre_trainer: {framework: toy}}\n",
    )
    expected = {"A": "4", "B": "true", "C": "00123", "D": "1e-5", "E": "", "F": "y", "G": "a b"}
    assert tree.compose().env == expected


def test_mistakes_in_the_environment_block_are_all_told(tree):
    tree.write(
        "exp.yaml",
        'env:\n  A:\n  B-C: 1\n  D: [1]\n  E: ${NOPE}\n  F: "a\\0b"\nmodules: {pre_trainer: {framework: toy}}\n',
    )
    assert tree.fails() == [
        'exp.yaml:2: env.A: has no value (write "" for an empty one)',
        "exp.yaml:3: env.B-C: is no name for an environment variable",
        "exp.yaml:4: env.D: wants one value, got a list or section",
        "exp.yaml:5: env.E: variable NOPE is not set",
        "exp.yaml:6: env.F: holds a NUL character",
        "5 problems",
    ]


def test_the_stage_selects_the_module(tree):
    tree.write(
        "exp.yaml",
        "modules:\n  pre_trainer: {framework: toy, overrides: {a: 1}}\n"
        "  post_trainer: {framework: toy, overrides: {a: 2}}\n",
    )
    assert tree.compose().params_dict() == {"a": 1}
    post = tree.compose(stage="posttrain")
    assert (post.module_name, post.params_dict()) == ("post_trainer", {"a": 2})
    assert stages_in("exp.yaml") == ["pretrain", "posttrain"]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ["exp.yaml is empty", "write modules: and under it pre_trainer:"]),
        ("# nothing\n", ["exp.yaml is empty", "write modules: and under it pre_trainer:"]),
        ("- a\n", ["exp.yaml:1: the file holds a list, not 'key: value' lines", "write key: value lines"]),
        ("word\n", ["exp.yaml:1: the file holds one value, not 'key: value' lines", "write key: value lines"]),
        ("a: 1\n", ["exp.yaml: no modules", "write modules: and under it pre_trainer:"]),
        (
            "modulez: {}\n",
            [
                "exp.yaml: no modules (did you mean modules instead of modulez?)",
                "write modules: and under it pre_trainer:",
            ],
        ),
        ("modules:\n", ["exp.yaml:1: modules is empty", "write pre_trainer: under modules:"]),
        ("modules: 3\n", ["exp.yaml:1: modules is no section", "write pre_trainer: under modules:"]),
        (
            "modules:\n  post_trainer: {framework: toy}\n",
            [
                "exp.yaml:1: modules holds no pre_trainer, only post_trainer",
                "run train posttrain, or add pre_trainer: under modules:",
            ],
        ),
        (
            "modules:\n  pretrainer: {framework: toy}\n",
            ["exp.yaml:1: modules holds no pre_trainer, but pretrainer", "write pre_trainer: under modules:"],
        ),
        (
            "modules:\n  pre_trainer:\n",
            ["exp.yaml:2: modules.pre_trainer is empty", "write framework:, config: and model: under it"],
        ),
        (
            "modules:\n  pre_trainer: toy\n",
            ["exp.yaml:2: modules.pre_trainer is no section", "write framework:, config: and model: under it"],
        ),
        (
            "modules:\n  pre_trainer: {model: x}\n",
            ["exp.yaml:2: modules.pre_trainer names no framework", "write framework: torchtitan, or another"],
        ),
        (
            "modules:\n  pre_trainer: {framwork: toy}\n",
            [
                "exp.yaml:2: modules.pre_trainer names no framework, but framwork",
                "write framework: torchtitan, or another",
            ],
        ),
        (
            "modules:\n  pre_trainer: {framework: [toy]}\n",
            ["exp.yaml:2: modules.pre_trainer.framework wants one name", "write framework: NAME"],
        ),
        (
            "modules:\n  pre_trainer: {framework: toy, overrides: 3}\n",
            ["exp.yaml:2: modules.pre_trainer.overrides is no section", "write key: value lines under it"],
        ),
    ],
)
def test_files_without_a_module_to_train_are_refused(tree, text, lines):
    tree.write("exp.yaml", text)
    assert tree.fails() == lines


def test_unknown_names_in_the_fixed_part_are_all_told_with_the_nearest_one(tree):
    tree.write(
        "exp.yaml",
        "workgroup: x\nmodules:\n  pre_trainer:\n    framework: toy\n    overides: {}\n  post_trianer: {}\n",
    )
    assert tree.fails() == [
        "exp.yaml:1: workgroup: unknown key (did you mean work_group?)",
        "exp.yaml:6: modules.post_trianer: unknown key (did you mean modules.post_trainer?)",
        "exp.yaml:5: modules.pre_trainer.overides: unknown key (did you mean modules.pre_trainer.overrides?)",
        "3 problems; mend the key, or pass --allow-unknown to be warned only",
    ]
    assert tree.compose(allow_unknown=True).warnings == (
        "exp.yaml:1: workgroup: unknown key (did you mean work_group?)",
        "exp.yaml:6: modules.post_trianer: unknown key (did you mean modules.post_trainer?)",
        "exp.yaml:5: modules.pre_trainer.overides: unknown key (did you mean modules.pre_trainer.overrides?)",
    )


def test_a_framework_without_schema_takes_any_key(tree):
    assert tree.params("hello=world", "deep.er=[1, {a: b}]")["deep"] == {"er": [1, {"a": "b"}]}


def test_keys_that_primus_owns_are_checked_in_every_framework(tree):
    assert tree.fails("device=gpu", "stderr_sink_level=LOUD", "corpus.fles=[a]") == [
        "command line: device: wants one of auto, cpu, cuda, got text 'gpu' (did you mean cpu?)",
        "command line: stderr_sink_level: wants one of DEBUG, INFO, WARNING, ERROR, got text 'LOUD'",
        "command line: corpus.fles: unknown key (did you mean corpus.files?)",
        "3 problems",
    ]


def test_without_a_schema_a_key_that_looks_like_an_environment_variable_is_told(tree):
    tree.write(
        "exp.yaml",
        "modules:\n  pre_trainer:\n    framework: toy\n    overrides:\n      NCCL_DEBUG: INFO\n      MODEL: 1\n",
    )
    assert tree.compose().warnings == (
        "exp.yaml:5: NCCL_DEBUG looks like an environment variable; those belong under env: at the top",
    )


def test_unset_variables_are_all_told_with_their_places(tree):
    tree.write(
        "exp.yaml",
        "modules:\n  pre_trainer:\n    framework: toy\n    overrides:\n      a: ${A}\n      b: [x,\n        '${B}']\n",
    )
    assert tree.fails("c=${C}") == [
        "exp.yaml:5: a: variable A is not set",
        "exp.yaml:7: b: variable B is not set",
        "command line: c: variable C is not set",
        "3 problems",
    ]


def test_a_variable_in_a_value_that_is_replaced_need_not_be_set(tree):
    tree.write("configs/models/toy/model.yaml", "a: ${NOPE}\n")
    assert tree.params("a=1")["a"] == 1


def test_a_hidden_value_is_refused_and_not_used_as_a_secret(tree):
    tree.write("exp.yaml", "env: {A_TOKEN: '***'}\nmodules: {pre_trainer: {framework: toy}}\n")
    assert tree.fails("hf_token=***", "keys=[x, '***']") == [
        "exp.yaml:1: env.A_TOKEN: the value was hidden when this file was written",
        "command line: hf_token: the value was hidden when this file was written",
        "command line: keys: the value was hidden when this file was written",
        "3 problems",
    ]


def test_the_module_configuration_has_the_published_form(tree):
    module = tree.compose("exp.yaml", "a.b=1").module_config()
    assert (module.name, module.framework, module.config, module.model) == (
        "pre_trainer",
        "toy",
        "trainer.yaml",
        "model.yaml",
    )
    assert module.params.training.steps == 10 and module.params.a.b == 1


def test_the_published_view_of_an_experiment(tree, monkeypatch):
    monkeypatch.setattr("primus.core.config.experiment.default_configs_dir", lambda: tree.configs)
    monkeypatch.setattr("primus.core.config.layers.default_configs_dir", lambda: tree.configs)
    monkeypatch.setattr("primus.core.config.layers.require_framework", lambda entry: None)
    view = load_primus_config("exp.yaml", overrides=["a=1"])
    assert (view.exp_name, view.work_group, view.env) == ("tiny", "local", {})
    assert view.module_config is view.modules.pre_trainer and view.module_config.params.a == 1


def test_asking_for_what_nothing_sets_names_the_nearest_key(tree):
    with pytest.raises(ConfigError) as caught:
        tree.compose().origin_of("training.stepz")
    assert caught.value.lines() == ["training.stepz: nothing sets it", "did you mean training.steps?"]


@pytest.mark.parametrize("name", ["..", "../core", "./torchtitan", "torchtitan/patches", "", "a b"])
def test_a_framework_that_is_a_path_is_no_framework(tree, name):
    from primus.core.config.experiment import compose_experiment
    from primus.core.errors import PrimusError

    tree.write("exp.yaml", f"modules:\n  pre_trainer:\n    framework: '{name}'\n")
    with pytest.raises(PrimusError, match="unknown framework|names no framework"):
        compose_experiment("exp.yaml", environ={})


def test_an_unknown_framework_is_refused_with_the_nearest_one(tree):
    from primus.core.config.experiment import compose_experiment
    from primus.core.errors import BackendNotFoundError

    tree.write("exp.yaml", "modules:\n  pre_trainer:\n    framework: torchtitn\n    model: x\n")
    with pytest.raises(BackendNotFoundError) as caught:
        compose_experiment("exp.yaml", environ={})
    assert str(caught.value) == "exp.yaml:3: unknown framework 'torchtitn' (did you mean torchtitan?)"
    assert caught.value.hint.startswith("known frameworks: ") and caught.value.exit_status == 2


def test_a_user_wins_over_a_hook_on_identity_fields_and_is_told(tree):
    made = tree.compose("exp.yaml", "exp_name=u", hook_overrides=["exp_name=h"])
    assert made.exp_name == "u"
    assert made.warnings == ("exp_name: the command line (exp_name) wins over a hook's value",)


def test_a_user_is_told_where_a_value_and_a_section_replace_what_a_hook_set(tree):
    above = tree.compose("exp.yaml", "q.a=1", hook_overrides=["q.a.b=5"])
    assert above.warnings == ("q.a.b: the command line (q.a) wins over a hook's value",)
    below = tree.compose("exp.yaml", "q.a.b=1", hook_overrides=["q.a=5"])
    assert below.warnings == ("q.a: the command line (q.a.b) wins over a hook's value",)
    assert tree.compose("exp.yaml", "q.a=1", hook_overrides=["q.b=5"]).warnings == ()


def test_an_override_cannot_reach_into_a_list_of_the_experiment(tree):
    tree.write("exp.yaml", "modules: {pre_trainer: {framework: toy, overrides: {parts: [a, b]}}}\n")
    assert tree.fails("parts.0=c") == [
        "command line: parts.0: parts is a list (see exp.yaml:1)",
        "give the whole list, as [a, b]",
    ]


@pytest.mark.parametrize("null", ["~", "null", "None"])
def test_an_identity_field_that_is_null_names_no_folder(tree, null):
    tree.write("exp.yaml", f"exp_name: {null}\nmodules: {{pre_trainer: {{framework: toy}}}}\n")
    assert tree.fails() == [
        f"exp.yaml:1: exp_name: wants text, got nothing ({null})",
        "write a name, in quotes if it is this one, or leave the key out",
    ]
    tree.write("exp.yaml", f"exp_name: '{null}'\nwork_group: ${{G}}\nmodules: {{pre_trainer: {{framework: toy}}}}\n")
    assert tree.compose(environ={"G": null}).exp_name == tree.compose(environ={"G": null}).work_group == null


def test_a_substitution_in_a_key_is_told_without_a_stray_colon(tree):
    tree.write("exp.yaml", "modules: {pre_trainer: {framework: toy, overrides: {'${X}': 1}}}\n")
    assert tree.fails() == ["exp.yaml:1: key '${X}' holds a substitution", "write the key out"]
