"""What is told about a training step: rates and time left, a line for readers, a record for programs."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class StepReport:
    """One logged step; the fields are those of a line in ``metrics.jsonl``.

    Attributes:
        step: Number of the step, from 1.
        loss: Mean over the step's tokens, in nats.
        learning_rate: The one that the step was made with.
        grad_norm: Norm of the gradient before clipping, as TorchTitan computes it.
        tokens_per_second: Of all ranks together, since the last report.
        tokens_per_second_per_device: The same, divided by the number of ranks.
        step_time_s: Mean seconds a step took since the last report.
        memory_gib: Greatest memory of this rank, in GiB: of the device, or the process's resident set on the CPU.
        tokens_seen: By all ranks together since the very first step, earlier runs included.
        wall_time: Seconds since 1970.
    """

    step: int
    loss: float
    learning_rate: float | None
    grad_norm: float
    tokens_per_second: float
    tokens_per_second_per_device: float
    step_time_s: float
    memory_gib: float | None
    tokens_seen: int | None
    wall_time: float

    def line(self, steps: int, seconds_left: float, utilization: float | None = None) -> str:
        """Return the line for readers.

        Args:
            steps: Number of the last step.
            seconds_left: Estimated time to the end.
            utilization: Model FLOPS utilisation in percent; None where there is none.
        """
        parts = [
            f"step {self.step:{len(str(steps))}}/{steps}",
            f"loss {self.loss:.4f}",
            f"grad norm {self.grad_norm:.3f}",
            f"{self.tokens_per_second:,.0f} tokens/s",
        ]
        if self.memory_gib is not None:
            parts.append(f"memory {self.memory_gib:.2f} GiB")
        if utilization is not None:
            parts.append(f"MFU {utilization:.1f}%")
        parts.append(f"{duration(seconds_left)} left")
        return "  ".join(parts)

    def append_to(self, file: Path) -> None:
        """Append this step as a line of JSON; a number that JSON does not have becomes null.

        Args:
            file: ``metrics.jsonl``.
        """
        values = {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in asdict(self).items()
        }
        with file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(values) + "\n")


class StepClock:
    """Times of the steps that this process makes itself; an earlier run's do not count.

    Args:
        step: The last step that was made before, 0 for a new training.
        now: Seconds on a monotonic clock.
    """

    def __init__(self, step: int, now: float) -> None:
        self._last = (step, now)
        self._marks: list[tuple[int, float]] = []

    def lap(self, step: int, now: float) -> tuple[int, float]:
        """Return how many steps and seconds have gone by since the last call.

        Args:
            step: The step that has just been made.
            now: Seconds on the same clock.
        """
        steps, seconds = step - self._last[0], now - self._last[1]
        self._last = (step, now)
        self._marks = [*self._marks[-20:], self._last]
        return max(steps, 1), max(seconds, 1e-9)

    def pause(self, seconds: float) -> None:
        """Leave time out that was not spent on training.

        Args:
            seconds: How long it was, up to now.
        """
        self._last = (self._last[0], self._last[1] + seconds)
        self._marks = [(step, at + seconds) for step, at in self._marks]

    def seconds_left(self, steps: int) -> float:
        """Estimate the time to the last step from the latest laps, without the first one, which warms up.

        Args:
            steps: Number of the last step.
        """
        step, now = self._last
        if len(self._marks) < 2:
            return math.nan
        first_step, first_now = self._marks[0]
        return max(steps - step, 0) * (now - first_now) / max(step - first_step, 1)


def duration(seconds: float) -> str:
    """Return a time like ``1:02:03``, ``2:03`` or ``0:05``; ``?`` when it is not known.

    Args:
        seconds: How long.
    """
    if not math.isfinite(seconds):
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
