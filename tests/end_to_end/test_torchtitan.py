"""TorchTitan's own loop trains its stock debug model through the launcher, on a machine without accelerator."""

import json
import signal

import pytest

from tests.end_to_end.launches import await_no_process

CONFIG = "examples/torchtitan/configs/cpu/llama3_debug-pretrain.yaml"
# The demo's model on little data, so that a launch costs seconds.
SMALL = ("training.seq_len=64", "training.local_batch_size=2", "metrics.log_freq=1", "checkpoint.enable=false")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder in which the first launch prepares the corpus and later ones find it."""
    return tmp_path_factory.mktemp("shared data")


@pytest.fixture
def titan(project, data):
    project.environ["PRIMUS_DATA_PATH"] = str(data)
    return project


def metrics(run_dir):
    return [json.loads(line) for line in (run_dir / "metrics.jsonl").read_text().splitlines()]


def losses(run_dir):
    """Return loss and grad norm of each step, as printed in the record."""
    return {row["step"]: (row["loss"], row["grad_norm"]) for row in metrics(run_dir)}


@pytest.mark.parametrize(
    ("nproc", "overrides"),
    [
        (1, ()),
        (2, ()),
        (2, ("parallelism.tensor_parallel_degree=2",)),
        (2, ("parallelism.pipeline_parallel_degree=2",)),
    ],
    ids=["1 process", "FSDP2=2", "TP=2", "PP=2"],
)
def test_the_demo_model_trains_in_every_layout(titan, nproc, overrides):
    options = ("--nproc", str(nproc))
    result = titan.train(*SMALL, "--training.steps", "5", *overrides, config=CONFIG, options=options)
    assert result.returncode == 0, result.stdout + result.stderr
    values = losses(titan.run_dirs()[-1])
    assert sorted(values) == [1, 2, 3, 4, 5]
    assert values[5][0] < values[1][0] - 0.05
    shown = [line for line in result.stdout.splitlines() if "tokens/s" in line and "left" in line]
    assert len(shown) == 5 and "step 5/5" in shown[-1]
    assert f"loss {values[5][0]:.4f}" in shown[-1]


def test_a_killed_training_resumes_to_the_losses_of_an_uninterrupted_one(titan):
    settings = (*SMALL[:-1], "training.steps=20", "checkpoint.enable=true", "checkpoint.interval=10")
    options = ("--nproc", "2", "--run-id")
    whole = titan.train(*settings, config=CONFIG, options=(*options, "whole"))
    assert whole.returncode == 0, whole.stdout + whole.stderr

    command = ("direct", *options, "cut", "--", "train", "pretrain", "--config", CONFIG, *settings)
    process = titan.start(*command)
    for line in process.stdout:
        if "step 13/20" in line:
            break
    process.kill()
    process.communicate()
    await_no_process(str(titan.root))
    again = titan.run(*command)
    assert again.returncode == 0, again.stdout + again.stderr

    folder = titan.root / "output/local/local/llama3_debug-pretrain-cpu"
    resumed = [row["step"] for row in metrics(folder / "cut")]
    assert resumed[-10:] == list(range(11, 21)), "the second start goes on after the checkpoint"
    assert losses(folder / "cut") == losses(folder / "whole")


def test_a_term_ends_training_with_its_cleanup(titan):
    process = titan.start(
        "direct", "--nproc", "2", "--", "train", "pretrain", "--config", CONFIG, *SMALL, "training.steps=5000"
    )
    for line in process.stdout:
        if "step " in line and "tokens/s" in line:
            break
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 143, err
    assert "Traceback" not in err


def test_a_second_launch_prepares_nothing_again(titan, data):
    def prepared():
        return {path: path.stat().st_mtime_ns for path in data.rglob("*") if "huggingface" not in path.parts}

    assert titan.train(*SMALL, "training.steps=1", config=CONFIG, options=("--nproc", "1")).returncode == 0
    before = prepared()
    result = titan.train(*SMALL, "training.steps=1", config=CONFIG, options=("--nproc", "1"))
    assert result.returncode == 0
    assert prepared() == before and len(before) > 3


def test_an_unknown_key_in_a_users_experiment_is_refused_before_any_hook(titan):
    result = titan.train("training.stepz=5", "optimizer.lr=fast", config=CONFIG)
    assert result.returncode == 2
    assert result.stdout == ""
    assert "training.stepz" in result.stderr and "training.steps" in result.stderr
    assert "optimizer.lr" in result.stderr and "hook" not in result.stderr
    assert not (titan.root / "output").exists()


def test_processes_that_do_not_fit_the_degrees_are_refused_before_launch(titan):
    result = titan.train("parallelism.tensor_parallel_degree=3", config=CONFIG, options=("--nproc", "2"))
    assert result.returncode == 2
    assert "3" in result.stderr and "2" in result.stderr and not (titan.root / "output").exists()
