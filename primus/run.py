"""``python -m primus.run train pretrain --config exp.yaml [overrides]``: one rank of a training.

Also the console script ``primus``. The launcher (``primus-cli``) starts it under torchrun with a finished
argument list; started by hand it is a training of one process.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import shlex
import signal
import sys
import time
import traceback
from pathlib import Path
from types import FrameType

from primus._version import primus_version
from primus.core.errors import EXIT_ENVIRONMENT, EXIT_FAULT, LaunchEnvironmentError, PrimusError
from primus.tee import wait_for_tee_at_exit

USAGE = """\
Usage: primus train pretrain|posttrain --config EXPERIMENT.yaml [key=value | --key value ...]
       primus --version | --help

Runs one process of a training. primus-cli checks the experiment first, runs the hooks and starts
one process for each device; see primus-cli --help.

Options of train:
  --config FILE         the experiment
  --backend_path DIR    take the framework from here
  --data_path DIR       folder for prepared data (default ./data)
  --export_config FILE  also write the resolved experiment here
  --allow-unknown       warn about unknown keys instead of refusing them
  --debug               log at level DEBUG
Everything else overrides a key of the experiment's module: training.steps=5, --training.steps 5.

Exit status: 0 trained to the end; 1 a fault; 2 usage or configuration; 3 the environment lacks something;
128+N ended by signal N.
"""


def main(argv: list[str] | None = None) -> int:
    """Run the command and return the process's exit status.

    Args:
        argv: Arguments without the program's name; those of the process when omitted.
    """
    args = sys.argv[1:] if argv is None else argv
    if args in (["--help"], ["-h"], ["help"]):
        sys.stdout.write(USAGE)
        return 0
    if args == ["--version"]:
        sys.stdout.write(f"primus {primus_version()}\n")
        return 0
    wait_for_tee_at_exit()
    _install_signal_handlers()
    if os.environ.get("PRIMUS_AGENT"):
        _append_to_shared_log()
        _end_with_agent()
    try:
        _train(args)
    except PrimusError as error:
        _report(error, error.lines(), error.exit_status)
        return error.exit_status
    except Exception as error:
        _report(error, traceback.format_exc().rstrip().split("\n"), EXIT_FAULT)
        return EXIT_FAULT
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    _mark_complete()
    return 0


def _train(args: list[str]) -> None:
    _check_own_location()
    try:
        from primus.core.config.command_line import parse_train_command
        from primus.core.runtime.train_runtime import PrimusRuntime
    except ModuleNotFoundError as error:
        if error.name not in ("yaml", "packaging"):
            raise
        raise LaunchEnvironmentError(
            f"{sys.executable} has no module {error.name!r}",
            f"{shlex.quote(sys.executable)} -m pip install pyyaml packaging",
            EXIT_ENVIRONMENT,
        ) from None
    hook_extras = int(os.environ.get("PRIMUS_HOOK_EXTRAS") or 0)
    PrimusRuntime(parse_train_command(args, hook_extras=hook_extras)).run()


def _check_own_location() -> None:
    """Refuse to run a copy of Primus that stands in the working directory by chance."""
    root = os.environ.get("PRIMUS_ROOT")
    here = Path(__file__).resolve().parent.parent
    if root and Path(root).resolve() != here:
        raise LaunchEnvironmentError(
            f"the launcher lies in {root}, but Python imported primus from {here}",
            "start from another folder, or remove that one from PYTHONPATH",
        )


def _append_to_shared_log() -> None:
    """Let stdout and stderr share one log file: torchrun opens it once for each, without O_APPEND."""
    for descriptor in (1, 2):
        flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_APPEND)


def _end_with_agent() -> None:
    """Ask the kernel for a TERM when the agent dies: killed by KILL, it cannot stop its ranks itself."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM)
    if str(os.getppid()) != os.environ["PRIMUS_AGENT"]:
        os.kill(os.getpid(), signal.SIGTERM)


def _install_signal_handlers() -> None:
    """Turn TERM and HUP into an exit that cleans up; USR1 and USR2 must not kill a rank, USR2 may ask it to save.

    A second signal while the first is being handled changes nothing: clean-up runs to its end, and whoever
    is impatient has KILL.
    """

    def leave(number: int, frame: FrameType | None) -> None:
        for name in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(name, signal.SIG_IGN)
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(128 + number)

    for name in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(name, leave)
    from primus.core.runtime.save_request import note_signal

    for name in (signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(name, note_signal)


def _report(error: BaseException, lines: list[str], status: int) -> None:
    """Show an error once: on this rank's own stderr, and in the file where the agent looks for the cause."""
    from primus.core.utils.env import get_torchrun_env

    now = time.time()
    error_file = os.environ.get("TORCHELASTIC_ERROR_FILE")
    try:
        env = get_torchrun_env()
        where = f"rank {env.rank}: " if env.world_size > 1 else ""
    except PrimusError:
        where = ""
    for number, line in enumerate(lines):
        sys.stderr.write(f"[primus] ERROR {where}{line}\n" if number == 0 else f"{line}\n")
    sys.stderr.flush()
    if error_file:
        report = {
            "message": {
                "message": f"{type(error).__name__}: {error}",
                "extraInfo": {
                    "py_callstack": "\n".join(lines),
                    "timestamp": str(int(now)),
                    "exact_time": repr(now),
                    "status": str(status),
                },
            }
        }
        Path(error_file).write_text(json.dumps(report), encoding="utf-8")


def _mark_complete() -> None:
    """Tell the agent that training reached its end: a rank that merely vanishes with 0 does not."""
    error_file = os.environ.get("TORCHELASTIC_ERROR_FILE")
    if os.environ.get("PRIMUS_AGENT") and error_file:
        Path(error_file).with_name("complete").touch()


if __name__ == "__main__":
    sys.exit(main())
