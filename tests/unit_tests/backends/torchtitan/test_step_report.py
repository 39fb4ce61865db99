"""What is told about a step."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from primus.backends.torchtitan.loss_rank import loss_rank
from primus.backends.torchtitan.step_report import StepClock, StepReport, duration

REPORT = StepReport(
    step=5,
    loss=5.43219,
    learning_rate=1e-3,
    grad_norm=1.23456,
    tokens_per_second=12345.6,
    tokens_per_second_per_device=6172.8,
    step_time_s=0.1,
    memory_gib=0.613,
    tokens_seen=20480,
    wall_time=1.8e9,
)


def test_the_line_for_readers() -> None:
    assert REPORT.line(100, 62.2) == (
        "step   5/100  loss 5.4322  grad norm 1.235  12,346 tokens/s  memory 0.61 GiB  1:02 left"
    )
    assert REPORT.line(9, math.nan, 41.26).endswith("memory 0.61 GiB  MFU 41.3%  ? left")


def test_the_record_is_one_line_of_json_each(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    REPORT.append_to(file)
    StepReport(6, math.nan, None, math.inf, 1.0, 1.0, 1.0, None, None, 1.0).append_to(file)
    first, second = (json.loads(line) for line in file.read_text().splitlines())
    assert first["loss"] == 5.43219
    assert (second["loss"], second["grad_norm"], second["learning_rate"]) == (None, None, None)
    assert list(first) == list(second)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "0:00"), (5, "0:05"), (65.5, "1:06"), (3599.6, "1:00:00"), (90061, "25:01:01"), (math.nan, "?")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_laps_count_steps_and_seconds_since_the_last_one() -> None:
    clock = StepClock(100, 50.0)
    assert clock.lap(101, 60.0) == (1, 10.0)
    assert clock.lap(110, 69.0) == (9, 9.0)


def test_the_time_left_leaves_the_first_lap_out() -> None:
    clock = StepClock(0, 0.0)
    clock.lap(1, 60.0)
    assert math.isnan(clock.seconds_left(100))
    clock.lap(10, 69.0)
    assert clock.seconds_left(100) == pytest.approx(90.0)
    assert clock.seconds_left(10) == 0.0


def test_a_pause_counts_neither_for_a_lap_nor_for_the_time_left() -> None:
    clock = StepClock(0, 0.0)
    clock.lap(1, 1.0)
    clock.pause(100.0)
    assert clock.lap(2, 102.0) == (1, 1.0)
    assert clock.seconds_left(12) == pytest.approx(10.0)


@pytest.mark.parametrize(
    ("world_size", "degree", "schedule", "rank"),
    [(8, 1, "1F1B", 0), (8, 2, "1F1B", 4), (8, 8, "Interleaved1F1B", 7), (8, 4, "ZBVZeroBubble", 0)],
)
def test_the_rank_with_the_loss(world_size: int, degree: int, schedule: str, rank: int) -> None:
    assert loss_rank(world_size, degree, schedule) == rank
