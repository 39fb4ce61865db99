"""Runs ranks of TorchTitan trainings by forking a process that has imported TorchTitan once.

Importing TorchTitan costs seconds of CPU, a step of a tiny model milliseconds. Reads one JSON job a line from
standard input, writes one JSON answer a line to standard output:

    job     {"folder": ..., "ranks": 2, "argv": [...], "env": {...}, "without": [patch ids], "kill_when": path,
             "signal": 9, "code": "...", "bare": false, "seconds": 120}
    answer  {"statuses": [0, 0]}; each rank's output is in <folder>/rank-<n>.log

``code`` is executed instead of ``primus.run.main(argv)``. A ``bare`` job sees a process that has imported torch, but
neither TorchTitan nor any patch.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
import traceback
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def import_torchtitan() -> None:
    from primus.core.patches import PatchContext, load_patches, run_patches

    load_patches("primus.backends.torchtitan")
    context = PatchContext("torchtitan", "prepare", "cpu", detect_version=lambda: "0.2.2")
    run_patches(context, {"PRIMUS_PATCHES": "torchtitan.cpu.triton_import,torchtitan.cpu.device"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torchtitan.models.deepseek_v3
        import torchtitan.models.llama3
        import torchtitan.train

    # Upstream's rank 0 sleeps at the end, because others may still need its store; alone it need not.
    torchtitan.train.time = SimpleNamespace(
        perf_counter=time.perf_counter,
        sleep=lambda seconds: time.sleep(seconds if os.environ["WORLD_SIZE"] != "1" else 0),
    )


def rank_main(job: dict[str, Any], rank: int, port: int) -> int:
    ranks = job["ranks"]
    os.environ.update(
        RANK=str(rank),
        LOCAL_RANK=str(rank),
        WORLD_SIZE=str(ranks),
        LOCAL_WORLD_SIZE=str(ranks),
        MASTER_ADDR="127.0.0.1",
        MASTER_PORT=str(port),
    )
    os.environ.update(job.get("env", {}))
    if job.get("without"):
        from primus.core.patches import registered_patches

        kept = [patch.id for patch in registered_patches("torchtitan") if patch.id not in job["without"]]
        os.environ["PRIMUS_PATCHES"] = ",".join(kept)
    if "code" in job:
        exec(compile(job["code"], "<job>", "exec"), {"job": job, "rank": rank})
        return 0
    import primus.run

    return primus.run.main(job["argv"])


def start_rank(job: dict[str, Any], rank: int, port: int) -> int:
    pid = os.fork()
    if pid == 0:
        run_child(job, rank, port)
    return pid


def run_child(job: dict[str, Any], rank: int, port: int) -> NoReturn:
    status = 70
    try:
        log = os.open(f"{job['folder']}/rank-{rank}.log", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        for descriptor in (1, 2):
            os.dup2(log, descriptor)
        try:
            status = rank_main(job, rank, port)
        except SystemExit as leaving:
            status = leaving.code if isinstance(leaving.code, int) else 1
        except BaseException:
            traceback.print_exc()
            status = 71
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


def run_job(job: dict[str, Any]) -> dict[str, Any]:
    port = free_port()
    pids = [start_rank(job, rank, port) for rank in range(job["ranks"])]
    statuses: dict[int, int] = {}
    end = time.monotonic() + job.get("seconds", 240)
    sent = False
    while len(statuses) < len(pids):
        for pid in [pid for pid in pids if pid not in statuses]:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                statuses[pid] = os.waitstatus_to_exitcode(status)
        wanted = job.get("kill_when")
        if wanted and not sent and Path(wanted).exists():
            sent = True
            for pid in pids:
                if pid not in statuses:
                    os.kill(pid, job.get("signal", signal.SIGKILL))
        if time.monotonic() > end:
            for pid in pids:
                if pid not in statuses:
                    os.kill(pid, signal.SIGKILL)
            end = float("inf")
        time.sleep(0.02)
    return {"statuses": [statuses[pid] for pid in pids]}


def main() -> None:
    import torch  # noqa: F401

    imported = False
    for line in sys.stdin:
        job = json.loads(line)
        if not job.get("bare") and not imported:
            import_torchtitan()
            imported = True
        if job.get("bare") and imported:
            raise SystemExit("bare jobs must come first")
        print(json.dumps(run_job(job)), flush=True)


if __name__ == "__main__":
    main()
