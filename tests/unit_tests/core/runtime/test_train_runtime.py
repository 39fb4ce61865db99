"""The lifecycle cleans up exactly once and never replaces the exception that ended it."""

import argparse
import logging
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from primus.core.patches import PatchContext, patch_registry
from primus.core.runtime.train_runtime import PrimusRuntime, merge_backend_args
from primus.core.trainer.base_trainer import BaseTrainer


class Recorder(BaseTrainer):
    def __init__(self, fail_in=None, error=None, cleanup_error=None):
        super().__init__(backend_args=None)
        self.calls = []
        self.fail_in, self.error, self.cleanup_error = fail_in, error, cleanup_error

    def _step(self, name):
        self.calls.append(name)
        if name == self.fail_in:
            raise self.error

    def setup(self):
        self._step("setup")

    def init(self):
        self._step("init")

    def train(self):
        self._step("train")

    def cleanup(self, on_error=False):
        self.calls.append(f"cleanup {on_error}")
        if self.cleanup_error:
            raise self.cleanup_error


@pytest.fixture(autouse=True)
def no_patches(monkeypatch):
    monkeypatch.setattr(patch_registry, "_patches", {})


def run_lifecycle(trainer):
    runtime = PrimusRuntime(command=None)
    runtime.trainer = trainer
    runtime._patch_context = PatchContext(backend="b", phase="", device="cpu")
    runtime._run_lifecycle()


def test_a_training_that_ends_well_is_cleaned_up_once():
    trainer = Recorder()
    run_lifecycle(trainer)
    assert trainer.calls == ["setup", "init", "train", "cleanup False"]


@pytest.mark.parametrize("phase", ["setup", "init", "train"])
@pytest.mark.parametrize("error", [ValueError("v"), KeyboardInterrupt(), SystemExit(143)])
def test_what_ends_a_phase_arrives_unchanged_after_one_cleanup(phase, error):
    trainer = Recorder(phase, error)
    with pytest.raises(type(error)) as caught:
        run_lifecycle(trainer)
    assert caught.value is error
    assert trainer.calls[-2:] == [phase, "cleanup True"] and trainer.calls.count("cleanup True") == 1


def test_an_error_in_cleanup_does_not_replace_the_first(caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("primus"), "propagate", True)
    first = ValueError("first")
    with pytest.raises(ValueError, match="first") as caught:
        run_lifecycle(Recorder("train", first, OSError("second")))
    assert caught.value is first
    assert caplog.messages == ["cleanup failed too; the first error follows"]
    assert "OSError: second" in caplog.text


def test_an_error_in_cleanup_after_a_good_training_is_an_error():
    with pytest.raises(OSError, match="disk"):
        run_lifecycle(Recorder(cleanup_error=OSError("disk")))


@dataclass
class Section:
    steps: int = 5


@dataclass
class Args:
    training: Section = field(default_factory=Section)
    name: str = "n"


@pytest.mark.parametrize(
    "backend_args",
    [
        Args(),
        {"training": {"steps": 5}, "name": "n"},
        SimpleNamespace(training=SimpleNamespace(steps=5), name="n"),
        argparse.Namespace(training={"steps": 5}, name="n"),
    ],
)
def test_what_the_backend_args_say_is_merged_into_the_params(backend_args):
    params = SimpleNamespace(training=SimpleNamespace(steps=1, kept=2), device="cpu")
    merge_backend_args(params, backend_args)
    assert params == SimpleNamespace(training=SimpleNamespace(steps=5, kept=2), device="cpu", name="n")


def test_opaque_backend_args_leave_the_params_alone():
    params = SimpleNamespace(a=1)
    merge_backend_args(params, object())
    merge_backend_args(params, params)
    assert params == SimpleNamespace(a=1)
