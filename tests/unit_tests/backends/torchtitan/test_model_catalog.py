"""Models and flavours are read from the sources, and agree with what TorchTitan itself says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from primus.backends.torchtitan.model_catalog import model_names, read_model

MODEL = """\
from .model.args import Args
tiny_args = {
    "small": Args(dim=1),
    "flexed": Args(dim=1, attn_type="flex"),
    "older": Args(dim=1, use_flex_attn=True),
    "varied": Args(dim=1, attn_type="varlen"),
}
def get_train_spec():
    return TrainSpec(model_cls=M, model_args=tiny_args, pipelining_fn=None, build_validator_fn=build)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "models" / "tiny").mkdir(parents=True)
    (tmp_path / "models" / "__init__.py").write_text('_supported_models = frozenset(["tiny", "odd"])\n')
    (tmp_path / "models" / "tiny" / "__init__.py").write_text(MODEL)
    return tmp_path


def test_names_are_read(package: Path) -> None:
    assert model_names(package) == ["odd", "tiny"]


def test_flavours_and_abilities_are_read(package: Path) -> None:
    entry = read_model(package, "tiny")
    assert entry is not None
    assert entry.flavors == {"small": "sdpa", "flexed": "flex", "older": "flex", "varied": "varlen"}
    assert (entry.pipelining, entry.validation) == (False, True)


@pytest.mark.parametrize("source", [None, "", "def (", "x = 1\n", "TrainSpec(model_args=build())\n"])
def test_what_cannot_be_read_is_not_known(package: Path, source: str | None) -> None:
    if source is not None:
        (package / "models" / "odd").mkdir()
        (package / "models" / "odd" / "__init__.py").write_text(source)
    assert read_model(package, "odd") is None


@pytest.mark.slow
def test_the_catalogue_agrees_with_torchtitan(warm_ranks: Any, torchtitan_package: Path, tmp_path: Path) -> None:
    code = (
        "import json\n"
        "from torchtitan.models import _supported_models\n"
        "from torchtitan.experiments import _supported_experiments\n"
        "from torchtitan.protocols.train_spec import get_train_spec\n"
        "models = {}\n"
        "for name in ('llama3', 'llama4', 'qwen3', 'deepseek_v3'):\n"
        "    spec = get_train_spec(name)\n"
        "    models[name] = [{f: a.attn_type for f, a in spec.model_args.items()},\n"
        "                    spec.pipelining_fn is not None, spec.build_validator_fn is not None]\n"
        "names = sorted([*_supported_models, *_supported_experiments])\n"
        "print('CATALOGUE', json.dumps([names, models]))\n"
    )
    job = warm_ranks.run(tmp_path, code=code)
    assert job.statuses == [0], job.log()
    names, models = json.loads(job.log().split("CATALOGUE ")[1])
    assert model_names(torchtitan_package) == names
    for name, (flavors, pipelining, validation) in models.items():
        entry = read_model(torchtitan_package, name)
        assert entry is not None
        assert entry.flavors == flavors
        assert (entry.pipelining, entry.validation) == (pipelining, validation)
