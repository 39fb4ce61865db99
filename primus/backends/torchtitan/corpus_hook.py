"""Prepare the corpus that an experiment asks for, and tell the launcher where it is.

An experiment asks with ``corpus:`` among its parameters, be it empty. Its own data always win: where the
experiment or the command line names ``training.dataset_path``, or a ``training.dataset`` other than TorchTitan's
local one, nothing is prepared; where it names ``model.hf_assets_path``, no tokenizer is trained.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from primus.backends.torchtitan.param_checks import setting
from primus.core.config.command_line import parse_train_command
from primus.core.config.experiment import Experiment, compose_experiment
from primus.core.config.paths import data_folder
from primus.core.errors import ConfigError
from primus.data.corpus import prepare_corpus
from primus.data.corpus_settings import CorpusSettings
from primus.data.progress import say

LOCAL_DATASET = "c4_test"
"""TorchTitan's name for "JSON lines with a key text, from a folder"; it loads any such folder."""

_USER_LAYERS = ("experiment", "hook", "command line")


def corpus_lines(argv: Sequence[str], environ: Mapping[str, str]) -> list[str]:
    """Prepare the corpus and return the hook's control lines; none where nothing is to be prepared.

    Args:
        argv: The words after ``train pretrain``.
        environ: The hook's environment.

    Raises:
        PrimusError: The experiment, the corpus's settings or its files are wrong, or the host lacks something.
    """
    command = parse_train_command(["train", "pretrain", *argv])
    experiment = compose_experiment(
        command.config,
        stage=command.stage,
        overrides=command.overrides,
        environ=environ,
        allow_unknown=command.allow_unknown,
    )
    params = experiment.params_dict()
    if params.get("corpus") is None:
        return []
    own = _own_data(experiment, params)
    if own:
        say(f"not prepared, because {own} names other data")
        return []
    data_path = data_folder(command.data_path, environ)
    own_tokenizer = _set_by_user(experiment, "model.hf_assets_path")
    settings = _settings(experiment, params)
    corpus = prepare_corpus(settings, data_path, tokenizer=not own_tokenizer)
    if corpus.reused:
        say(f"{corpus.folder} is up to date")
    _check_share(experiment, params, corpus.documents, environ)
    lines = [f"extra.training.dataset={LOCAL_DATASET}", f"extra.training.dataset_path={corpus.text}"]
    if corpus.tokenizer is not None:
        lines.append(f"extra.model.hf_assets_path={corpus.tokenizer}")
    if corpus.held_out is not None:
        lines += [f"extra.validation.dataset={LOCAL_DATASET}", f"extra.validation.dataset_path={corpus.held_out}"]
    return lines


def main(argv: Sequence[str]) -> int:
    """Run the hook and return its exit status.

    Args:
        argv: The words after ``train pretrain``.
    """
    from primus.core.errors import PrimusError

    try:
        lines = corpus_lines(argv, os.environ)
    except PrimusError as error:
        sys.stderr.write("".join(f"[primus] {line}\n" for line in error.lines()))
        return error.exit_status
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0


def _settings(experiment: Experiment, params: Mapping[str, Any]) -> CorpusSettings:
    corpus = params["corpus"]
    place = experiment.origin_of("corpus").place
    if not isinstance(corpus, Mapping):
        raise ConfigError(f"{place}: corpus wants a section, got {corpus!r}", "write corpus: {} for the default")
    try:
        return CorpusSettings.from_mapping(corpus)
    except ConfigError as error:
        raise ConfigError(f"{place}: {error.message}", error.hint, key=error.key) from None


def _check_share(experiment: Experiment, params: Mapping[str, Any], documents: int, environ: Mapping[str, str]) -> None:
    """Refuse a corpus that leaves a data-parallel rank without a document; TorchTitan would fail in that rank.

    Raises:
        ConfigError: There are fewer documents than data-parallel ranks.
    """
    ranks = int(environ.get("NNODES") or 1) * int(environ.get("GPUS_PER_NODE") or 1)
    for kind in ("tensor", "context", "pipeline"):
        ranks //= max(int(setting(params, f"parallelism.{kind}_parallel_degree")), 1)
    if documents < ranks:
        place = experiment.origin_of("corpus").place
        raise ConfigError(
            f"{place}: corpus has {documents} document{'s' if documents > 1 else ''} for {ranks} data-parallel ranks",
            "name more text in corpus.files, or start fewer ranks with --nproc",
            key="corpus",
        )


def _own_data(experiment: Experiment, params: Mapping[str, Any]) -> str:
    """Return what names the user's own data, with its place; empty where nothing does."""
    training = params.get("training") or {}
    if training.get("dataset_path"):
        return f"training.dataset_path ({experiment.origin_of('training.dataset_path').place})"
    if training.get("dataset", LOCAL_DATASET) != LOCAL_DATASET and _set_by_user(experiment, "training.dataset"):
        return f"training.dataset ({experiment.origin_of('training.dataset').place})"
    return ""


def _set_by_user(experiment: Experiment, key: str) -> bool:
    """Tell whether a value stands above the presets."""
    node = experiment.params.find(key)
    return node is not None and node.origin.layer in _USER_LAYERS
