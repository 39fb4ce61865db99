"""``extends:``: files under a file. Earlier entries first, the file itself last."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from primus.core.config.merging import merge
from primus.core.config.nodes import MappingNode, Node, ScalarNode, SequenceNode, empty_mapping
from primus.core.config.origin import Origin
from primus.core.config.paths import absolute, exists, real_path, shown_path
from primus.core.config.substitution import substitute_scalar
from primus.core.config.yaml_reader import read_yaml
from primus.core.errors import ConfigError

KEY = "extends"


class FileLoader:
    """Read files with everything they extend, each file once.

    Args:
        layer: What the files are to the experiment.
        environ: Variables for ``${VAR}`` in ``extends:`` entries.
        fallback_folders: Where entries are looked for that are not beside their file.
    """

    def __init__(self, layer: str, environ: Mapping[str, str], fallback_folders: Sequence[Path] = ()) -> None:
        self._layer = layer
        self._environ = environ
        self._fallback_folders = tuple(fallback_folders)
        self._loaded: dict[str, MappingNode] = {}
        self._open: list[str] = []

    def load(self, path: str | os.PathLike[str]) -> MappingNode:
        """Return a file's section on top of all it extends, without the key ``extends``.

        Args:
            path: The file.

        Raises:
            ConfigError: A file is missing, malformed, no section, or extends itself.
        """
        identity = real_path(path)
        if identity in self._loaded:
            return self._loaded[identity]
        self._open.append(identity)
        node = read_yaml(path, self._layer)
        own = self._section(node, os.fspath(path))
        result = empty_mapping()
        for entry in self._entries(own):
            result = merge(result, self.load(self._target(entry)))
        items = {key: item for key, item in own.items.items() if key != KEY}
        result = merge(result, MappingNode(items, own.origin))
        self._open.pop()
        self._loaded[identity] = result
        return result

    def _section(self, node: Node | None, path: str) -> MappingNode:
        shown = shown_path(absolute(path))
        if isinstance(node, MappingNode):
            return node
        if node is None:
            if self._layer == "experiment" and len(self._open) == 1:
                raise ConfigError(f"{shown} is empty", "write modules: and under it pre_trainer:", path)
            return empty_mapping(Origin(str(absolute(path)), 1, 1, self._layer))
        what = "a list" if isinstance(node, SequenceNode) else "one value"
        raise ConfigError(
            f"{shown}:{node.origin.line}: the file holds {what}, not 'key: value' lines",
            "write key: value lines",
            path,
            node.origin.line,
        )

    def _entries(self, own: MappingNode) -> list[ScalarNode]:
        node = own.items.get(KEY)
        if node is None or (isinstance(node, ScalarNode) and node.value is None):
            return []
        entries = node.items if isinstance(node, SequenceNode) else [node]
        result = []
        for entry in entries:
            if not isinstance(entry, ScalarNode) or not entry.text or entry.value is None:
                raise self._error(entry, "extends: wants a file name or a list of them", "write extends: base.yaml")
            result.append(substitute_scalar(entry, self._environ, KEY))
        return result

    def _target(self, entry: ScalarNode) -> Path:
        beside = Path(entry.origin.file).parent
        candidates = [absolute(entry.text, folder) for folder in (beside, *self._fallback_folders)]
        for candidate in candidates:
            if not exists(candidate):
                continue
            identity = real_path(candidate)
            if identity in self._open:
                chain = [*self._open[self._open.index(identity) :], identity]
                files = " -> ".join(shown_path(file) for file in chain)
                raise self._error(entry, f"extends: goes in a circle: {files}", "take one of them out")
            if len(self._open) > MAX_CHAIN:
                raise self._error(entry, f"extends: more than {MAX_CHAIN} files deep", "flatten the chain")
            return candidate
        folders = sorted({shown_path(candidate.parent) for candidate in candidates})
        raise self._error(
            entry, f"extends: {entry.text} not found in {' or '.join(folders)}", "the name is relative to the file"
        )

    def _error(self, node: Node, what: str, hint: str) -> ConfigError:
        origin = node.origin
        return ConfigError(f"{origin.place}: {what}", hint, origin.file, origin.line, KEY)


MAX_CHAIN = 100
