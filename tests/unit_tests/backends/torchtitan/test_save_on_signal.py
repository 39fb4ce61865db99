"""TorchTitan's checkpointer saves once more when a signal asked for it."""

from types import SimpleNamespace

import pytest

from primus.backends.torchtitan import save_on_signal
from primus.core.runtime import save_request


class Checkpointer:
    """As much of TorchTitan's as is used."""

    def __init__(self, interval=10):
        self.enable, self.load_only, self.interval = True, False, interval
        self.saved, self.waited = [], 0

    def _should_save(self, curr_step, last_step=False):
        return last_step or curr_step % self.interval == 0

    def save(self, curr_step, last_step=False):
        if self._should_save(curr_step, last_step):
            self.saved.append(curr_step)

    def _async_wait(self):
        self.waited += 1


@pytest.fixture
def titan(monkeypatch):
    monkeypatch.setattr(save_request, "_requested", False)
    monkeypatch.setenv("PRIMUS_SAVE_ON_SIGNAL", "1")
    return SimpleNamespace(checkpointer=Checkpointer(), step=0)


def run(titan, last):
    """Take steps up to the last; a signal comes in step 3."""
    asked = []

    def between(requested):
        asked.append(requested)
        if requested:
            save_on_signal.save_now(titan)
            save_request.save_done()

    save_on_signal.attach(titan, between)
    for titan.step in range(1, last + 1):
        if titan.step == 3:
            save_request._requested = True
        titan.checkpointer.save(titan.step, last_step=titan.step == last)
    return asked


def test_the_step_in_which_the_signal_came_is_saved_once_beside_the_regular_ones(titan):
    assert run(titan, 12) == [False, False, True, *[False] * 8]
    assert titan.checkpointer.saved == [3, 10, 12]
    assert titan.checkpointer.waited == 1


def test_a_step_that_was_saved_anyway_is_not_saved_twice(titan):
    titan.checkpointer.interval = 3
    run(titan, 5)
    assert titan.checkpointer.saved == [3, 5]


@pytest.mark.parametrize("change", [{"enable": False}, {"load_only": True}])
def test_without_checkpoints_nothing_is_attached(titan, change):
    vars(titan.checkpointer).update(change)
    assert run(titan, 4) == []


def test_without_the_variable_nothing_is_attached(titan, monkeypatch):
    monkeypatch.delenv("PRIMUS_SAVE_ON_SIGNAL")
    assert run(titan, 4) == []


def test_the_names_that_are_used_exist_in_torchtitan():
    import importlib.util
    from pathlib import Path

    spec = importlib.util.find_spec("torchtitan")
    text = Path(spec.submodule_search_locations[0], "components/checkpoint.py").read_text()
    for name in (
        "def save(self, curr_step: int, last_step: bool = False)",
        "def _should_save(self, ",
        "def _async_wait(",
    ):
        assert name in text
