"""What is fed with random input: each target may raise ConfigError and nothing else."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from primus.core.config.dump import resolved_yaml
from primus.core.config.experiment import compose_experiment
from primus.core.config.overrides import build_overrides
from primus.core.config.yaml_reader import parse_yaml
from primus.core.config.yaml_text import decode
from primus.core.errors import ConfigError

# Removed at the end of the process.
_KEPT = tempfile.TemporaryDirectory(prefix="primus-fuzz-")
_FOLDER = Path(_KEPT.name)


def read_file(data: bytes) -> None:
    """Read bytes as a configuration file."""
    parse_yaml(decode(data, "/f.yaml"), "/f.yaml", "experiment")


def read_overrides(data: bytes) -> None:
    """Read bytes as words of a command line, one a line."""
    build_overrides(data.decode("utf-8", "replace").split("\n"))


def compose(data: bytes) -> None:
    """Compose an experiment: before the first NUL the file, after it words of a command line."""
    text, _, words = data.partition(b"\0")
    path = _FOLDER / "exp.yaml"
    path.write_bytes(text)
    experiment = compose_experiment(
        path,
        overrides=words.decode("utf-8", "replace").split("\n") if words else (),
        environ={"X": "1", "Y": "a b"},
        configs_dir=_FOLDER,
        allow_unknown=True,
    )
    written = resolved_yaml(experiment)
    path.write_text(written, encoding="utf-8")
    again = compose_experiment(path, environ={"X": "1", "Y": "a b"}, configs_dir=_FOLDER, allow_unknown=True)
    if repr(again.params_dict()) != repr(experiment.params_dict()):
        raise AssertionError(f"what was written reads back differently:\n{written}")


TARGETS: dict[str, Callable[[bytes], None]] = {
    "read_file": read_file,
    "read_overrides": read_overrides,
    "compose": compose,
}

_HEAD = b"modules:\n  pre_trainer:\n    framework: toy\n    overrides:\n"

SEEDS: dict[str, list[bytes]] = {
    "read_file": [
        b"a: 1\nb: [x, 'y', {c: \"d\"}]\n# c\nd: |\n  t\n   u\ne: >-\n  v\n",
        b"&a a: &b [1, *b]\n? x\n: !!str 1\n---\n...\n",
        b"%YAML 1.2\n---\na:\tb\r\n'c': ${X:${Y:z}}\n",
        b"[[[[{a: {b: [1e-5, 0x1F, .inf, 00123, ~]}}]]]]",
        b"a0: &a0 [x, x]\na1: &a1 [*a0, *a0]\na2: [*a1, *a1]\n",
        b"\xef\xbb\xbfa: \xc3\xa9\n",
    ],
    "read_overrides": [
        b"--a.b\n1\nc=[x, {d: 1}]\n--e='f'\n--g\n--h={i: {j: k}}\n",
        b"a=1\na.b=2\n--=\n=\n--x=${X:y}\n",
    ],
    "compose": [
        _HEAD + b"      a: ${X:${Y:c}}\n      b: {c: [1, 2, '$${d}']}\n\0--b.c=[3]\n--e\n5\n",
        b"exp_name: 1e5\nenv: {A: 1, B_TOKEN: '${X}'}\n" + _HEAD + b"      device: cpu\n\0exp_name=x\n",
        b"extends: []\n" + _HEAD + b"      t: 'a\\nb'\n      u: \"a\\u2028b\"\n      v: |\n        w\n",
    ],
}


def run_one(target: Callable[[bytes], None], data: bytes) -> None:
    """Feed a target once; a refusal is a good answer."""
    try:
        target(data)
    except ConfigError as error:
        if not error.message or "\n\n" in error.message:
            raise AssertionError(f"a refusal without a message: {error!r}") from error
