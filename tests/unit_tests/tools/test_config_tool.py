"""``primus-cli config``: each command on real files, through its own entry."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from primus.core.backend.backend_registry import BackendRegistry
from primus.tools import config, config_commands

ROOT = Path(__file__).resolve().parents[3]

EXPERIMENT = """\
exp_name: tiny
modules:
  pre_trainer:
    framework: toy
    model: ./model.yaml
    overrides: {steps: 5, hub: {token: S3CRET}}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(BackendRegistry, "list_backends", classmethod(lambda cls: ["torchtitan", "toy"]))
    (tmp_path / "exp.yaml").write_text(EXPERIMENT)
    (tmp_path / "model.yaml").write_text("size: 1\n")
    return tmp_path


@pytest.fixture
def run(capsys):
    def call(*words):
        status = config.main(words)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


@pytest.mark.parametrize("words", [[], ["--help"], ["help"], ["-h"]])
def test_help_lists_the_commands(run, words):
    assert run(*words) == (0, config.HELP[""], "")


@pytest.mark.parametrize("name", [name for name in config.HELP if name])
def test_each_command_has_help_and_the_options_it_tells_of(run, name):
    status, out, err = run(name, "--config", "no.yaml", "--help")
    assert (status, out, err) == (0, config.HELP[name], "")
    assert out.startswith(f"Usage: primus-cli config {name} ")
    for option in (*config._VALUE_OPTIONS[name], *config._FLAG_OPTIONS.get(name, ())):
        assert f"--{option.replace('_', '-')}" in out


def test_an_unknown_command_is_refused_with_the_nearest_one(run):
    assert run("shwo") == (
        2,
        "",
        "[primus] ERROR config: unknown command 'shwo' (did you mean show?)\nprimus-cli config --help lists them\n",
    )


def test_show_prints_the_resolved_experiment_and_hides_secrets(run):
    status, out, err = run("show", "--config", "exp.yaml", "--steps", "7")
    assert (status, err) == (0, "")
    assert (
        out
        == """\
work_group: local  # Primus's default
user_name: local  # Primus's default
exp_name: tiny  # exp.yaml:1 (experiment)
workspace: ./output  # Primus's default
modules:
  pre_trainer:
    framework: toy
    # ./model.yaml merged into the overrides
    overrides:
      size: 1  # model.yaml:1 (model preset)
      steps: 7  # command line: --steps, replaces 5 from exp.yaml:6
      hub:
        token: "***"  # exp.yaml:6 (experiment)
"""
    )


def test_show_prints_json(run):
    status, out, _ = run("show", "--config=exp.yaml", "--format", "json")
    assert status == 0 and json.loads(out) == {
        "work_group": "local",
        "user_name": "local",
        "exp_name": "tiny",
        "workspace": "./output",
        "modules": {"pre_trainer": {"framework": "toy", "overrides": {"size": 1, "steps": 5, "hub": {"token": "***"}}}},
    }


@pytest.mark.parametrize(
    ("words", "out"),
    [
        (["--only", "steps"], "5\n"),
        (["--only", "hub.token"], '"***"\n'),
        (["--only", "hub", "--format", "json"], '{\n  "token": "***"\n}\n'),
        (["--only", "exp_name", "--format", "json"], '"tiny"\n'),
        (["--only", "hub"], 'token: "***"  # exp.yaml:6 (experiment)\n'),
    ],
)
def test_show_prints_one_value(run, words, out):
    assert run("show", "--config", "exp.yaml", *words) == (0, out, "")


def test_show_refuses_an_unknown_format_and_a_stray_word(run):
    assert run("show", "--config", "exp.yaml", "--format", "toml")[2] == (
        "[primus] ERROR config show: unknown format 'toml'\nwrite --format yaml or --format json\n"
    )
    assert run("show", "exp.yaml")[2].startswith("[primus] ERROR command line: stray word 'exp.yaml'\n")
    assert run("show")[2] == "[primus] ERROR config show: no --config\nprimus-cli config show --help\n"


def test_explain_tells_one_key(run):
    assert run("explain", "--config", "exp.yaml", "steps", "steps=9") == (
        0,
        "steps = 9\n  set by      command line: steps\n  replaced    5 from exp.yaml:6 (experiment)\n",
        "",
    )


