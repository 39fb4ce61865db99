"""The core imports with the standard library, PyYAML and packaging alone."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]

IMPORT_ALL = """
import importlib, pkgutil, sys
import primus.core, primus.tools, primus.plan
for package in (primus.core, primus.tools):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
heavy = {"torch", "jax", "numpy", "torchtitan", "megatron", "transformers"} & set(sys.modules)
sys.exit("imported: " + ", ".join(sorted(heavy)) if heavy else 0)
"""


def test_neither_torch_nor_jax_comes_along():
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL], capture_output=True, text=True, env=environ, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")
