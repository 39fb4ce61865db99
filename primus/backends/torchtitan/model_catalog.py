"""Models and flavours that a TorchTitan ships, read from its sources without importing them.

Importing takes seconds and needs torch; a mistyped flavour must be told before a launch, on any host.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ModelEntry:
    """What the sources say about one model.

    Attributes:
        flavors: Attention kind (``sdpa``, ``flex``, ``varlen``) by flavour.
        pipelining: The model supports pipeline parallelism.
        validation: The model has a validator.
    """

    flavors: dict[str, str]
    pipelining: bool
    validation: bool


def model_names(package: Path) -> list[str]:
    """Return the values that ``model.name`` may have; empty when the sources do not tell.

    Args:
        package: The folder ``torchtitan/``.
    """
    names: list[str] = []
    for part, variable in (("models", "_supported_models"), ("experiments", "_supported_experiments")):
        tree = _parse(package / part / "__init__.py")
        for node in tree.body if tree else []:
            if isinstance(node, ast.Assign) and any(_name(target) == variable for target in node.targets):
                names += [item.value for item in ast.walk(node.value) if _is_text(item)]  # type: ignore[attr-defined]
    return sorted(names)


def read_model(package: Path, name: str) -> ModelEntry | None:
    """Return what the sources say about a model; None when they cannot be read this way.

    Args:
        package: The folder ``torchtitan/``.
        name: A value of ``model.name``.
    """
    tree = _parse(package.joinpath("models", *name.split("."), "__init__.py"))
    spec = _train_spec(tree) if tree else None
    if tree is None or spec is None:
        return None
    flavors = _flavors(tree, _name(spec.get("model_args")))
    if not flavors:
        return None
    return ModelEntry(flavors, _is_given(spec.get("pipelining_fn")), _is_given(spec.get("build_validator_fn")))


def _parse(file: Path) -> ast.Module | None:
    try:
        return ast.parse(file.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return None


def _train_spec(tree: ast.Module) -> dict[str | None, ast.expr] | None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node.func) == "TrainSpec":
            return {keyword.arg: keyword.value for keyword in node.keywords}
    return None


def _flavors(tree: ast.Module, variable: str) -> dict[str, str]:
    for node in tree.body:
        if not (isinstance(node, ast.Assign) and any(_name(target) == variable for target in node.targets)):
            continue
        if isinstance(node.value, ast.Dict):
            return {
                key.value: _attention(value)  # type: ignore[union-attr]
                for key, value in zip(node.value.keys, node.value.values, strict=True)
                if _is_text(key)
            }
    return {}


def _attention(arguments: ast.expr) -> str:
    """Return the attention kind; before 0.2.1 a flavour said ``use_flex_attn=True``."""
    for keyword in arguments.keywords if isinstance(arguments, ast.Call) else []:
        if isinstance(keyword.value, ast.Constant):
            if keyword.arg == "attn_type":
                return str(keyword.value.value)
            if keyword.arg == "use_flex_attn" and keyword.value.value is True:
                return "flex"
    return "sdpa"


def _is_given(value: ast.expr | None) -> bool:
    return value is not None and not (isinstance(value, ast.Constant) and value.value is None)


def _is_text(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _name(node: ast.AST | None) -> str:
    return node.id if isinstance(node, ast.Name) else ""
