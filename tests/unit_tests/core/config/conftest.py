"""A folder with presets of a made-up framework, and short ways to compose and to read a message."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from primus.core.config.experiment import compose_experiment
from primus.core.errors import PrimusError

EXPERIMENT = """\
exp_name: tiny
modules:
  pre_trainer:
    framework: toy
    config: trainer.yaml
    model: model.yaml
"""

# The framework "toy" has one key of each type.
TOY_SCHEMA = """\
{"type": "object", "additionalProperties": false, "properties": {
  "training": {"type": "object", "additionalProperties": false, "properties": {
    "steps": {"type": "integer", "default": 10, "minimum": 1},
    "lr": {"type": "number", "default": 0.1},
    "name": {"type": "string", "default": "toy"},
    "path": {"type": ["string", "null"], "default": null},
    "flag": {"type": "boolean", "default": false},
    "mode": {"enum": ["fast", "slow"], "default": "fast"},
    "parts": {"type": "array", "items": {"type": "string"}, "default": []},
    "fqns": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]},
    "layout": {"anyOf": [
      {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}, {"type": "null"}]}
  }}
}}
"""


class Tree:
    """Files below a temporary folder, which is the working directory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.configs = root / "configs"

    def write(self, name: str, text: str) -> str:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return name

    def compose(self, name: str = "exp.yaml", *overrides: str, **options):
        options.setdefault("environ", {})
        options.setdefault("framework_version", "1.0.0")
        return compose_experiment(name, overrides=overrides, configs_dir=self.configs, **options)

    def params(self, *overrides: str, **options):
        return self.compose("exp.yaml", *overrides, **options).params_dict()

    def fails(self, *overrides: str, name: str = "exp.yaml", **options) -> list[str]:
        """Return the lines that the user sees."""
        with pytest.raises(PrimusError) as caught:
            self.compose(name, *overrides, **options)
        assert caught.value.exit_status == 2
        return [*caught.value.message.split("\n"), *([caught.value.hint] if caught.value.hint else [])]


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = Tree(tmp_path)
    made.write("exp.yaml", EXPERIMENT)
    made.write("configs/modules/trainer_base.yaml", "stderr_sink_level: INFO\nfile_sink_level: DEBUG\n")
    made.write("configs/modules/toy/trainer.yaml", "training: {steps: 10}\n")
    made.write("configs/models/toy/model.yaml", "training: {name: small}\n")
    return made


@pytest.fixture
def strict(tree):
    """The tree with a schema for the framework."""
    tree.write("configs/schemas/toy-1.0.0.json", TOY_SCHEMA)
    return tree
