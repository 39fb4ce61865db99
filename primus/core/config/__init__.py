"""The experiment: read strictly, composed with the origin of every value, checked before anything starts."""

from primus.core.config.experiment import Experiment, compose_experiment
from primus.core.config.namespace import to_dict, to_namespace
from primus.core.config.owned_keys import OWNED_KEYS
from primus.core.config.primus_config import load_primus_config

__all__ = [
    "OWNED_KEYS",
    "Experiment",
    "compose_experiment",
    "load_primus_config",
    "to_dict",
    "to_namespace",
]
