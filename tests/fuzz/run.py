"""Throw random input at the configuration readers for a bounded time.

``python tests/fuzz/run.py --seconds 600``: each target gets its share of the time. With atheris installed the input
is steered by coverage; without it, it is made by mutating examples. An input that ends in anything but an answer or
a ConfigError, takes longer than a second, or makes the process larger than 200 MB is written to a file and fails
the run. ``--replay FILE --target NAME`` feeds one input again.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(Path(__file__).resolve().parent))

LONGEST_SECONDS = 1.0
LARGEST_KILOBYTES = 200 * 1024
LONGEST_INPUT = 4096


def main() -> int:
    """Run the targets and return 0 when all inputs got an answer."""
    from targets import TARGETS

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="time for all targets together")
    parser.add_argument("--target", choices=TARGETS, help="only this one")
    parser.add_argument("--engine", choices=["auto", "atheris", "mutate"], default="auto")
    parser.add_argument("--seed", type=int, default=None, help="for the same inputs again")
    parser.add_argument("--replay", type=Path, help="an input to feed once")
    args = parser.parse_args()
    if args.replay:
        _feed(TARGETS[args.target or "read_file"], args.replay.read_bytes())
        return 0
    names = [args.target] if args.target else list(TARGETS)
    engine = args.engine
    if engine == "auto":
        engine = "atheris" if importlib.util.find_spec("atheris") else "mutate"
    failed = [name for name in names if not _fuzz(name, engine, args.seconds / len(names), args.seed)]
    failed += [] if _large_files() else ["large files"]
    print(f"failed: {', '.join(failed)}" if failed else "no input without an answer")
    return 1 if failed else 0


def _fuzz(name: str, engine: str, seconds: float, seed: int | None) -> bool:
    number = random.SystemRandom().randrange(2**31) if seed is None else seed
    print(f"{name}: {engine}, {seconds:.0f} s, seed {number}", flush=True)
    return _run_atheris(name, seconds, number) if engine == "atheris" else _mutate(name, seconds, number)


def _run_atheris(name: str, seconds: float, seed: int) -> bool:
    """Run libFuzzer in a process of its own: it takes the whole command line and ends with exit."""
    from targets import SEEDS

    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus")
        corpus.mkdir()
        for index, data in enumerate(SEEDS[name]):
            (corpus / str(index)).write_bytes(data)
        code = (
            "import sys, atheris\n"
            "with atheris.instrument_imports(include=['primus']):\n"
            "    import targets\n"
            f"atheris.Setup(sys.argv, lambda data: targets.run_one(targets.TARGETS[{name!r}], data))\n"
            "atheris.Fuzz()\n"
        )
        # libFuzzer counts the interpreter and its own tables to the limit on memory; small files are held to the
        # product's limit by _large_files instead.
        options = [
            f"-max_total_time={int(max(seconds, 1))}",
            f"-timeout={int(LONGEST_SECONDS * 10)}",
            "-rss_limit_mb=1024",
            f"-max_len={LONGEST_INPUT}",
            f"-seed={seed % 2**31 or 1}",
            "-print_final_stats=1",
            "-verbosity=0",
            f"-artifact_prefix={tempfile.gettempdir()}/primus-fuzz-{name}-",
        ]
        environ = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{Path(__file__).resolve().parent}"}
        command = [sys.executable, "-c", code, *options, str(corpus)]
        return subprocess.run(command, env=environ, check=False).returncode == 0


def _mutate(name: str, seconds: float, seed: int) -> bool:
    from targets import SEEDS, TARGETS

    chance = random.Random(seed)
    pool = list(SEEDS[name])
    end = time.monotonic() + seconds
    runs = 0
    while time.monotonic() < end:
        data = _mutated(chance, pool)
        try:
            _feed(TARGETS[name], data)
        except BaseException as error:
            path = Path(tempfile.gettempdir()) / f"primus-fuzz-{name}-{seed}-{runs}"
            path.write_bytes(data)
            print(f"{name}: {type(error).__name__}: {error}\n  input: {path}", flush=True)
            return False
        runs += 1
        if chance.random() < 0.01 and len(pool) < 500:
            pool.append(data)
    print(f"{name}: {runs} inputs", flush=True)
    return True


def _mutated(chance: random.Random, pool: list[bytes]) -> bytes:
    data = bytearray(chance.choice(pool))
    tokens = [b": ", b"- ", b"\n  ", b"[", b"]", b"{", b"}", b"'", b'"', b"${", b"}", b"&a ", b"*a", b"|", b"\t", b"\0"]
    for _ in range(chance.randint(1, 8)):
        place = chance.randint(0, len(data))
        kind = chance.randrange(5)
        if kind == 0:
            data[place:place] = chance.choice(tokens)
        elif kind == 1:
            del data[place : place + chance.randint(1, 8)]
        elif kind == 2:
            data[place:place] = bytes([chance.randrange(256)])
        elif kind == 3:
            other = chance.choice(pool)
            start = chance.randint(0, len(other))
            data[place:place] = other[start : start + chance.randint(1, 40)]
        else:
            data[place:place] = data[place : place + 4] * chance.randint(1, 60)
    return bytes(data[:LONGEST_INPUT])


def _feed(target: Callable[[bytes], None], data: bytes) -> None:
    from targets import run_one

    def too_long(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"longer than {LONGEST_SECONDS} s")

    signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, LONGEST_SECONDS)
    try:
        run_one(target, data)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > LARGEST_KILOBYTES:
        raise MemoryError(f"larger than {LARGEST_KILOBYTES} kB")


def _large_files() -> bool:
    """Read awkward files of one megabyte, each in a process of its own, and measure time and memory."""
    code = (
        "import resource, sys, time\n"
        "import targets\n"
        "data = (sys.argv[1].encode().decode('unicode_escape').encode('latin-1') * 1_000_000)[:1_000_000]\n"
        "start = time.monotonic()\n"
        "targets.run_one(targets.TARGETS[sys.argv[2]], data)\n"
        "print(f'{time.monotonic() - start:.2f} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}')\n"
    )
    environ = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{Path(__file__).resolve().parent}"}
    good = True
    for unit in LARGE_UNITS:
        for target in ("read_file", "read_overrides"):
            command = [sys.executable, "-c", code, unit, target]
            result = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60, check=False)
            seconds, kilobytes = result.stdout.split() if result.returncode == 0 else ("?", "0")
            fits = result.returncode == 0 and int(kilobytes) <= LARGEST_KILOBYTES and float(seconds) < 5
            if not fits:
                print(f"1 MB of {unit!r} to {target}: {seconds} s, {kilobytes} kB\n{result.stderr}", flush=True)
            good = good and fits
    print(f"large files: {2 * len(LARGE_UNITS)} inputs", flush=True)
    return good


# Repeated to one megabyte each.
LARGE_UNITS = [
    "[", "{", "a", "a,", "[a,", "- ", "- a\\n", "a: 1\\n", "  ", "\\t", "#", "\\n", "'", '"', "\\\\", "? ", ": ",
    "&a ", "*a ", "|\\n", "${", "${A:", "x: ${A:", "\\xff", "\\xe2\\x80\\xa8", "a=1\\n", "--a=[", "--a={a: ", "a.",
    "a.b=1\\n", "=", "!!",
]  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
