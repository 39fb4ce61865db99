"""What Python hooks use."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from primus.hooks import env, extra, lock

ROOT = Path(__file__).resolve().parents[2]


def test_control_lines(capsys: pytest.CaptureFixture[str]) -> None:
    env("A_1", "b c=d")
    env("EMPTY", "")
    extra("training.dataset_path", Path("/x y"))
    extra("steps", 3)
    assert capsys.readouterr().out == "env.A_1=b c=d\nenv.EMPTY=\nextra.training.dataset_path=/x y\nextra.steps=3\n"


@pytest.mark.parametrize("name", ["", "1A", "A-B", "A B", "A\n", "a[0]", "ü"])
def test_names_that_no_control_line_can_hold(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="no name"):
        env(name, 1)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("value", ["a\nb", "a\0b"])
def test_values_of_more_than_one_line(value: str) -> None:
    with pytest.raises(ValueError, match="does not fit on one line"):
        extra("a", value)


def test_the_lock_is_held_by_one(tmp_path: Path) -> None:
    inside: list[int] = []
    seen: list[int] = []

    def work(number: int) -> None:
        with lock(tmp_path / "folder" / "lock", 30):
            inside.append(number)
            seen.append(len(inside))
            time.sleep(0.05)
            inside.remove(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [1, 1, 1, 1]


def test_the_wait_is_limited_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "lock"
    with lock(file, 0), pytest.raises(TimeoutError, match="was not free within 0.2 s"), lock(file, 0.2):
        pass
    assert capsys.readouterr().err == f"[primus] waiting for another process, which holds {file}\n"
    with lock(file, 0):
        pass


def test_the_module_needs_the_standard_library_alone() -> None:
    program = "import sys; sys.path.insert(0, sys.argv[1]); import primus.hooks; print('yaml' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", program, str(ROOT)], capture_output=True, text=True, check=True, cwd="/"
    )
    assert done.stdout == "False\n"
