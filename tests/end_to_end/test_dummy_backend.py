"""A backend pasted into the tree trains through the launcher as the contract says."""

import json
import signal

import pytest

from tests.end_to_end.launches import await_no_process, wait_for

CONFIG = "examples/dummy/configs/dummy_8B-pretrain.yaml"
POSTTRAIN = "examples/dummy/configs/dummy_8B-posttrain.yaml"
ONE = ("--nproc", "1")

pytestmark = pytest.mark.slow


@pytest.fixture
def dummy(project):
    project.add_fixture("dummy")
    return project


def spoken(text):
    """Return the lines of adapter, trainer and patches, without the prefix of the log."""
    return [line.split("] ", 3)[-1] for line in text.splitlines() if "ummy" in line and "[INFO]" in line]


def test_the_lifecycle_runs_in_the_promised_order_with_the_patches_around_it(dummy):
    result = dummy.train(config=CONFIG, options=ONE)
    assert result.returncode == 0, result.stderr
    assert [line for line in spoken(result.stdout) if not line.startswith("patches applied")] == [
        "[Primus:DummyAdapter] setup_backend_path: no-op for in-tree dummy backend",
        "[dummy patch] prepare",
        "[Primus:DummyAdapter] prepare_backend for dummy",
        "[Primus:DummyAdapter] Converted Primus params -> dummy backend_args",
        "[dummy patch] build_args",
        "[Primus:DummyAdapter] Loaded trainer class: DummyTrainer for pretrain",
        "[DummyTrainer] construct",
        "[dummy patch] setup",
        "[DummyTrainer] setup",
        "[DummyTrainer] init",
        "[dummy patch] before_train",
        "[DummyTrainer] hello='world'",
        "[DummyTrainer] rank 0 of 1 at 0 in train",
        "[DummyTrainer] train",
        "[DummyTrainer] training finished",
        "[dummy patch] after_train",
        "[DummyTrainer] cleanup(on_error=False)",
        "[DummyTrainer] cleanup",
    ]


@pytest.mark.parametrize("overrides", [("--hello", "there"), ("--hello=there",), ("hello=there",)])
def test_the_command_line_wins_over_the_experiments_overrides(dummy, overrides):
    result = dummy.train(*overrides, config=CONFIG, options=ONE)
    assert "[DummyTrainer] hello='there'" in spoken(result.stdout), result.stderr


def test_posttrain_takes_the_post_trainer_module(dummy):
    result = dummy.run("direct", *ONE, "--", "train", "posttrain", "--config", POSTTRAIN)
    lines = spoken(result.stdout)
    assert "[Primus:DummyAdapter] Loaded trainer class: DummyTrainer for posttrain" in lines, result.stderr
    assert "[DummyTrainer] hello='after'" in lines


@pytest.mark.parametrize("phase", ["construct", "setup", "init", "train"])
def test_a_failure_in_any_phase_ends_with_its_traceback_once_and_one_cleanup(dummy, phase):
    marker = dummy.root / "marker"
    result = dummy.train(f"fail_in={phase}", f"marker={marker}", config=CONFIG, options=ONE)
    assert result.returncode == 1
    assert (result.stdout + result.stderr).count(f"ValueError: told to fail in {phase}") == 1
    assert "Traceback (most recent call last)" in result.stdout
    assert result.stderr.splitlines()[-1].endswith("rank-00000.log")
    expected = "" if phase == "construct" else "rank 0 on_error=True\n"
    assert (marker.read_text() if marker.exists() else "") == expected


@pytest.mark.parametrize("phase", ["prepare", "build_args", "setup", "before_train", "after_train"])
def test_a_failing_patch_stops_the_run(dummy, phase):
    result = dummy.train(f"fail_patch={phase}", config=CONFIG, options=ONE)
    assert result.returncode == 1
    assert (
        f"[primus] ERROR patch 'dummy.{phase}' failed in phase '{phase}': RuntimeError: told to fail in patch {phase}"
        in result.stdout
    )


def test_the_rank_that_failed_is_named_with_its_traceback_though_the_console_shows_another(dummy):
    result = dummy.train("fail_in=train", "fail_rank=1", "sleep=30", config=CONFIG, options=("--nproc", "2"))
    assert result.returncode == 1
    assert (result.stdout + result.stderr).count("ValueError: told to fail in train") == 1
    assert "[primus] rank 1 said:\nTraceback (most recent call last):\n" in result.stderr
    assert "[primus] rank 1 (local rank 1, pid " in result.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("how", "status"), [("exit 3", 3), ("exit 17", 17), ("signal SIGKILL", 137), ("signal SIGSEGV", 139)]
)
def test_the_status_is_the_first_failing_ranks_own(dummy, how, status):
    overrides = ("fail_in=train", "fail_rank=1", f"fail_how={how}", "sleep=30")
    result = dummy.train(*overrides, config=CONFIG, options=("--nproc", "2"))
    assert result.returncode == status, result.stderr
    assert " on " in result.stderr.splitlines()[-1] and "rank 1 " in result.stderr.splitlines()[-1]


