"""The commands of ``primus-cli config``, one function each."""

from __future__ import annotations

import glob
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from primus.core.config.command_line import STAGES, SortedWords, sort_words
from primus.core.config.compare import Difference, differences
from primus.core.config.dump import resolved_yaml, section_yaml, shown_json, shown_tree
from primus.core.config.experiment import Experiment, compose_experiment, framework_in, stages_in
from primus.core.config.explain import explain as explain_key
from primus.core.config.explain import value_text
from primus.core.config.framework_facts import check_fit, detect_version, require_framework
from primus.core.config.nodes import MappingNode, ScalarNode
from primus.core.config.origin import Origin
from primus.core.config.overrides import stray_word
from primus.core.config.paths import refuse_same_file
from primus.core.config.presets import default_configs_dir, list_presets
from primus.core.config.problems import Problem, ProblemsError
from primus.core.config.schema import load_schema
from primus.core.errors import EXIT_USAGE, ConfigError, PrimusError


@dataclass(frozen=True)
class Request:
    """What a command was asked.

    Attributes:
        name: The command's name.
        words: Options, flags, overrides and other words.
    """

    name: str
    words: SortedWords

    def need(self, option: str) -> str:
        """Return an option's value.

        Args:
            option: Its name, with underscores.

        Raises:
            ConfigError: It was not given.
        """
        value = self.words.last(option)
        if value is None:
            raise ConfigError(f"config {self.name}: no --{option}", f"primus-cli config {self.name} --help")
        return value

    def compose(self, path: str, stage: str | None = None) -> Experiment:
        """Return the composed experiment in a file, with the request's overrides.

        Args:
            path: The experiment file.
            stage: The stage; the one asked for or the file's own when omitted.

        Raises:
            PrimusError: The experiment is wrong.
        """
        return compose_experiment(
            path,
            stage=stage or self.words.last("stage") or stages_in(path)[0],
            overrides=self.words.overrides,
            allow_unknown=self.words.flags.get("allow_unknown", False),
            backend_path=self.words.last("backend_path"),
        )

    def no_positionals(self) -> None:
        """Refuse words that are neither options nor overrides.

        Raises:
            ConfigError: There is one.
        """
        if self.words.positionals:
            stray_word(self.words.positionals[0])


def read_request(name: str, words: Sequence[str], value_options: Sequence[str], flags: Sequence[str]) -> Request:
    """Take a command's arguments apart.

    Args:
        name: The command's name.
        words: Its arguments.
        value_options: Its options with a value, with underscores.
        flags: Its options without one.

    Raises:
        ConfigError: They are malformed.
    """
    sorted_words = sort_words(words, value_options, flags)
    stage = sorted_words.last("stage")
    if stage is not None and stage not in STAGES:
        raise ConfigError(f"config {name}: unknown stage {stage!r}", f"write --stage {' or --stage '.join(STAGES)}")
    return Request(name, sorted_words)


