"""``python -m primus.torchrun``: torchrun's own arguments, parser and elastic agent, with a truthful end.

What it adds: the exit status is the first failing rank's own (128+N for signal N) instead of always 1; its
cause is shown once, whichever rank it was; each rank has one log file in the run's record; a run whose ranks
leave with 0 before training ended is a failure; USR1 and USR2 are passed on; arguments reach the ranks
byte for byte. Replacing this module by ``torch.distributed.run`` on a command line gives the same training.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import io
import logging
import os
import shlex
import shutil
import signal
import socket
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from primus.core.errors import EXIT_ENVIRONMENT, EXIT_FAULT, PrimusError
from primus.tee import wait_for_tee_at_exit

RUN_MODULE = "primus.run"
LAST_LINES = 20
ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def main(argv: list[str] | None = None) -> int:
    """Start the ranks of this node, wait for them, and return the status that tells how it ended.

    Args:
        argv: torchrun's arguments; those of the process when omitted.
    """
    args = sys.argv[1:] if argv is None else argv
    wait_for_tee_at_exit()
    _install_early_handlers()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # The console follows rank 0 line by line, also through a pipe.
        sys.stdout.reconfigure(line_buffering=True)
    try:
        _check_hook_extras(args)
    except PrimusError as error:
        _say(*error.lines())
        return error.exit_status
    if importlib.util.find_spec("torch") is None:
        _say(f"{sys.executable} has no torch", f"{shlex.quote(sys.executable)} -m pip install torch")
        return EXIT_ENVIRONMENT
    from torch.distributed import run as torchrun

    return _Agent(torchrun.parse_args(args), torchrun).run()


def _check_hook_extras(args: list[str]) -> None:
    """Check the experiment again when hooks added to it, before torch is imported and any rank starts.

    Raises:
        PrimusError: What the hooks said does not fit the experiment.
    """
    count = int(os.environ.get("PRIMUS_HOOK_EXTRAS") or 0)
    if count and RUN_MODULE in args:
        from primus.core.config.command_line import parse_train_command
        from primus.core.config.experiment import compose_experiment

        command = parse_train_command(args[args.index(RUN_MODULE) + 1 :], hook_extras=count)
        compose_experiment(
            command.config,
            stage=command.stage,
            overrides=command.overrides,
            hook_overrides=command.hook_overrides,
            allow_unknown=command.allow_unknown,
            backend_path=command.backend_path,
        )


def _say(*lines: str) -> None:
    sys.stderr.write("".join(f"[primus] {line}\n" for line in lines))
    sys.stderr.flush()


def _install_early_handlers() -> None:
    """Leave silently with 128+N while torch is still being imported; torch's own handlers follow later."""

    def leave(number: int, frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    for name in ENDING_SIGNALS:
        signal.signal(name, leave)
    for name in (signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(name, signal.SIG_IGN)


class _Agent:
    """torch's elastic agent of one node, with our log files, signals and report.

    Args:
        options: What torchrun's parser made of the arguments.
        torchrun: The module ``torch.distributed.run``.
    """

    def __init__(self, options: Any, torchrun: Any) -> None:
        self.options = options
        self.torchrun = torchrun
        self.ours = bool(options.module) and options.training_script == RUN_MODULE
        # Error reports stay on the node: a shared file system may be what is broken.
        self.scratch = Path(tempfile.mkdtemp(prefix="primus-agent-"))
        self.logs: Any = None
        self.elastic: Any = None

    def run(self) -> int:
        from torch.distributed.elastic.multiprocessing.api import SignalException
        from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

        if "LOGLEVEL" not in os.environ and "TORCHELASTIC_LOG_LEVEL" not in os.environ:
            # Which rank failed and why is told below, once; torch would tell it three times.
            logging.getLogger("torch.distributed.elastic").setLevel(logging.CRITICAL)
        os.environ["PRIMUS_AGENT"] = str(os.getpid())
        # What torchrun would set for several ranks, without its four lines of warning at each start.
        if self.options.nproc_per_node != "1":
            os.environ.setdefault("OMP_NUM_THREADS", "1")
        self._enter_torch()
        try:
            self.torchrun.run(self.options)
            return self._check_complete()
        except ChildFailedError as error:
            return self._report_failure(error)
        except SignalException as error:
            _say(f"ended by signal {signal.Signals(error.sigval).name}: ranks have been stopped")
            return 128 + int(error.sigval)
        finally:
            # How it ended is known; a signal that arrives while Python shuts down cannot change it any more.
            for name in ENDING_SIGNALS:
                signal.signal(name, signal.SIG_IGN)
            shutil.rmtree(self.scratch, ignore_errors=True)

    def _enter_torch(self) -> None:
        """Put our log files and our hold on the agent where torchrun creates both.

        torch 2.13 offers an entry point for the former, which works for installed packages only, and nothing
        for the latter; the names replaced here exist since torch 2.3.
        """
        import torch.distributed.launcher.api as launcher

        holder = self

        class Launch(launcher.elastic_launch):  # type: ignore[misc]
            def __init__(self, config: Any, entrypoint: Any) -> None:
                if holder.options.log_dir and holder.ours:
                    config.logs_specs = holder.logs = _rank_logs(config.logs_specs, holder.scratch)
                    config.log_line_prefix_template = config.log_line_prefix_template or _NoPrefix()
                super().__init__(config=config, entrypoint=entrypoint)

            def __call__(self, *args: str) -> Any:
                # torchrun reads each argument as a template, in which "$$" means "$".
                return super().__call__(*(arg.replace("$", "$$") if holder.ours else arg for arg in args))

        class Agent(launcher.LocalElasticAgent):  # type: ignore[misc]
            def __init__(self, *args: Any, **kwargs: Any) -> None:
                super().__init__(*args, **kwargs)
                holder.elastic = self
                for name in (signal.SIGUSR1, signal.SIGUSR2):
                    signal.signal(name, holder._pass_on)

        self.torchrun.elastic_launch = Launch
        launcher.LocalElasticAgent = Agent

    def _pass_on(self, number: int, frame: FrameType | None) -> None:
        processes = getattr(self.elastic, "_pcontext", None)
        for pid in (processes.pids() if processes else {}).values():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue

    def _check_complete(self) -> int:
        """Return 0 when every rank of this node says that training reached its end."""
        if not self.ours or self.logs is None:
            return 0
        early = [rank for rank, marker in sorted(self.logs.markers.items()) if not marker.exists()]
        if not early:
            if 0 in self.logs.files and os.environ.get("PRIMUS_LOG_LEVEL", "info") in ("info", "debug"):
                _say(f"trained to the end; logs: {self.logs.files[0].parent}")
            return 0
        _say(
            f"rank {early[0]} on {socket.gethostname()} left with status 0 before training ended",
            f"see {self.logs.files[early[0]]}",
        )
        return EXIT_FAULT

    def _report_failure(self, error: Any) -> int:
        rank, failure = first_failure(error.failures)
        status, how = how_it_ended(failure)
        log = self.logs.files.get(rank) if self.logs else None
        if log is not None and not self.logs.on_console(failure.local_rank):
            _say(f"rank {rank} said:")
            sys.stderr.write(_last_words(failure, log))
        where = f"rank {rank} (local rank {failure.local_rank}, pid {failure.pid})"
        tail = f"; its log: {log}" if log else ""
        _leave_failure(_report_time(failure) or float(failure.timestamp), f"{where} {how}{tail}")
        _say(f"{where} on {socket.gethostname()} failed first: it {how}{tail}")
        return status or EXIT_FAULT


class _NoPrefix(str):
    """An empty prefix for console lines; torch takes a false one for its default, ``[default0]:``."""

    def __bool__(self) -> bool:
        return True


def first_failure(failures: dict[int, Any]) -> tuple[int, Any]:
    """Return the rank that failed first, and its failure.

    A rank without a report died by a signal; torch lists failures in the order in which they were noticed,
    and a signal is noticed within a tenth of a second. Reports hold the time of their exception, to less than
    a second, which torch's own choice does not.

    Args:
        failures: torch's ``ProcessFailure`` by global rank, in the order of notice.
    """
    rank, failure = next(iter(failures.items()))
    if not _report_time(failure):
        return rank, failure
    return min(
        ((rank, failure) for rank, failure in failures.items() if _report_time(failure)),
        key=lambda item: _report_time(item[1]),
    )


def how_it_ended(failure: Any) -> tuple[int, str]:
    """Return a failed rank's status, and the same in words.

    A rank that reported an error ended by that error, even when the agent's TERM then met it on its way out.

    Args:
        failure: torch's ``ProcessFailure``.
    """
    reported = _report(failure).get("status")
    code = int(reported) if reported else failure.exitcode
    if code >= 0:
        return code, f"exited with status {code}"
    return 128 - code, f"was killed by signal {signal.Signals(-code).name}"


def _report(failure: Any) -> dict[str, Any]:
    """Return what a rank said about its end; empty when it said nothing."""
    message = failure.error_file_data.get("message")
    return message.get("extraInfo", {}) if isinstance(message, dict) else {}


def _report_time(failure: Any) -> float:
    report = _report(failure)
    return float(report.get("exact_time") or report.get("timestamp") or 0)


def _leave_failure(when: float, text: str) -> None:
    """Write when the first rank of this node failed, and how, for a launcher that compares nodes.

    Stopping the other ranks may take longer on the node where it all began than on those that only noticed.

    Args:
        when: Seconds since the epoch. Of a rank that a signal killed only the second is known, cut short: it
            counts as earlier than the complaints of others in the same second.
        text: One line.
    """
    path = os.environ.get("PRIMUS_FAILURE_FILE")
    if path:
        try:
            Path(path).write_text(f"{round(when * 1_000_000)}\n{text}\n", encoding="utf-8")
        except OSError as error:
            _say(f"{path} cannot be written: {error.strerror}")


def _last_words(failure: Any, log: Path) -> str:
    said = _report(failure).get("py_callstack")
    if said:
        return str(said).rstrip("\n") + "\n"
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - 100_000))
        lines = file.read().decode("utf-8", "replace").splitlines()
    return "".join(f"{line}\n" for line in lines[-LAST_LINES:])


