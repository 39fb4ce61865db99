"""TorchTitan, PyTorch's own trainer for large language models (https://github.com/pytorch/torchtitan)."""

from primus.backends.torchtitan.torchtitan_adapter import TorchTitanAdapter
from primus.core.backend.backend_registry import BackendRegistry

BackendRegistry.register_adapter("torchtitan", TorchTitanAdapter)