def show(request: Request) -> int:
    """Print the resolved experiment."""
    request.no_positionals()
    form = request.words.last("format") or "yaml"
    if form not in ("yaml", "json"):
        raise ConfigError(f"config show: unknown format {form!r}", "write --format yaml or --format json")
    experiment = request.compose(request.need("config"))
    _warn(experiment)
    only = request.words.last("only")
    if only is not None:
        node = experiment.find(only)
        if form == "json":
            text = json.dumps(shown_json(node, only), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        elif isinstance(node, MappingNode) and node.items:
            text = section_yaml(node, only)
        else:
            text = value_text(node, only) + "\n"
    elif form == "json":
        text = json.dumps(shown_tree(experiment), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    else:
        text = resolved_yaml(experiment)
    sys.stdout.write(text)
    return 0


def explain(request: Request) -> int:
    """Print where one key's value comes from."""
    keys = request.words.positionals
    if len(keys) != 1:
        given = "no key" if not keys else f"{len(keys)} keys"
        raise ConfigError(f"config explain: {given}", "write config explain --config FILE KEY")
    experiment = request.compose(request.need("config"))
    _warn(experiment)
    sys.stdout.write("\n".join(explain_key(experiment, keys[0], _descriptions(experiment.framework))) + "\n")
    return 0


def _descriptions(framework: str) -> dict[str, str]:
    """Return what the framework's source says about its keys; nothing where it is not installed."""
    from primus.core.config.source_descriptions import read_descriptions
    from primus.tools.schema import SOURCES, definition_file

    if framework not in SOURCES:
        return {}
    try:
        return read_descriptions(definition_file(framework), SOURCES[framework].root_class)
    except (PrimusError, OSError, SyntaxError):
        return {}


def check(request: Request) -> int:
    """Check experiments and print one line for each that is right."""
    files, unmatched = _files([*request.words.options.get("config", []), *request.words.positionals])
    world_size = _world_size(request)
    statuses: list[int] = []
    for pattern in unmatched:
        sys.stderr.write(f"[primus] ERROR config check: no file fits {pattern}\ncheck the pattern\n")
    for path in files:
        errors = _errors_in(request, path, world_size)
        for error in errors:
            lines = error.all_lines() if isinstance(error, ProblemsError) else error.lines()
            sys.stderr.write("[primus] ERROR " + "\n".join(lines) + "\n")
        if errors:
            statuses.append(max(error.exit_status for error in errors))
        else:
            sys.stdout.write(f"{path}: ok\n")
    if statuses and len(files) > 1:
        sys.stderr.write(f"[primus] ERROR {len(statuses)} of {len(files)} files are wrong\n")
    return max([*statuses, *([EXIT_USAGE] if unmatched else [])], default=0)


def _errors_in(request: Request, path: str, world_size: int | None) -> list[PrimusError]:
    """Return what is wrong with each module of a file, what they share once; print the warnings."""
    errors: list[PrimusError] = []
    problems: dict[Problem, None] = {}
    stage = request.words.last("stage")
    try:
        stages = [stage] if stage else stages_in(path)
    except PrimusError as error:
        return [error]
    for name in stages:
        try:
            experiment = request.compose(path, name)
            if world_size is not None:
                check_fit(experiment, world_size)
            _warn(experiment)
        except ProblemsError as error:
            problems.update(dict.fromkeys(error.problems))
        except PrimusError as error:
            if all(error.lines() != known.lines() for known in errors):
                errors.append(error)
    return [ProblemsError(list(problems)), *errors] if problems else errors


def _files(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the files that names, patterns and folders stand for, and the patterns that fit nothing."""
    found: list[str] = []
    unmatched: list[str] = []
    for name in names:
        matches = [name] if Path(name).exists() else sorted(glob.glob(name, recursive=True))
        if not matches and glob.has_magic(name):
            unmatched.append(name)
            continue
        for match in matches or [name]:
            found += _experiments_below(Path(match)) if Path(match).is_dir() else [match]
    if not found and not unmatched:
        raise ConfigError("config check: no file", "write config check FILE...")
    return list(dict.fromkeys(found)), unmatched


def _experiments_below(folder: Path) -> list[str]:
    paths = [path for path in folder.rglob("*") if path.suffix in (".yaml", ".yml") and path.is_file()]
    shown = [path for path in paths if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    return sorted(str(path) for path in shown)


def _world_size(request: Request) -> int | None:
    numbers = [request.words.last("nnodes"), request.words.last("nproc_per_node")]
    if numbers == [None, None]:
        return None
    product = 1
    for name, text in zip(("nnodes", "nproc-per-node"), numbers, strict=True):
        if text is not None and (not text.isascii() or not text.isdigit() or int(text) < 1):
            raise ConfigError(f"config check: --{name} wants a count, got {text!r}", f"write --{name} 8, or another")
        product *= int(text or 1)
    return product


def diff(request: Request) -> int:
    """Print what differs between two experiments."""
    files = [*request.words.options.get("config", []), *request.words.positionals]
    if len(files) != 2:
        raise ConfigError(f"config diff: {len(files)} files", "write config diff FILE FILE")
    found = list(_all_differences(request, *files))
    for difference in found:
        sys.stdout.write("\n".join(difference.lines()) + "\n")
    return 1 if found and request.words.flags.get("exit_code") else 0


def _all_differences(request: Request, left: str, right: str) -> Iterator[Difference]:
    """Yield what differs in the modules of two files; with several modules, keys tell theirs."""
    stage = request.words.last("stage")
    one, other = ([stage], [stage]) if stage else (stages_in(left), stages_in(right))
    if not set(one) & set(other):
        yield from differences(request.compose(left, one[0]), request.compose(right, other[0]))
        return
    stages = [name for name in STAGES if name in one or name in other]
    told: set[str] = set()
    for name in stages:
        first = request.compose(left, name) if name in one else None
        second = request.compose(right, name) if name in other else None
        for difference in differences(first, second, whole_keys=len(stages) > 1):
            if difference.key not in told:
                told.add(difference.key)
                yield difference


def new(request: Request) -> int:
    """Write an experiment to start from."""
    from primus.core.config.starter import starter

    _no_overrides(request)
    framework = request.need("framework")
    require_framework(_given("--framework", framework))
    schema = load_schema(framework, detect_version(framework))
    text = starter(framework, request.need("model"), request.words.last("preset"), default_configs_dir(), schema)
    _write(request, text, force=request.words.flags.get("force", False))
    return 0


def schema(request: Request) -> int:
    """Write the JSON Schema of experiment files."""
    from primus.core.config.experiment_schema import experiment_schema

    request.no_positionals()
    config = request.words.last("config")
    output = request.words.last("output")
    if config and output:
        refuse_same_file("--output", output, config)
    framework = framework_in(config, request.words.last("stage")) if config else request.words.last("framework")
    if framework is None:
        raise ConfigError("config schema: no --config and no --framework", "primus-cli config schema --help")
    require_framework(_given("--framework", framework))
    folders = {"config": default_configs_dir() / "modules", "model": default_configs_dir() / "models"}
    presets = {kind: list_presets(folder / framework) for kind, folder in folders.items()}
    document = experiment_schema(load_schema(framework, detect_version(framework)), framework, presets)
    force = request.words.flags.get("force", False) or (output is not None and _is_our_schema(output))
    _write(request, json.dumps(document, indent=1) + "\n", force=force)
    return 0


def _is_our_schema(path: str) -> bool:
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and str(document.get("title", "")).startswith("Primus experiment for ")


def _given(option: str, value: str) -> ScalarNode:
    return ScalarNode(value, value, True, Origin(f"command line: {option}", 0, 0, "command line"))


def _no_overrides(request: Request) -> None:
    request.no_positionals()
    if request.words.overrides:
        word = request.words.overrides[0].partition("=")[0]
        raise ConfigError(f"config {request.name}: unknown option {word}", f"primus-cli config {request.name} --help")


def _write(request: Request, text: str, *, force: bool) -> None:
    output = request.words.last("output")
    if output is None:
        sys.stdout.write(text)
        return
    path = Path(output)
    if path.exists() and not force:
        raise ConfigError(f"{output} exists", "add --force to overwrite it")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{output} cannot be written: {error.strerror}", "name another file") from None
    sys.stderr.write(f"[primus] wrote {output}\n")


def _warn(experiment: Experiment) -> None:
    for warning in experiment.warnings:
        sys.stderr.write(f"[primus] WARNING {warning}\n")
