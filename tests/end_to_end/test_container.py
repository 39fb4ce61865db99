"""Launches in a real container: the same training, arguments, environment, signals and status as without one."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.containers import podman as podmans
from tests.end_to_end.launches import Project

pytestmark = pytest.mark.slow

CONFIG = "examples/dummy/configs/dummy_8B-pretrain.yaml"
NASTY = (
    "--layout", "Et*1|t*1|t*2|t*2", "$(touch ./pwn)", "`touch pwn`", "a;b", "a&b", "it's", '"quoted"', "back\\slash",
    "new\nline", "a\tb", "", " ", "*", "?", "[a]", "{x}", "~", "!x", "#c", "%s%n%41", "-", "--", "--flag", "=", "a=b=c",
    "C:\\x", "hello world!", "\x1b[0m", "ümlaut", "$HOME", "${X}", os.fsdecode(b"\377\200"), "last",
)  # fmt: skip
# A file in the place of the training, in one process.
SCRIPT = ("--", "--script", "script.py", "--single", "--", "x")
REPORT = """
import json, os, sys
report = {"argv": [os.fsencode(a).hex() for a in sys.argv[1:]], "env": dict(os.environ), "cwd": os.getcwd()}
with open("report.json", "w") as file:
    json.dump(report, file)
"""
# Says which signals arrive; with IGNORE it outlives them.
WAIT = """
import os, signal, sys, time
def note(number, frame):
    with open("signals", "a") as file:
        file.write(signal.Signals(number).name + "\\n")
    if not os.environ.get("IGNORE"):
        sys.exit(128 + number)
for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"):
    signal.signal(getattr(signal, name), note)
print("ready", flush=True)
with open("ready", "w") as file:
    file.write(str(os.getpid()))
time.sleep(300)
"""


@pytest.fixture(scope="session")
def podman(tmp_path_factory: pytest.TempPathFactory) -> Iterator[podmans.Podman]:
    reason = podmans.missing()
    if reason:
        pytest.skip(reason)
    podman = podmans.start(tmp_path_factory.mktemp("podman"))
    yield podman
    podman.stop()


@pytest.fixture(scope="session")
def image(podman: podmans.Podman) -> str:
    return podmans.import_image(podman, "small", variables={"FOO": "image", "KEPT": "image"})


class Containers:
    """Launches of one project in containers."""

    def __init__(self, project: Project, podman: podmans.Podman) -> None:
        self.project, self.podman = project, podman
        self.started: list[subprocess.Popen[str]] = []
        project.environ.update(podman.environ)
        # What a container of this host's own files has to see, on hosts with several file systems.
        self.options = ["--runtime", "podman"]
        for folder in sorted({sys.prefix, sys.base_prefix}):
            self.options += ["-v", f"{folder}:{folder}:ro"]
        self.options += ["--env", f"PRIMUS_PYTHON={sys.executable}"]

    def words(self, *options: str, made_of: tuple[str, ...] = ("--rootfs", "/:O")) -> list[str]:
        return ["container", *made_of, *self.options, *options]

    def script(self, text: str, name: str = "script.py") -> None:
        (self.project.root / name).write_text(text)

    def start(self, *words: str, **environ: str) -> subprocess.Popen[str]:
        process = self.project.start(*words, **environ)
        self.started.append(process)
        return process

    def run(self, *words: str, **kwargs) -> subprocess.CompletedProcess[str]:
        return self.project.run(*words, timeout=60, **kwargs)

    def start_waiting(self, *options: str, **environ: str) -> subprocess.Popen[str]:
        """Start a script that waits for signals, and return when it does."""
        self.script(WAIT)
        handed = [word for name in environ for word in ("--env", name)]
        process = self.start(*self.words(*options, *handed), *SCRIPT, **environ)
        await_that(lambda: (self.project.root / "ready").exists() or process.poll() is not None)
        assert process.poll() is None, process.communicate()
        return process

    def report(self) -> dict:
        return json.loads((self.project.root / "report.json").read_text())

    def signals(self) -> list[str]:
        file = self.project.root / "signals"
        return file.read_text().split() if file.exists() else []

    def client(self, process: subprocess.Popen[str]) -> int:
        """Return the pid of the runtime's client below a launcher."""
        children = subprocess.run(["pgrep", "-P", str(process.pid), "-x", "podman"], capture_output=True, text=True)
        return int(children.stdout)


