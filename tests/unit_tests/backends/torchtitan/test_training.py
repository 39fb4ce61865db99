"""TorchTitan's own loop trains on the CPU through the runtime, in each layout, and leaves what it promises."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

pytestmark = pytest.mark.slow

STEP_LINE = re.compile(
    r"\[rank (\d+)/\d+\] \[INFO\] step +(\d+)/(\d+)  loss ([\d.]+)  grad norm [\d.]+  [\d,]+ tokens/s"
    r"  memory [\d.]+ GiB  (?:\?|\d+:\d\d) left$",
    re.MULTILINE,
)
RECORD = {
    "step",
    "loss",
    "learning_rate",
    "grad_norm",
    "tokens_per_second",
    "tokens_per_second_per_device",
    "step_time_s",
    "memory_gib",
    "tokens_seen",
    "wall_time",
}


def losses(metrics: list[dict[str, Any]]) -> list[tuple[int, float]]:
    return [(record["step"], record["loss"]) for record in metrics]


@pytest.mark.parametrize(
    ("layout", "ranks", "overrides", "reporter", "tokens"),
    [
        ("one process", 1, {}, 0, 128),
        ("FSDP2", 2, {}, 0, 256),
        ("DDP", 2, {"parallelism.data_parallel_replicate_degree": 2}, 0, 256),
        ("tensor parallel", 2, {"parallelism.tensor_parallel_degree": 2}, 0, 128),
        ("pipeline parallel", 2, {"parallelism.pipeline_parallel_degree": 2}, 1, 128),
    ],
)
def test_a_layout_trains_and_the_rank_with_the_loss_alone_reports_it(
    training: Any, layout: str, ranks: int, overrides: dict[str, Any], reporter: int, tokens: int
) -> None:
    run = training({"training.steps": 12, **overrides}, ranks=ranks)
    assert run.statuses == [0] * ranks, run.log()
    metrics = run.metrics()
    assert [record["step"] for record in metrics] == list(range(1, 13))
    assert metrics[-1]["loss"] < metrics[0]["loss"] - 0.5
    assert [record["tokens_seen"] for record in metrics] == [tokens * step for step in range(1, 13)]
    for rank in range(ranks):
        lines = STEP_LINE.findall(run.log(rank))
        expected = [(str(rank), str(step), "12") for step in range(1, 13)] if rank == reporter else []
        assert [line[:3] for line in lines] == expected
        assert "loss: " not in run.log(rank)
        assert "-1.0" not in run.log(rank)
        assert "\x1b" not in run.log(rank)
    assert "training reached its last step, 12 of 12" in run.log(0)


def test_a_record_holds_every_quantity_and_its_rates_fit_together(training: Any) -> None:
    run = training({"training.steps": 9, "metrics.log_freq": 4}, ranks=2)
    metrics = run.metrics()
    assert [record["step"] for record in metrics] == [1, 4, 8]
    assert all(set(record) == RECORD for record in metrics)
    for record in metrics:
        assert record["tokens_per_second"] == pytest.approx(256 / record["step_time_s"], rel=0.01)
        assert record["tokens_per_second_per_device"] == pytest.approx(record["tokens_per_second"] / 2, rel=0.01)
        assert record["memory_gib"] > 0.1
    assert metrics[-1]["wall_time"] > metrics[0]["wall_time"] > 1.7e9
    assert [record["learning_rate"] for record in metrics[:1]] == [5e-3]


def test_a_run_that_is_killed_and_started_again_gives_the_losses_of_one_that_is_not(training: Any) -> None:
    overrides = {"training.steps": 14, "checkpoint.enable": "true", "checkpoint.interval": 5}
    whole = training(overrides, ranks=2, name="whole")
    assert whole.statuses == [0, 0], whole.log()
    marker = str(whole.folder.with_name("cut") / "checkpoint" / "step-10" / ".metadata")
    cut = training(overrides, ranks=2, name="cut", kill_when=marker)
    assert cut.statuses == [-9, -9]
    before = cut.metrics()
    assert losses(before) == losses(whole.metrics())[: len(before)]
    again = training(overrides, ranks=2, name="cut")
    assert again.statuses == [0, 0], again.log()
    resumed = again.metrics()[len(before) :]
    assert [record["step"] for record in resumed] == [11, 12, 13, 14]
    exact = ("step", "loss", "grad_norm", "learning_rate", "tokens_seen")
    assert [[record[key] for key in exact] for record in resumed] == [
        [record[key] for key in exact] for record in whole.metrics()[10:]
    ]
    assert f"checkpoints: {again.folder}/checkpoint (the last: step-14)" in again.log()


def test_rates_after_a_resume_count_the_new_steps_alone(training: Any) -> None:
    overrides = {"checkpoint.enable": "true", "checkpoint.interval": 5, "metrics.log_freq": 4}
    first = training({**overrides, "training.steps": 6, "checkpoint.last_save_model_only": "false"}, name="run")
    assert first.statuses == [0], first.log()
    second = training({**overrides, "training.steps": 8}, name="run")
    assert second.statuses == [0], second.log()
    record = second.metrics()[-1]
    # Steps 7 and 8 are new; a rate over four steps, or over the time of loading, would be far from this one.
    assert record["step"] == 8
    assert record["tokens_per_second"] == pytest.approx(128 / record["step_time_s"], rel=0.01)
    assert record["tokens_seen"] == 8 * 128
    assert "Training starts at step 7" in second.log()


def test_validation_between_two_reports_spoils_neither_tokens_nor_time(training: Any) -> None:
    overrides = {
        "training.steps": 4,
        "metrics.log_freq": 4,
        "validation.enable": "true",
        "validation.freq": 2,
        "validation.steps": 3,
        "validation.seq_len": 64,
        "validation.local_batch_size": 2,
    }
    run = training(overrides)
    assert run.statuses == [0], run.log()
    record = run.metrics()[-1]
    assert record["tokens_per_second"] * record["step_time_s"] == pytest.approx(128, rel=0.01)
    assert "validate step:  2  loss:" in run.log()


def test_an_error_in_training_keeps_its_traceback_and_destroys_the_process_group_once(training: Any) -> None:
    code = (
        "import torch.distributed as dist, primus.run, torchtitan.train as t\n"
        "destroy = dist.destroy_process_group\n"
        "def counted(*a):\n    print('DESTROYED', flush=True)\n    destroy(*a)\n"
        "dist.destroy_process_group = counted\n"
        "def fail(self, data):\n    raise FloatingPointError('on purpose')\n"
        "t.Trainer.train_step = fail\n"
        "raise SystemExit(primus.run.main(job['argv']))\n"
    )
    run = training(ranks=2, code=code)
    assert run.statuses == [1, 1]
    for rank in (0, 1):
        assert run.log(rank).count("DESTROYED") == 1
        assert run.log(rank).count("FloatingPointError: on purpose") == 1
        assert "Process group" not in run.log(rank)
    assert "training reached" not in run.log()


def test_term_ends_a_rank_with_143_after_the_clean_up(training: Any) -> None:
    folder = training._folder / "run"
    code = (
        "import torch.distributed as dist, primus.run\n"
        "destroy = dist.destroy_process_group\n"
        "def counted(*a):\n    print('DESTROYED', flush=True)\n    destroy(*a)\n"
        "dist.destroy_process_group = counted\n"
        "raise SystemExit(primus.run.main(job['argv']))\n"
    )
    marker = str(folder / "checkpoint" / "step-2" / ".metadata")
    overrides = {"training.steps": 100_000, "checkpoint.enable": "true", "checkpoint.interval": 2}
    run = training(overrides, code=code, kill_when=marker, signal=15)
    assert run.statuses == [143], run.log()
    assert run.log().count("DESTROYED") == 1


def test_a_seed_checkpoint_is_saved_and_nothing_trained(training: Any) -> None:
    run = training({"checkpoint.enable": "true", "checkpoint.create_seed_checkpoint": "true"})
    assert run.statuses == [0], run.log()
    assert f"seed checkpoint: {run.folder}/checkpoint/step-0" in run.log()
    assert (run.folder / "checkpoint" / "step-0" / ".metadata").is_file()
    assert not (run.folder / "metrics.jsonl").exists()


def test_a_seed_checkpoint_from_two_ranks_is_refused(training: Any) -> None:
    run = training({"checkpoint.enable": "true", "checkpoint.create_seed_checkpoint": "true"}, ranks=2)
    assert run.statuses == [2, 2]
    assert "needs one process and checkpoint.enable: true, got 2 processes" in run.log()


def test_a_finished_run_says_so_when_it_is_started_again(training: Any) -> None:
    overrides = {"checkpoint.enable": "true", "training.steps": 3}
    first = training(overrides)
    assert first.statuses == [0], first.log()
    second = training(overrides)
    assert second.statuses == [0], second.log()
    assert len(second.metrics()) == 3


def test_a_missing_tokenizer_is_told_before_anything_is_built(training: Any) -> None:
    run = training({"model.hf_assets_path": "/nowhere", "experimental.custom_import": "", "model.flavor": "debugmodel"})
    assert run.statuses == [2]
    assert run.log().endswith(
        "[primus] ERROR model.hf_assets_path: /nowhere does not exist\n"
        "download the model's tokenizer into it, or add corpus: {} to train one on text that is at hand\n"
    )


def test_the_profiler_writes_its_traces_into_the_run(training: Any) -> None:
    run = training(
        {
            "training.steps": 4,
            "profiling.enable_profiling": "true",
            "profiling.profile_freq": 4,
            "profiling.profiler_warmup": 1,
        }
    )
    assert run.statuses == [0], run.log()
    traces = list((run.folder / "profile_traces").rglob("*.json"))
    assert len(traces) == 1
    assert json.loads(traces[0].read_text(encoding="utf-8"))["traceEvents"]


@pytest.mark.parametrize(
    ("model", "flavor", "overrides", "ranks"),
    [
        ("deepseek_v3", "debugmodel", {"parallelism.expert_parallel_degree": 2}, 2),
        ("llama4", "debugmodel", {}, 1),
        ("qwen3", "debugmodel", {}, 1),
    ],
)
def test_the_debug_models_of_the_other_families_train(
    training: Any, model: str, flavor: str, overrides: dict[str, Any], ranks: int
) -> None:
    small = {"training.steps": 3, "training.seq_len": 32, "training.local_batch_size": 1, "optimizer.lr": 1e-3}
    run = training({"model.name": model, "model.flavor": flavor, **small, **overrides}, ranks=ranks)
    assert run.statuses == [0] * ranks, run.log()
    assert [record["step"] for record in run.metrics()] == [1, 2, 3]
    assert all(4 < record["loss"] < 10 for record in run.metrics())
