"""A signal asks for a checkpoint, and the trainer saves it between two steps."""

import signal

import pytest

from primus.core.runtime import save_request
from primus.core.trainer.base_trainer import BaseTrainer


class Trainer(BaseTrainer):
    def __init__(self):
        super().__init__(backend_args=None)
        self.saved = 0

    def setup(self):
        pass

    def init(self):
        pass

    def train(self):
        pass

    def save_checkpoint(self):
        self.saved += 1


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(save_request, "_requested", False)
    monkeypatch.setenv("PRIMUS_SAVE_ON_SIGNAL", "1")
    monkeypatch.delenv("PRIMUS_STOP_AFTER_SAVE", raising=False)


def test_nothing_is_saved_without_a_signal():
    trainer = Trainer()
    trainer.between_steps()
    assert trainer.saved == 0


def test_one_signal_saves_once_and_training_goes_on():
    trainer = Trainer()
    save_request.note_signal(signal.SIGUSR2, None)
    save_request.note_signal(signal.SIGUSR2, None)
    trainer.between_steps()
    trainer.between_steps()
    assert trainer.saved == 1


@pytest.mark.parametrize(("number", "enabled"), [(signal.SIGUSR1, "1"), (signal.SIGUSR2, "0"), (signal.SIGUSR2, "")])
def test_other_signals_and_runs_that_nobody_warns_save_nothing(monkeypatch, number, enabled):
    monkeypatch.setenv("PRIMUS_SAVE_ON_SIGNAL", enabled)
    save_request.note_signal(number, None)
    assert not save_request.save_requested()


def test_a_job_that_goes_on_elsewhere_leaves_after_saving(monkeypatch):
    monkeypatch.setenv("PRIMUS_STOP_AFTER_SAVE", "1")
    trainer = Trainer()
    save_request.note_signal(signal.SIGUSR2, None)
    with pytest.raises(SystemExit) as left:
        trainer.between_steps()
    assert (left.value.code, trainer.saved) == (128 + signal.SIGUSR2, 1)


def test_ranks_that_agreed_save_though_only_another_got_the_signal():
    trainer = Trainer()
    trainer.between_steps(False)
    trainer.between_steps(True)
    assert trainer.saved == 1


def test_a_trainer_that_cannot_save_says_so():
    with pytest.raises(NotImplementedError, match="^Trainer cannot save a checkpoint on request$"):
        BaseTrainer.save_checkpoint(Trainer())
