"""What a host finds out about an experiment before it starts a container."""

import os

import pytest

from primus.container_plan import container_plan, main
from primus.core.errors import ConfigError

EXPERIMENT = """
extends: shared/base.yaml
user_name: ${NAME}
exp_name: exp
workspace: %s/runs
modules:
  pre_trainer:
    framework: torchtitan
    config: pre_trainer.yaml
    model: llama3_debugmodel.yaml
"""


@pytest.fixture
def experiment(tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/base.yaml").write_text("work_group: group\n")
    (tmp_path / "real.yaml").write_text(EXPERIMENT % tmp_path)
    (tmp_path / "exp.yaml").symlink_to(tmp_path / "real.yaml")
    return tmp_path / "exp.yaml"


def train(file, *more):
    return ["train", "pretrain", "--config", str(file), *more]


def test_it_names_the_folders_that_training_fills_and_the_files_that_it_reads(experiment, tmp_path):
    records = container_plan(train(experiment, "--data_path", "/the/data"), {"NAME": "me"})
    assert [value for key, value in records if key == "writes"] == [f"{tmp_path}/runs/group/me/exp", "/the/data"]
    reads = [value for key, value in records if key == "reads"]
    assert {str(experiment), f"{tmp_path}/real.yaml", f"{tmp_path}/shared/base.yaml"} <= set(reads)
    assert any(value.endswith("configs/models/torchtitan/llama3_debugmodel.yaml") for value in reads)


def test_the_data_folder_may_come_from_the_environment(experiment):
    records = container_plan(train(experiment), {"NAME": "me", "PRIMUS_DATA_PATH": "/from/variable"})
    assert ("writes", "/from/variable") in records
    assert ("writes", os.path.abspath("data")) in container_plan(train(experiment), {"NAME": "me"})


def test_unknown_keys_are_left_to_the_check_in_the_container(experiment):
    assert container_plan(train(experiment, "training.newer_key=1"), {"NAME": "me"})


def test_a_home_folder_is_warned_of(experiment):
    records = container_plan(train(experiment, "--workspace", "~/runs"), {"NAME": "me"})
    assert records[-1] == ("warning", "workspace ~/runs: ~ is the home of the container's user")


def test_a_variable_that_is_not_handed_over_is_an_error(experiment, capsys):
    with pytest.raises(ConfigError):
        container_plan(train(experiment), {})
    assert main(train("/not/there.yaml")) == 2
    assert capsys.readouterr().err.startswith("[primus] ERROR ")


def test_records_are_terminated_by_nul(experiment, capfdbinary, monkeypatch):
    monkeypatch.setenv("NAME", "me")
    assert main(train(experiment)) == 0
    assert capfdbinary.readouterr().out.endswith(b"\0")
