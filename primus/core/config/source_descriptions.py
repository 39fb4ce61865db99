"""What a framework's source says about its keys, read at the moment somebody asks."""

from __future__ import annotations

import ast
import inspect
import os
from pathlib import Path


def read_descriptions(path: str | os.PathLike[str], root_class: str) -> dict[str, str]:
    """Return the texts that stand under the fields of dataclasses, by dotted key.

    Args:
        path: A Python file; it is parsed, never executed.
        root_class: The dataclass at the top; fields typed by a class of the same file are sections.
    """
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    found: dict[str, str] = {}
    if root_class in classes:
        _collect(classes[root_class], classes, "", found)
    return found


def _collect(node: ast.ClassDef, classes: dict[str, ast.ClassDef], prefix: str, found: dict[str, str]) -> None:
    for field, after in zip(node.body, [*node.body[1:], None], strict=False):
        if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
            continue
        key = prefix + field.target.id
        text = _text(after)
        if text:
            found[key] = text
        if isinstance(field.annotation, ast.Name) and field.annotation.id in classes:
            _collect(classes[field.annotation.id], classes, f"{key}.", found)


def _text(node: ast.stmt | None) -> str:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return inspect.cleandoc(node.value.value)
    return ""