def _rank_logs(specs: Any, scratch: Path) -> Any:
    """Return log specifications that give each rank one file, named by its global rank.

    Args:
        specs: torch's own, which hold the log folder and the ranks that the console shows.
        scratch: Folder for error reports.
    """
    from torch.distributed.elastic.multiprocessing.api import DefaultLogsSpecs, LogsDest

    folder = Path(specs.root_log_dir)
    shown = specs._local_ranks_filter

    class RankLogs(DefaultLogsSpecs):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(log_dir=str(scratch), redirects=specs._redirects, tee=specs._tee, local_ranks_filter=shown)
            self.files: dict[int, Path] = {}
            self.markers: dict[int, Path] = {}

        def on_console(self, local_rank: int) -> bool:
            return not shown or local_rank in shown

        def reify(self, envs: dict[int, dict[str, str]]) -> LogsDest:
            destinations = super().reify(envs)
            folder.mkdir(parents=True, exist_ok=True)
            files = {local: _new_file(folder, int(env["RANK"])) for local, env in envs.items()}
            self.files = {int(envs[local]["RANK"]): file for local, file in files.items()}
            self.markers = {
                int(env["RANK"]): Path(env["TORCHELASTIC_ERROR_FILE"]).with_name("complete") for env in envs.values()
            }
            paths = {local: str(file) for local, file in files.items()}
            # Both streams of a rank go to one file, in order; the console follows it as one stream.
            return dataclasses.replace(
                destinations,
                stdouts=paths,
                stderrs=paths,
                tee_stdouts={local: path for local, path in paths.items() if self.on_console(local)},
                tee_stderrs={},
            )

    return RankLogs()


def _new_file(folder: Path, rank: int) -> Path:
    """Create an empty log file for a rank; an earlier start's file is never touched."""
    for attempt in range(1_000_000):
        file = folder / (f"rank-{rank:05d}.log" if attempt == 0 else f"rank-{rank:05d}.{attempt}.log")
        try:
            file.touch(exist_ok=False)
            return file
        except FileExistsError:
            continue
    raise PrimusError(f"{folder} holds a million logs of rank {rank}", "start a new run")


if __name__ == "__main__":
    sys.exit(main())
