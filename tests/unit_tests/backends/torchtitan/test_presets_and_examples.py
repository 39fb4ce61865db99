"""Every preset and every example gives a JobConfig, for a model and flavour that TorchTitan ships."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from primus.backends.torchtitan import TorchTitanAdapter
from primus.core.config.experiment import Experiment, compose_experiment

ROOT = Path(__file__).resolve().parents[4]
EXAMPLES = sorted((ROOT / "examples" / "torchtitan" / "configs").rglob("*.yaml"))
MODELS = sorted((ROOT / "primus" / "configs" / "models" / "torchtitan").glob("*.yaml"))
FAMILIES = ("llama3", "llama4", "qwen3", "deepseek_v3")
# Number of processes of the layouts that the examples' first lines name.
PROCESSES = {
    "llama3_70B": 64,
    "llama3_405B": 128,
    "deepseek_v3_236B": 128,
    "deepseek_v3_671B": 512,
    "qwen3_235B-A22B": 128,
    "llama4_17bx16e": 64,
    "llama4_17bx128e": 256,
}


def compose(config: Path) -> Experiment:
    return compose_experiment(config, environ={}, framework_version="0.2.2")


def name_of(path: Path) -> str:
    return path.name.removesuffix(".yaml").removesuffix("-pretrain")


def experiment_with(model: Path, folder: Path) -> Path:
    file = folder / f"{model.stem}-experiment.yaml"
    section = {"framework": "torchtitan", "config": "pre_trainer.yaml", "model": model.name}
    file.write_text(
        yaml.safe_dump({"work_group": "t", "user_name": "t", "exp_name": "t", "modules": {"pre_trainer": section}})
    )
    return file


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_an_example_composes_without_a_warning_and_fits_its_processes(example: Path) -> None:
    experiment = compose(example)
    assert experiment.warnings == ()
    assert experiment.framework == "torchtitan"
    on_cpu = example.parent.name == "cpu"
    one_process = on_cpu and name_of(example) == "qwen3_debug"
    on_cpu_processes = (1,) if one_process else (1, 2)
    for processes in on_cpu_processes if on_cpu else (PROCESSES.get(name_of(example), 8),):
        params = experiment.params_dict()
        params["device"] = "cpu" if on_cpu else "cuda"
        assert TorchTitanAdapter().check_params(params, processes) == []


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_an_example_names_itself(example: Path) -> None:
    experiment = compose(example)
    folder = "-cpu" if example.parent.name == "cpu" else ""
    assert experiment.exp_name == f"{name_of(example)}-pretrain{folder}"
    text = example.read_text(encoding="utf-8")
    assert "\t" not in text
    if folder:
        assert f"--config examples/torchtitan/configs/cpu/{example.name}" in text


@pytest.mark.parametrize("model", MODELS, ids=name_of)
def test_a_model_preset_composes_and_says_where_it_comes_from(model: Path, tmp_path: Path) -> None:
    experiment = compose(experiment_with(model, tmp_path))
    assert experiment.warnings == ()
    params = experiment.params_dict()
    assert params["model"]["name"] in FAMILIES
    assert model.stem == f"{params['model']['name']}_{params['model']['flavor']}"
    assert model.read_text(encoding="utf-8").startswith("# ")
    assert TorchTitanAdapter().check_params({**params, "device": "cuda"}, 8) == []


@pytest.mark.slow
def test_presets_and_examples_are_taken_by_torchtitan_and_every_flavour_has_a_preset(
    warm_ranks: Any, tmp_path: Path
) -> None:
    configs = {str(path): compose(path).params_dict() for path in EXAMPLES}
    for model in MODELS:
        configs[str(model)] = compose(experiment_with(model, tmp_path)).params_dict()
    code = (
        "import json\n"
        "from torchtitan.protocols.train_spec import get_train_spec\n"
        "from primus.backends.torchtitan.arguments import build_job_config\n"
        "flavors = {}\n"
        "for path, params in job['configs'].items():\n"
        "    config = build_job_config(params)\n"
        "    spec = get_train_spec(config.model.name)\n"
        "    assert config.model.flavor in spec.model_args, (path, config.model.flavor)\n"
        f"for name in {FAMILIES!r}:\n"
        "    flavors[name] = sorted(get_train_spec(name).model_args)\n"
        "print('FLAVORS', json.dumps(flavors))\n"
    )
    job = warm_ranks.run(tmp_path / "job", code=code, configs=configs)
    assert job.statuses == [0], job.log()
    flavors = json.loads(job.log().split("FLAVORS ")[1].splitlines()[0])
    wanted = {f"{name}_{flavor}" for name, names in flavors.items() for flavor in names}
    assert wanted == {model.stem for model in MODELS}
