"""``load_primus_config``: the published view of an experiment."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import SimpleNamespace

from primus.core.config.experiment import compose_experiment


def load_primus_config(
    config: str | os.PathLike[str],
    *,
    stage: str = "pretrain",
    overrides: Sequence[str] = (),
    hook_overrides: Sequence[str] = (),
    allow_unknown: bool = False,
) -> SimpleNamespace:
    """Return an experiment as a light namespace.

    ``work_group``, ``user_name``, ``exp_name``, ``workspace``, ``env``, ``modules`` (one namespace for each module,
    by name) and ``module_config`` (the one selected), which has ``name``, ``framework``, ``config``, ``model`` and
    ``params``.

    Args:
        config: The experiment file.
        stage: As for ``compose_experiment``, like the others.
        overrides: The user's overrides.
        hook_overrides: Overrides from hooks.
        allow_unknown: Warn about unknown keys.

    Raises:
        ConfigError: As for ``compose_experiment``.
    """
    experiment = compose_experiment(
        config, stage=stage, overrides=overrides, hook_overrides=hook_overrides, allow_unknown=allow_unknown
    )
    module = experiment.module_config()
    return SimpleNamespace(
        work_group=experiment.work_group,
        user_name=experiment.user_name,
        exp_name=experiment.exp_name,
        workspace=experiment.workspace,
        env=dict(experiment.env),
        modules=SimpleNamespace(**{module.name: module}),
        module_config=module,
    )