def test_explain_wants_one_key(run):
    assert run("explain", "--config", "exp.yaml")[2] == (
        "[primus] ERROR config explain: no key\nwrite config explain --config FILE KEY\n"
    )


def test_check_tells_each_file_and_fails_when_any_is_wrong(run, folder):
    (folder / "bad.yaml").write_text("modules: {pre_trainer: {framework: toy, overrides: {device: gpu}}}\n")
    status, out, err = run("check", "*.yaml")
    assert (status, out) == (2, "exp.yaml: ok\n")
    assert err == (
        "[primus] ERROR bad.yaml:1: device: wants one of auto, cpu, cuda, got text 'gpu' (did you mean cpu?)\n"
        "take one of the choices\n"
        "[primus] ERROR model.yaml: no modules\nwrite modules: and under it pre_trainer:\n"
        "[primus] ERROR 2 of 3 files are wrong\n"
    )


def test_check_takes_files_with_and_without_the_option_and_folders(run, folder):
    (folder / "more").mkdir()
    (folder / "more" / "a.yaml").write_text("modules: {post_trainer: {framework: toy}}\n")
    assert run("check", "--config", "exp.yaml", "more", "steps=1") == (0, "exp.yaml: ok\nmore/a.yaml: ok\n", "")


def test_check_takes_a_file_whose_name_looks_like_a_pattern(run, folder):
    (folder / "a[1].yaml").write_text("modules: {pre_trainer: {framework: toy}}\n")
    assert run("check", "a[1].yaml") == (0, "a[1].yaml: ok\n", "")


def test_check_checks_every_module_of_a_file(run, folder):
    (folder / "two.yaml").write_text(
        "modules:\n  pre_trainer: {framework: toy}\n  post_trainer: {framework: toy, overrides: {device: gpu}}\n"
    )
    assert run("check", "two.yaml")[0] == 2 and run("check", "two.yaml", "--stage", "pretrain")[0] == 0


def test_check_without_a_file_is_refused(run):
    assert run("check")[2] == "[primus] ERROR config check: no file\nwrite config check FILE...\n"
    assert run("check", "x*.yaml")[2] == "[primus] ERROR config check: no file fits x*.yaml\ncheck the pattern\n"
    assert run("check", "x.yaml")[2] == "[primus] ERROR x.yaml does not exist\ndid you mean exp.yaml?\n"