@pytest.fixture
def containers(project: Project, podman: podmans.Podman, tmp_path: Path) -> Iterator[Containers]:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    project.environ["TMPDIR"] = str(scratch)
    containers = Containers(project, podman)
    yield containers
    for process in containers.started:
        if process.poll() is None:
            process.kill()
        process.communicate()
    left = podman.containers()
    podman.remove_all()
    assert left == [], f"containers were left behind: {left}"


def await_that(condition: Callable[[], object], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not become true"
        time.sleep(0.02)


def finish(process: subprocess.Popen[str], seconds: float = 30) -> tuple[int, str, str]:
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return process.returncode, out, err


def test_training_in_a_container_is_the_training_outside(containers):
    containers.project.add_fixture("dummy")
    result = containers.run(*containers.words(), "--", "--nproc", "2", "--", "train", "pretrain", "--config", CONFIG)
    assert result.returncode == 0, result.stderr
    assert "[DummyTrainer] training finished" in result.stdout
    (run,) = containers.project.run_dirs()
    assert sorted(file.name for file in (run / "logs").glob("rank-?????.log")) == ["rank-00000.log", "rank-00001.log"]
    assert list((containers.project.root.parent / "scratch").iterdir()) == []


def test_torchtitan_trains_to_the_same_losses_as_outside(containers, tmp_path):
    config = "examples/torchtitan/configs/cpu/llama3_debug-pretrain.yaml"
    settings = ("training.seq_len=64", "training.local_batch_size=2", "metrics.log_freq=1", "checkpoint.enable=false")
    tail = ("--nproc", "2", "--", "train", "pretrain", "--config", config, *settings, "training.steps=3",
            "corpus.max_bytes=300000", "corpus.vocab_size=400")  # fmt: skip
    # Outside the project: the launcher mounts it.
    environ = {"PRIMUS_DATA_PATH": str(tmp_path / "data")}
    direct = containers.project.run("direct", *tail, **environ)
    assert direct.returncode == 0, direct.stdout + direct.stderr
    inside = containers.project.run(*containers.words(), "--", *tail, **environ)
    assert inside.returncode == 0, inside.stdout + inside.stderr
    losses = [
        [(row["step"], row["loss"], row["grad_norm"]) for row in map(json.loads, file.read_text().splitlines())]
        for file in (run / "metrics.jsonl" for run in containers.project.run_dirs())
    ]
    assert len(losses) == 2 and len(losses[0]) == 3
    assert losses[0] == losses[1]


def test_every_argument_arrives_byte_for_byte(containers, image):
    containers.script(REPORT)
    words = containers.words("--env", "FOO=host", "--env", "LINES=a\nb, c='$X'", made_of=("--image", image))
    result = containers.run(*words, *SCRIPT, *NASTY)
    assert result.returncode == 0, result.stderr
    report = containers.report()
    assert report["argv"] == [os.fsencode(word).hex() for word in ("x", *NASTY)]
    assert (report["env"]["FOO"], report["env"]["KEPT"]) == ("host", "image")
    assert report["env"]["LINES"] == "a\nb, c='$X'"
    assert report["cwd"] == str(containers.project.root)
    assert not (containers.project.root / "pwn").exists()


@pytest.mark.parametrize("status", [3, 17, 42, 125, 126, 127, 137])
def test_the_status_is_the_trainings_own(containers, status):
    containers.script(f"raise SystemExit({status})")
    result = containers.run(*containers.words(), *SCRIPT)
    assert (result.returncode, result.stdout) == (status, ""), result.stderr


def test_a_killed_training_is_told_by_its_status(containers):
    containers.script("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    result = containers.run(*containers.words(), *SCRIPT)
    assert result.returncode == 137, result.stderr


@pytest.mark.parametrize("name", ["INT", "TERM", "HUP", "USR1", "USR2"])
def test_a_signal_to_the_launcher_reaches_the_training_once(containers, name):
    process = containers.start_waiting()
    number = getattr(signal, f"SIG{name}")
    process.send_signal(number)
    status, out, err = finish(process)
    assert (status, out, containers.signals()) == (128 + number, "ready\n", [f"SIG{name}"]), err


def test_a_signal_to_every_process_of_a_job_step_counts_once(containers):
    process = containers.start_waiting(IGNORE="1", PRIMUS_GRACE="1")
    os.kill(containers.client(process), signal.SIGTERM)
    process.send_signal(signal.SIGTERM)
    await_that(lambda: containers.signals())
    process.send_signal(signal.SIGUSR1)
    await_that(lambda: "SIGUSR1" in containers.signals())
    assert containers.signals() == ["SIGTERM", "SIGUSR1"]
    process.kill()
    finish(process)
    await_that(lambda: containers.podman.containers() == [])


def test_ranks_end_with_their_clean_up_after_a_signal(containers):
    containers.project.add_fixture("dummy")
    words = ["--", "--nproc", "2", "--", "train", "pretrain", "--config", CONFIG, "--sleep", "100"]
    process = containers.start(*containers.words(), *words)
    line = ""
    while "rank 0 of 2" not in line:
        line = process.stdout.readline()
        assert line, process.communicate()
    process.send_signal(signal.SIGTERM)
    status, out, err = finish(process)
    assert status == 143, err
    assert "cleanup" in out


@pytest.mark.parametrize("victims", ["launcher", "both"])
def test_no_container_survives_the_kill_of_its_launcher(containers, victims):
    process = containers.start_waiting()
    client = containers.client(process)
    process.kill()
    if victims == "both":
        os.kill(client, signal.SIGKILL)
    await_that(lambda: containers.podman.containers() == [], 5)
    assert containers.signals() == ["SIGTERM"]
    finish(process)


def test_a_training_that_ignores_the_end_of_its_launcher_is_killed(containers):
    process = containers.start_waiting("--grace", "1", IGNORE="1")
    process.kill()
    await_that(lambda: containers.podman.containers() == [], 8)
    finish(process)


@pytest.mark.parametrize("ignore", ["", "1"])
def test_the_kill_of_the_runtimes_client_ends_the_container(containers, ignore):
    process = containers.start_waiting("--grace", "1", IGNORE=ignore)
    os.kill(containers.client(process), signal.SIGKILL)
    status, _, err = finish(process)
    assert containers.podman.containers() == []
    assert status == 137
    assert re.fullmatch(
        r"(\[primus\] WARNING .*\n)*\[primus\] ERROR the client podman was killed \(status 137\): "
        r"the container primus-\S+ is stopped\n", err
    )  # fmt: skip


def test_a_signal_before_the_container_begins_ends_the_launch(containers):
    containers.script(WAIT)
    process = containers.start(*containers.words(), *SCRIPT)
    await_that(lambda: list((containers.project.root.parent / "scratch").glob("primus-container.*/shared/control")))
    time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    assert finish(process)[0] == 143


def test_direct_and_container_differ_in_documented_variables_only(containers):
    containers.script(REPORT)
    environ = {
        "NCCL_IB_HCA": "mlx5_0,mlx5_1", "HSA_X": "1", "TORCH_X": "a b", "XLA_FLAGS": "--a --b", "OMP_NUM_THREADS": "3",
        "WANDB_API_KEY": "k3y-f0r-t3sts", "MASTER_PORT": "12345", "PRIMUS_RUN_ID": "r1", "UNLISTED": "x", "FOO": "y",
    }  # fmt: skip
    tail = ["--", "--script", "script.py", "--single", "--env", "my_lower=1", "--", "x"]
    direct = containers.run("direct", *tail[1:], **environ)
    assert direct.returncode == 0, direct.stderr
    outside = containers.report()["env"]
    inside_result = containers.run(*containers.words(), *tail, **environ)
    assert inside_result.returncode == 0, inside_result.stderr
    inside = containers.report()["env"]
    differ = {name for name in outside | inside if outside.get(name) != inside.get(name)}
    table = (
        (Path(__file__).parents[2] / "docs/containers.md")
        .read_text()
        .split("## What differs from direct mode")[1]
        .split("\n## ")[0]
    )
    documented = {name for row in re.findall(r"^\| (.*?) \|", table, re.M) for name in re.findall(r"`(\w+)`", row)}
    # Variables of the tests: one that is on no list, and those that lead the client to its storage.
    assert differ - documented == {"UNLISTED", "FOO", *containers.podman.environ}
    assert inside["my_lower"] == "1"


def test_secrets_are_seen_by_the_training_alone(containers):
    secret = "hf_S3CRET" + "x" * 20
    containers.script(WAIT.replace("print(", "assert os.environ['X_TOKEN'] == os.environ['HF_TOKEN']\nprint("))
    words = containers.words("--env", f"X_TOKEN={secret}", "--debug")
    tail = SCRIPT
    process = containers.start(*words, *tail, HF_TOKEN=secret)
    await_that(lambda: (containers.project.root / "ready").exists() or process.poll() is not None)
    commands = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            commands.append((entry / "cmdline").read_bytes())
        except OSError:
            continue
    (name,) = containers.podman.containers()
    seen = containers.podman("inspect", name)
    process.send_signal(signal.SIGTERM)
    status, out, err = finish(process)
    assert status == 143, err
    plan = containers.run(*words, "--dry-run", *tail, HF_TOKEN=secret)
    plan_json = containers.run(*words, "--dry-run", "--json", *tail, HF_TOKEN=secret)
    assert json.loads(plan_json.stdout)["environment"]["HF_TOKEN"]["value"] == "***"
    everything = [seen, out, err, plan.stdout, plan.stderr, plan_json.stdout, plan_json.stderr]
    files = [
        path.read_bytes() for path in containers.podman.folder.glob("graph/overlay-containers/**/*") if path.is_file()
    ]
    assert not any(secret in text for text in everything)
    assert not any(secret.encode() in data for data in [*commands, *files])


def test_a_pasted_plan_runs(containers):
    containers.script(REPORT)
    tail = (*SCRIPT, *NASTY[:5])
    plan = containers.run(*containers.words("--env", "A=b c"), "--dry-run", *tail)
    assert plan.returncode == 0, plan.stderr
    assert not (containers.project.root / "report.json").exists()
    assert containers.podman.containers() == []
    environ = {**containers.project.environ}
    done = subprocess.run(["bash", "-c", plan.stdout], env=environ, cwd="/", capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert containers.report()["argv"] == [word.encode().hex() for word in ("x", *NASTY[:5])]
    assert containers.report()["env"]["A"] == "b c"


def test_another_user_and_limits(containers, image):
    containers.script(
        "import os, resource\n"
        "memory = os.statvfs('/dev/shm')\n"
        "limits = resource.getrlimit(resource.RLIMIT_NOFILE)\n"
        "print(os.getuid(), *limits, memory.f_blocks * memory.f_frsize, os.environ['A'])"
    )
    options = ("--user", "nobody", "-eA=1", "--ulimit", "nofile=500:600", "--shm-size=80m")
    words = containers.words(*options, made_of=("--image", image))
    result = containers.run(*words, *SCRIPT)
    assert result.stdout == f"65534 500 600 {80 << 20} 1\n", result.stderr


def test_orphans_are_reaped_by_the_containers_first_process(containers):
    containers.script(
        "import os, subprocess, time\n"
        "subprocess.run(['bash', '-c', '(sleep 0.1; exit) & (sleep 0.2) &'])\n"
        "time.sleep(1)\n"
        "print(os.popen('ps -eo stat').read().count('Z'))"
    )
    result = containers.run(*containers.words(), *SCRIPT)
    assert result.stdout == "0\n", result.stderr


@pytest.mark.parametrize(
    "options, status, message",
    [
        (["-v", "/not/there:/data"], 3, "there is no /not/there on this host (--volume /not/there:/data)\n"
         "[primus] make it, or correct --volume of primus-cli container"),
        (["--device", "/dev/nothing"], 3, "there is no device /dev/nothing on this host\n"
         "[primus] correct --device of primus-cli container"),
        (["--image", "no/such", "--pull", "never"], 3, "the image no/such is not on this host, and --pull is never\n"
         "[primus] fetch it with podman pull no/such, or leave out --pull for primus-cli container"),
        (["--image", "empty"], 3, "podman could not start the container (status 127)\n"
         "[primus] the image needs bash 4.4 or newer; primus-cli container --dry-run shows the command"),
        (["--rootfs", "/:O", "--device", "/dev/null:/dev/null:xyz"], 3,
         "podman could not start the container (status 125)\n"
         "[primus] see what it says above; primus-cli container --dry-run shows the command"),
        (["--rootfs", "/:O", "--memroy", "1g"], 3, "podman could not start the container (status 125)\n"
         "[primus] see what it says above; primus-cli container --dry-run shows the command"),
        ([], 2, "no image was given\n[primus] primus-cli container --image IMAGE, or set PRIMUS_IMAGE"),
    ],
)  # fmt: skip
def test_what_cannot_start_is_told_once(containers, options, status, message):
    if "empty" in options and "empty" not in containers.podman("images"):
        podmans.import_image(containers.podman, "empty", shell=False)
    if options[:1] in (["-v"], ["--device"]):
        options = ["--rootfs", "/:O", *options]
    result = containers.run(
        "container", "--runtime", "podman", *options, "--", "--script", "script.py", "--single", "--", "x"
    )
    assert result.returncode == status, result.stderr
    assert result.stderr.count("[primus] ERROR") == 1
    assert result.stderr.endswith(f"[primus] ERROR {message}\n")


def test_clean_removes_our_stopped_containers_only(containers):
    podman = containers.podman
    label = ("--label", f"{podmans.LABEL}=0", "--label", f"{podmans.LABEL}.user={os.getuid()}")
    podman("run", "--name", "ours", *label, "--rootfs", "/:O", "true")
    podman(
        "run",
        "--name",
        "somebodys",
        "--label",
        f"{podmans.LABEL}=0",
        "--label",
        f"{podmans.LABEL}.user=77",
        "--rootfs",
        "/:O",
        "true",
    )
    podman("run", "--name", "foreign", "--rootfs", "/:O", "true")
    podman("run", "--name", "running", "--detach", *label, "--rootfs", "/:O", "sleep", "100")
    shown = containers.run("container", "--runtime", "podman", "--clean", "--dry-run")
    assert len(podman.containers()) == 4 and shown.stdout.startswith("/")
    result = containers.run("container", "--runtime", "podman", "--clean")
    assert (result.returncode, result.stdout) == (0, ""), result.stderr
    assert result.stderr == "[primus] 1 stopped containers removed\n"
    assert sorted(podman.containers()) == ["foreign", "running", "somebodys"]
    podman.remove_all()


def test_a_stale_container_of_the_same_name_is_no_obstacle(containers):
    podman = containers.podman
    containers.script("print('trained')")
    tail = SCRIPT
    label = ("--label", f"{podmans.LABEL}=0", "--label", f"{podmans.LABEL}.user={os.getuid()}")
    podman("run", "--name", "mine", *label, "--rootfs", "/:O", "true")
    result = containers.run(*containers.words("--name", "mine"), *tail)
    assert (result.returncode, result.stdout) == (0, "trained\n"), result.stderr
    podman("run", "--name", "mine", "--rootfs", "/:O", "true")
    result = containers.run(*containers.words("--name", "mine"), *tail)
    assert result.returncode == 3
    assert result.stderr.splitlines()[-2:] == [
        "[primus] ERROR there is a container mine already (exited)",
        "[primus] remove it with podman rm mine, or give primus-cli container another --name",
    ]
    podman.remove_all()


def test_five_launches_at_once_do_not_meet(containers):
    containers.project.add_fixture("dummy")
    tail = ("--", "--single", "--", "train", "pretrain", "--config", CONFIG)
    processes = [containers.start(*containers.words(), *tail) for _ in range(5)]
    results = [finish(process, 100) for process in processes]
    assert [status for status, _, _ in results] == [0] * 5, results
    runs = list((containers.project.root / "output").glob("*/*/*/*"))
    assert len(runs) == 5
