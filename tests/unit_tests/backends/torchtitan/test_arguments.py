"""Parameters become TorchTitan's own JobConfig, or all mistakes at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

# One process answers all cases: it converts each and prints what came of it.
CODE = """
import json, logging, os, sys
from primus.backends.torchtitan import TorchTitanAdapter
from primus.core.config.namespace import to_namespace
from primus.core.errors import PrimusError
answers = {}
for name, (params, allow, env) in job["cases"].items():
    os.environ.pop("PRIMUS_RUN_DIR", None)
    os.environ.update(env)
    adapter = TorchTitanAdapter()
    adapter.allow_unknown = allow
    try:
        config = adapter.convert_config(to_namespace(params)).to_dict()
        answers[name] = {"config": config}
    except PrimusError as error:
        answers[name] = {"message": error.message, "status": error.exit_status}
print("ANSWERS", json.dumps(answers))
"""

CASES: dict[str, tuple[dict[str, Any], bool, dict[str, str]]] = {
    "empty": ({}, False, {}),
    "owned": ({"stage": "pretrain", "device": "cpu", "corpus": {}, "stderr_sink_level": "INFO"}, False, {}),
    "values": (
        {
            "training": {"steps": 7, "max_norm": 2, "dataloader": {"num_workers": 2}},
            "optimizer": {"lr": 1},
            "model": {"converters": ["float8"]},
            "quantize": {"linear": {"float8": {"recipe_name": "rowwise"}}},
            "parallelism": {"module_fqns_per_model_part": [["a", "b"], ["c"]]},
            "checkpoint": {"exclude_from_loading": ["dataloader"]},
            "validation": {"steps": 3},
        },
        False,
        {},
    ),
    "wrong": (
        {
            "training": {"stepz": 7, "steps": "many", "dtype": "float8"},
            "trainning": {"steps": 3},
            "quantize": {"linear": {"float8": {"recipe": "rowwise"}}},
        },
        False,
        {},
    ),
    "allowed": ({"training": {"stepz": 7, "steps": 3}, "new_section": {"a": 1}}, True, {}),
    "allowed but wrong": ({"training": {"stepz": 7, "steps": "many"}}, True, {}),
    "upstream's own check": ({"validation": {"steps": 0}}, False, {}),
    "run folder": ({}, False, {"PRIMUS_RUN_DIR": "/runs/7"}),
    "own folder": ({"job": {"dump_folder": "/mine"}}, False, {"PRIMUS_RUN_DIR": "/runs/7"}),
    "extension": (
        {"job": {"custom_config_module": "job_config_extension"}, "extra": {"depth": 3}, "training": {"warm": True}},
        False,
        {},
    ),
    "extension, wrong": (
        {"job": {"custom_config_module": "job_config_extension"}, "extra": {"dept": 3}},
        False,
        {},
    ),
    "extension, missing": ({"job": {"custom_config_module": "no_such.module"}}, False, {}),
    "extension, empty": ({"job": {"custom_config_module": "tiny_nothing"}}, False, {}),
    "old name": ({"model": {"tokenizer_path": "/old"}}, False, {}),
}


@pytest.fixture(scope="module")
def answers(warm_ranks: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder: Path = tmp_path_factory.mktemp("arguments")
    job = warm_ranks.run(folder, code=CODE, cases=CASES)
    assert job.statuses == [0], job.log()
    found: dict[str, Any] = json.loads(job.log().split("ANSWERS ")[1].splitlines()[0])
    found["log"] = job.log()
    return found


def test_nothing_set_gives_upstreams_defaults(answers: dict[str, Any]) -> None:
    config = answers["empty"]["config"]
    assert config["training"]["steps"] == 10000
    assert config["job"]["dump_folder"] == "./outputs"


def test_keys_of_primus_do_not_reach_torchtitan(answers: dict[str, Any]) -> None:
    assert answers["owned"] == answers["empty"]


def test_values_arrive_with_their_types(answers: dict[str, Any]) -> None:
    config = answers["values"]["config"]
    assert config["training"]["steps"] == 7
    assert config["training"]["dataloader"]["num_workers"] == 2
    assert isinstance(config["optimizer"]["lr"], float)
    assert config["model"]["converters"] == ["float8"]
    assert config["quantize"]["linear"]["float8"]["recipe_name"] == "rowwise"
    assert config["parallelism"]["module_fqns_per_model_part"] == [["a", "b"], ["c"]]


def test_all_mistakes_are_told_at_once(answers: dict[str, Any]) -> None:
    assert answers["wrong"] == {
        "status": 2,
        "message": (
            "the composed parameters: training.stepz: unknown key (did you mean training.steps?)\n"
            "the composed parameters: training.steps: wants a whole number, got text 'many'\n"
            "the composed parameters: training.dtype: wants one of bfloat16, float32, got text 'float8'"
            " (did you mean float32?)\n"
            "the composed parameters: trainning: unknown key (did you mean training?)\n"
            "the composed parameters: quantize.linear.float8.recipe: unknown key"
            " (did you mean quantize.linear.float8.recipe_name?)"
        ),
    }


def test_unknown_keys_are_left_out_with_a_warning_where_they_are_allowed(answers: dict[str, Any]) -> None:
    assert answers["allowed"]["config"]["training"]["steps"] == 3
    assert "training.stepz: unknown key (did you mean training.steps?); it is left out" in answers["log"]
    assert answers["allowed but wrong"]["message"].endswith("training.steps: wants a whole number, got text 'many'")


def test_a_check_of_upstreams_own_is_a_mistake_of_the_configuration(answers: dict[str, Any]) -> None:
    assert answers["upstream's own check"] == {
        "status": 2,
        "message": "validation: validation steps must be positive or -1",
    }


def test_the_run_folder_is_the_default_for_what_a_run_writes(answers: dict[str, Any]) -> None:
    assert answers["run folder"]["config"]["job"]["dump_folder"] == "/runs/7"
    assert answers["own folder"]["config"]["job"]["dump_folder"] == "/mine"


def test_a_log_that_is_no_terminal_gets_no_colour_codes(answers: dict[str, Any]) -> None:
    assert answers["empty"]["config"]["metrics"]["disable_color_printing"] is True


def test_a_users_extension_of_the_dataclasses_is_honoured(answers: dict[str, Any]) -> None:
    config = answers["extension"]["config"]
    assert (config["extra"]["depth"], config["training"]["warm"], config["training"]["steps"]) == (3, True, 10000)
    assert answers["extension, wrong"]["message"] == (
        "the composed parameters: extra.dept: unknown key (did you mean extra.depth?)"
    )
    assert answers["extension, missing"]["message"] == "job.custom_config_module: no module 'no_such.module'"
    assert answers["extension, empty"]["message"] == (
        "job.custom_config_module: module 'tiny_nothing' has no class JobConfig"
    )


def test_upstreams_deprecated_name_still_works(answers: dict[str, Any]) -> None:
    assert answers["old name"]["config"]["model"]["hf_assets_path"] == "/old"
