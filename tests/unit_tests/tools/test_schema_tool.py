"""``python -m primus.tools.schema``: schemas made from the frameworks themselves."""

import importlib.metadata
import json

import pytest

from primus.core.config.presets import default_configs_dir
from primus.tools import schema

JOB_CONFIG = '''\
import torch
from dataclasses import dataclass, field
from torchtitan.tools.logging import logger

@dataclass
class Training:
    steps: int = 10
    """Not copied."""
    global_batch_size: int = -1

@dataclass
class JobConfig:
    training: Training = field(default_factory=Training)

    def maybe_log(self):
        logger.info(torch.distributed)
'''


@pytest.fixture
def package(tmp_path):
    (tmp_path / "torchtitan" / "config").mkdir(parents=True)
    (tmp_path / "torchtitan" / "config" / "job_config.py").write_text(JOB_CONFIG)
    return str(tmp_path / "torchtitan")


def test_a_schema_is_made_without_torch_or_the_package_itself(package, capsys):
    import sys

    before = set(sys.modules)
    assert schema.main(["torchtitan", "--package", package, "--version", "0.2.9", "--output", "-"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "torchtitan 0.2.9",
        "type": "object",
        "properties": {
            "training": {
                "type": "object",
                "properties": {
                    "steps": {"type": "integer", "default": 10, "minimum": 0},
                    "global_batch_size": {"default": -1, "anyOf": [{"enum": [-1]}, {"type": "integer", "minimum": 1}]},
                },
                "additionalProperties": False,
            }
        },
        "additionalProperties": False,
    }
    assert not {"torch", "torchtitan"} & (set(sys.modules) - before)


def test_a_file_is_written_with_one_key_in_a_line(package, tmp_path):
    path = tmp_path / "s.json"
    assert schema.main(["torchtitan", "--package", package, "--version", "0.2.9", "--output", str(path)]) == 0
    assert '    "steps": {"type": "integer", "default": 10, "minimum": 0},\n' in path.read_text()


def test_an_unknown_framework_and_a_missing_definition_are_refused(tmp_path, capsys):
    assert schema.main(["torchtitn"]) == 2
    assert capsys.readouterr().err == (
        "[primus] ERROR no schema can be made for framework 'torchtitn' (did you mean torchtitan?)\n"
        "there is a way for: torchtitan\n"
    )
    assert schema.main(["torchtitan", "--package", str(tmp_path), "--version", "1"]) == 2
    assert capsys.readouterr().err == (
        f"[primus] ERROR {tmp_path}/config/job_config.py does not exist\n"
        "this version of the framework defines its configuration elsewhere\n"
    )


def test_the_checked_in_schema_is_what_the_installed_framework_gives():
    try:
        version = importlib.metadata.version("torchtitan")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("torchtitan is not installed: pip install torchtitan==0.2.2")
    path = default_configs_dir() / "schemas" / f"torchtitan-{version}.json"
    assert schema.rendered(schema.generate("torchtitan", version)) == path.read_text(), (
        "run: python -m primus.tools.schema torchtitan"
    )


def test_limits_name_keys_that_exist_in_the_newest_schema():
    from primus.backends.torchtitan.value_ranges import VALUE_RANGES
    from primus.core.config.schema import describe_keys, load_schema

    newest = load_schema("torchtitan", None)
    assert newest is not None
    assert set(VALUE_RANGES) <= {key for key, _ in describe_keys(newest.document)}