def test_a_rank_that_vanishes_with_status_0_before_the_end_is_a_failure(dummy):
    result = dummy.train("fail_in=train", "fail_how=vanish", config=CONFIG, options=ONE)
    assert result.returncode == 1
    assert "left with status 0 before training ended" in result.stderr


def test_every_rank_has_one_log_file_and_the_console_shows_rank_0(dummy):
    result = dummy.train(config=CONFIG, options=("--nproc", "2"))
    logs = dummy.run_dirs()[-1] / "logs"
    for rank in (0, 1):
        text = (logs / f"rank-{rank:05d}.log").read_text()
        assert f"[DummyTrainer] rank {rank} of 2 at {rank} in train" in text
        assert f"plain line of rank {rank}\n" in text
    assert "plain line of rank 0\n" in result.stdout and "rank 1 of 2" not in result.stdout


def test_arguments_arrive_byte_for_byte(dummy):
    values = ["a$$b", "a$b", "$(touch pwned)", "`x`", "a'b\"c", "tab\tnew\nline", "*", "a|b", "é", ""]
    for number in range(0, len(values), 5):
        chunk = values[number : number + 5]
        result = dummy.train(f"hello={json.dumps(chunk)}", config=CONFIG, options=ONE)
        assert f"[DummyTrainer] hello={chunk!r}" in spoken(result.stdout), result.stdout + result.stderr
    assert not (dummy.root / "pwned").exists()
    result = dummy.train("hello=$${local_rank}", config=CONFIG, options=ONE)
    assert "[DummyTrainer] hello='${local_rank}'" in spoken(result.stdout), result.stdout + result.stderr


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_the_ranks_after_their_cleanup(dummy, number, status):
    marker = dummy.root / "marker"
    process = dummy.start(
        *("direct", "--nproc", "2", "--", "train", "pretrain", "--config", CONFIG, "sleep=60", f"marker={marker}")
    )
    for line in process.stdout:
        if "of 2 at 0 in train" in line:
            break
    logs = dummy.run_dirs()[-1] / "logs"
    wait_for(lambda: "in train" in (logs / "rank-00001.log").read_text(), "rank 1 trains")
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == status, err
    assert sorted(marker.read_text().splitlines()) == ["rank 0 on_error=True", "rank 1 on_error=True"]
    assert "Traceback" not in err


def test_a_single_process_ends_by_a_signal_with_its_cleanup_and_128_plus_the_number(dummy):
    marker = dummy.root / "marker"
    process = dummy.start(
        *("direct", "--single", "--", "train", "pretrain", "--config", CONFIG, "sleep=60", f"marker={marker}")
    )
    for line in process.stdout:
        if "plain line" in line:
            break
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == 143
    assert marker.read_text() == "rank 0 on_error=True\n"


def test_no_rank_outlives_an_agent_that_was_killed(dummy):
    marker = dummy.root / "marker"
    process = dummy.start(
        *("direct", "--nproc", "2", "--", "train", "pretrain", "--config", CONFIG, "sleep=60", f"marker={marker}")
    )
    for line in process.stdout:
        if "of 2 at 0 in train" in line:
            break
    process.kill()
    process.communicate()
    await_no_process(str(dummy.root))
    assert "on_error=True" in marker.read_text()


def test_usr1_and_usr2_do_not_end_a_run(dummy):
    process = dummy.start("direct", *ONE, "--", "train", "pretrain", "--config", CONFIG, "sleep=2")
    for line in process.stdout:
        if "in train" in line:
            break
    process.send_signal(signal.SIGUSR1)
    process.send_signal(signal.SIGUSR2)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, out + err


def test_the_resolved_experiment_is_in_the_record_and_trains_again(dummy):
    assert dummy.train("hello=again", config=CONFIG, options=ONE).returncode == 0
    resolved = dummy.run_dirs()[-1] / "config.yaml"
    result = dummy.train(config=str(resolved), options=ONE)
    assert "[DummyTrainer] hello='again'" in spoken(result.stdout), result.stderr


def test_eight_launches_at_once_leave_eight_records(dummy):
    processes = [dummy.start("direct", "--single", "--", "train", "pretrain", "--config", CONFIG) for _ in range(8)]
    assert [process.wait(120) for process in processes] == [0] * 8
    for process in processes:
        process.communicate()
    assert len(list((dummy.root / "output/local/local/dummy_8B-pretrain").iterdir())) == 8