def test_output_is_utf_8_in_any_locale_and_takes_any_file_name(folder):
    name = b"caf\xe9 \xc3\xa9.yaml"
    Path(os.fsdecode(name)).write_text("exp_name: \u2603\nmodules: {pre_trainer: {framework: torchtitan}}\n", "utf-8")
    environ = {"PATH": os.environ["PATH"], "LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    environ["PYTHONPATH"] = str(ROOT)
    for words, out in (["check"], name + b": ok\n"), (["show", "--only", "exp_name", "--config"], b'"\xe2\x98\x83"\n'):
        command = [sys.executable, "-m", "primus.tools.config", *words, name]
        result = subprocess.run(command, env=environ, capture_output=True, check=False)
        assert (result.returncode, result.stdout) == (0, out), result.stderr


def test_check_counts_processes(run, folder):
    (folder / "tp.yaml").write_text(
        "modules: {pre_trainer: {framework: torchtitan, overrides: {parallelism: {tensor_parallel_degree: 2}}}}\n"
    )
    assert run("check", "tp.yaml", "--nnodes", "2", "--nproc-per-node=3")[:2] == (0, "tp.yaml: ok\n")
    status, _, err = run("check", "tp.yaml", "--nproc-per-node", "3")
    assert status == 2 and err.startswith("[primus] ERROR tp.yaml:1: 3 processes cannot be divided")
    words = ["--nproc-per-node", "4", "--parallelism.tensor_parallel_degree=3"]
    err = run("check", "tp.yaml", *words)[2]
    place = "[primus] ERROR command line: --parallelism.tensor_parallel_degree: 4 processes cannot be divided"
    assert err.startswith(place) and err.endswith("\nmend one of these values, or the number of processes\n")
    assert run("check", "tp.yaml", "--nnodes", "x")[2].startswith(
        "[primus] ERROR config check: --nnodes wants a count, got 'x'\n"
    )


def test_diff_prints_differences_and_can_fail_on_them(run, folder):
    (folder / "other.yaml").write_text(EXPERIMENT.replace("steps: 5", "steps: 6"))
    text = "steps: 5 -> 6\n  exp.yaml:6 -> other.yaml:6\n"
    assert run("diff", "exp.yaml", "other.yaml") == (0, text, "")
    assert run("diff", "exp.yaml", "other.yaml", "--exit-code") == (1, text, "")
    assert run("diff", "exp.yaml", "other.yaml", "steps=1", "--exit-code") == (0, "", "")
    assert run("diff", "exp.yaml")[2] == "[primus] ERROR config diff: 1 files\nwrite config diff FILE FILE\n"


def test_new_writes_an_experiment_that_passes_the_check(run, folder):
    status, out, err = run("new", "--framework", "torchtitan", "--model", "llama3_debugmodel", "--output", "new.yaml")
    assert (status, out, err) == (0, "", "[primus] wrote new.yaml\n")
    assert run("check", "new.yaml")[:2] == (0, "new.yaml: ok\n")
    assert run("new", "--framework", "torchtitan", "--model", "llama3_debugmodel", "--output", "new.yaml")[2] == (
        "[primus] ERROR new.yaml exists\nadd --force to overwrite it\n"
    )
    assert run("new", "--framework=torchtitan", "--model=llama3_debugmodel", "--output=new.yaml", "--force")[0] == 0


def test_new_refuses_unknown_frameworks_and_options(run):
    assert run("new", "--framework", "torchtitn", "--model", "x")[2].startswith(
        "[primus] ERROR command line: --framework: unknown framework 'torchtitn' (did you mean torchtitan?)\n"
    )
    assert run("new", "--framework", "toy", "--model", "x", "--modle", "y")[2] == (
        "[primus] ERROR config new: unknown option --modle\nprimus-cli config new --help\n"
    )


def test_schema_writes_json_schema(run, folder):
    status, out, _ = run("schema", "--config", "exp.yaml")
    assert status == 0 and json.loads(out)["title"] == "Primus experiment for toy"
    assert run("schema", "--framework", "torchtitan", "--output", "sub/s.json") == (
        0,
        "",
        "[primus] wrote sub/s.json\n",
    )
    assert json.loads((folder / "sub/s.json").read_text())["title"].startswith("Primus experiment for torchtitan 0.")
    assert run("schema")[2] == (
        "[primus] ERROR config schema: no --config and no --framework\nprimus-cli config schema --help\n"
    )


def test_a_stage_that_is_none_is_refused(run):
    assert run("show", "--config", "exp.yaml", "--stage", "sft")[2] == (
        "[primus] ERROR config show: unknown stage 'sft'\nwrite --stage pretrain or --stage posttrain\n"
    )


def test_schema_never_overwrites_the_experiment_nor_another_file(run, folder):
    refused = "[primus] ERROR command line: --output ./exp.yaml is the experiment itself\nname another file\n"
    assert run("schema", "--config", "exp.yaml", "--output", "./exp.yaml", "--force") == (2, "", refused)
    assert (folder / "exp.yaml").read_text() == EXPERIMENT
    words = ["schema", "--config", "exp.yaml", "--output"]
    assert run(*words, "model.yaml") == (
        2,
        "",
        "[primus] ERROR model.yaml exists\nadd --force to overwrite it\n",
    )
    assert run(*words, "s.json")[0] == run(*words, "s.json")[0] == run(*words, "model.yaml", "--force")[0] == 0


TWO = """\
exp_name: ../out
modules:
  pre_trainer: {framework: toy, overrides: {device: A}}
  post_trainer: {framework: toy, overrides: {device: B}}
"""


def test_check_tells_the_problems_of_both_modules_and_what_they_share_once(run, folder):
    (folder / "two.yaml").write_text(TWO)
    assert run("check", "two.yaml") == (
        2,
        "",
        "[primus] ERROR two.yaml:1: exp_name: leads out of the workspace: '../out'\n"
        "two.yaml:3: device: wants one of auto, cpu, cuda, got text 'A'\n"
        "two.yaml:4: device: wants one of auto, cpu, cuda, got text 'B'\n"
        "3 problems\n",
    )


def test_check_tells_every_unknown_key_however_many(run, folder):
    keys = "".join(f"      key{number}: 1\n" for number in range(80))
    (folder / "many.yaml").write_text(f"modules:\n  pre_trainer:\n    framework: torchtitan\n    overrides:\n{keys}")
    status, _, err = run("check", "many.yaml")
    assert status == 2 and err.count("unknown key") == 80 and "more" not in err


def test_diff_compares_every_module(run, folder):
    text = "modules:\n  pre_trainer: {framework: toy}\n  post_trainer: {framework: toy, overrides: {steps: 5}}\n"
    (folder / "a.yaml").write_text("exp_name: a\n" + text)
    (folder / "b.yaml").write_text("exp_name: a\n" + text.replace("5", "6"))
    told = "modules.post_trainer.overrides.steps: 5 -> 6\n  a.yaml:4 -> b.yaml:4\n"
    assert run("diff", "a.yaml", "b.yaml", "--exit-code") == (1, told, "")
    assert run("diff", "a.yaml", "b.yaml", "--stage", "pretrain", "--exit-code") == (0, "", "")
    (folder / "c.yaml").write_text("exp_name: c\nmodules:\n  pre_trainer: {framework: toy}\n")
    assert run("diff", "a.yaml", "c.yaml") == (
        0,
        "exp_name: a -> c\n  a.yaml:1 -> c.yaml:1\n"
        "modules.post_trainer.framework: toy -> not set\n  a.yaml:4 -> nowhere\n"
        "modules.post_trainer.overrides.steps: 5 -> not set\n  a.yaml:4 -> nowhere\n",
        "",
    )


def test_the_options_of_a_launch_stand_on_the_line_of_a_command(run):
    words = ["--data_path", "/d", "--debug", "--export_config=x.yaml", "--allow-unknown", "--backend-path", "/b"]
    assert run("show", "--config", "exp.yaml", "--only", "steps", *words) == (0, "5\n", "")
    assert run("explain", "--config", "exp.yaml", "steps", *words)[0] == 0
    assert run("check", "exp.yaml", *words) == (0, "exp.yaml: ok\n", "")
    assert run("diff", "exp.yaml", "exp.yaml", *words) == (0, "", "")
    assert run("schema", "--config", "exp.yaml", *words)[0] == 0


def test_the_backend_path_names_the_framework_whose_version_counts(run, monkeypatch):
    asked = []
    monkeypatch.setattr("primus.tools.config_commands.compose_experiment", lambda path, **given: asked.append(given))
    request = config_commands.read_request("show", ["--backend_path", "/b"], ["backend_path"], [])
    request.compose("exp.yaml")
    assert asked[0]["backend_path"] == "/b"


def test_check_of_a_folder_takes_both_suffixes_and_leaves_hidden_ones_out(run, folder):
    for name in ("more/a.yml", "more/b.yaml", "more/.git/c.yaml", "more/.d.yaml", "more/e.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("modules: {pre_trainer: {framework: toy}}\n")
    assert run("check", "more") == (0, "more/a.yml: ok\nmore/b.yaml: ok\n", "")


def test_a_pattern_that_fits_no_file_fails_and_the_other_files_are_checked(run):
    assert run("check", "x*.yaml", "exp.yaml") == (
        2,
        "exp.yaml: ok\n",
        "[primus] ERROR config check: no file fits x*.yaml\ncheck the pattern\n",
    )


def test_schema_is_written_for_an_experiment_that_is_wrong_elsewhere(run, folder):
    (folder / "bad.yaml").write_text("exp_name: ..\nmodules: {pre_trainer: {framework: toy, model: no.yaml, x: 1}}\n")
    status, out, err = run("schema", "--config", "bad.yaml")
    assert (status, json.loads(out)["title"], err) == (0, "Primus experiment for toy", "")


def test_an_editor_takes_a_file_whose_base_names_the_framework(run):
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(json.loads(run("schema", "--framework", "torchtitan")[1]))
    modules = {"modules": {"pre_trainer": {"overrides": {}}}}
    assert validator.is_valid({"extends": "base.yaml", **modules}) and not validator.is_valid(modules)
