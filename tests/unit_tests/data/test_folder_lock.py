"""One builder at a time, and no builder is waited for after its death."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from primus.core.errors import LaunchEnvironmentError
from primus.data import folder_lock as module
from primus.data.folder_lock import folder_lock


def never() -> bool:
    return False


def test_the_lock_is_there_while_the_block_runs_and_gone_after(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with folder_lock(path, timeout=1, finished=never) as mine:
        assert mine
        assert path.exists()
    assert not path.exists()


def test_the_lock_goes_away_with_an_error(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with pytest.raises(ZeroDivisionError), folder_lock(path, timeout=1, finished=never):
        raise ZeroDivisionError
    assert not path.exists()


def test_who_waits_enters_without_the_lock_when_the_work_is_done(tmp_path: Path) -> None:
    path, done = tmp_path / "lock", tmp_path / "done"
    entered: list[bool] = []
    with folder_lock(path, timeout=5, finished=done.exists):
        waiter = threading.Thread(target=lambda: entered.append(_enter(path, done)))
        waiter.start()
        done.touch()
        waiter.join()
    assert entered == [False]


def _enter(path: Path, done: Path) -> bool:
    with folder_lock(path, timeout=5, finished=done.exists) as mine:
        return mine


def test_waiting_ends_with_the_time_limit_and_names_the_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.write_text("node7 1234 abc 0", encoding="utf-8")
    with pytest.raises(LaunchEnvironmentError) as caught, folder_lock(path, timeout=0.3, finished=never):
        pass
    assert str(caught.value) == f"corpus: waited 0 s for {path}, held by node7 process 1234"
    assert caught.value.exit_status == 3


def test_a_dead_holders_lock_is_taken_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lock"
    path.write_text("node7 1234 abc 5", encoding="utf-8")
    with folder_lock(path, timeout=30, finished=never, stale=0.5) as mine:
        assert mine
    assert list(tmp_path.iterdir()) == []
    assert capsys.readouterr().err == (
        f"[primus] corpus: node7 process 1234 stopped while it held {path}; going on without it\n"
    )


def test_a_living_holder_is_not_taken_for_dead(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with (
        folder_lock(path, timeout=5, finished=never, heartbeat=0.1),
        pytest.raises(LaunchEnvironmentError),
        folder_lock(path, timeout=3.0, finished=never, stale=2.0),
    ):
        pass


def test_a_waiter_that_is_late_does_not_take_the_lock_from_a_quicker_one(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.write_text("node9 1 new 0", encoding="utf-8")
    module._break(path, "node7 1234 abc 5")
    assert path.read_text(encoding="utf-8") == "node9 1 new 0"
    assert [file.name for file in tmp_path.iterdir()] == ["lock"]


def test_of_many_only_one_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        with folder_lock(path, timeout=30, finished=never):
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.01)
            inside.pop()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 6
