"""docs/contracts.md says what the code does: each of its tables is compared with it."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from primus.core import errors
from primus.core.backend.backend_adapter import BackendAdapter
from primus.core.backend.backend_registry import ENTRY_POINT_GROUP
from primus.core.patches import PHASES
from primus.core.trainer.base_trainer import BaseTrainer

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "contracts.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """Return the text of a section, with the sections below it."""
    level = title.index(" ")
    start = PAGE.index(f"\n{title}\n")
    end = re.compile(rf"^#{{2,{level}}} ", re.MULTILINE).search(PAGE, start + len(title) + 2)
    return PAGE[start : end.start() if end else None]


def rows(title: str, header: str) -> dict[str, str]:
    """Return the first two columns of the table below a title that has a header cell, without backquotes."""
    found = re.search(rf"^\| {re.escape(header)} \|.*\n\|[-|]+\n((?:\|.*\n)+)", section(title), re.MULTILINE)
    assert found, f"no table {header!r} below {title!r}"
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in found[1].splitlines()]
    names = [row[0].strip("`") for row in cells]
    assert len(names) == len(set(names)), f"a row stands twice in {header!r}"
    return {row[0].strip("`"): row[1] for row in cells}


def quoted(text: str) -> list[str]:
    """Return what stands in backquotes."""
    return re.findall(r"`([^`]+)`", text)


def sources(*places: str) -> Iterator[str]:
    """Yield the texts of the project's own files in some places."""
    for place in places:
        path = ROOT / place
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts:
                yield file.read_text(encoding="utf-8", errors="replace")


def names_in(pattern: str, *places: str) -> set[str]:
    """Return the variables in the project's files whose names match; ``NAME_*`` is none."""
    word = re.compile(rf"(?<![A-Za-z0-9_])(?:{pattern})[A-Z0-9_]*(?<!_)(?![A-Za-z0-9_])")
    return {name for text in sources(*places) for name in word.findall(text)}


def documented_variables() -> set[str]:
    """Return the variables of all tables about the environment."""
    titles = re.findall(r"^### .*$", section("## Environment"), re.MULTILINE)
    return {name for title in titles for name in rows(title, "Variable")}


def test_every_variable_of_ours_is_in_a_table_and_the_other_way_round() -> None:
    used = names_in("PRIMUS_", "primus-cli", "runner", "primus", "examples")
    assert used == {name for name in documented_variables() if name.startswith("PRIMUS_")}


def test_every_variable_that_is_read_from_slurm_is_in_the_table() -> None:
    assert names_in("SLURMD?_", "runner", "primus") == set(rows("### Read from Slurm", "Variable"))


def test_every_variable_that_stands_for_an_option_is_in_a_table() -> None:
    named = {name for text in sources("runner/commands") for name in re.findall(r"^#   .*\[([A-Z_]+)\]$", text, re.M)}
    assert named <= set(rows("### To be set by you", "Variable"))


def test_the_other_variables_of_the_tables_are_used() -> None:
    code = "\n".join(sources("runner", "primus"))
    assert [name for name in documented_variables() if not re.search(rf"\b{name}\b", code)] == []


def test_defaults_where_devices_are_there() -> None:
    set_by: dict[str, list[str]] = {}
    for file in sorted((ROOT / "runner" / "helpers" / "envs").iterdir()):
        for name in re.findall(r"^([A-Z_0-9]+)=", file.read_text(), re.MULTILINE):
            set_by.setdefault(name, []).append(file.stem)
    table = rows("### Defaults where devices are there", "Variable")
    assert {name: ", ".join(vendors) for name, vendors in set_by.items()} == table


def test_the_layers_of_the_environment_are_in_their_order() -> None:
    text = (ROOT / "runner" / "lib" / "env.sh").read_text()
    ranks = {name.strip('"'): int(rank) for name, rank in re.findall(r'\[("?[a-z-]+"?)\]=(\d+)', text)}
    assert quoted(rows("## Precedence", "What")["environment of a launch"]) == sorted(
        ranks, key=lambda name: ranks[name]
    )


def test_exit_statuses_are_those_of_shell_and_python() -> None:
    table = re.search(r"local -A table=\((.*)\)", (ROOT / "runner" / "lib" / "status.sh").read_text())
    assert table
    page = re.findall(r"^\| (\d+) \| ([a-z]*) ?\|", section("## Exit status"), re.MULTILINE)
    assert [(status, name) for name, status in re.findall(r"\[(\w+)\]=(\d+)", table[1])] == page[1:]
    assert page[0] == ("0", "")
    python = {name.removeprefix("EXIT_").lower(): str(value) for name, value in vars(errors).items() if "EXIT_" in name}
    assert python.items() <= {name: status for status, name in page}.items()
    assert {str(error.default_exit_status) for error in error_classes()} <= set(python.values())


def error_classes() -> list[type[errors.PrimusError]]:
    """Return the errors of Primus."""
    return [
        value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, errors.PrimusError)
    ]


def test_the_control_lines_are_those_that_the_launcher_takes() -> None:
    program = (ROOT / "runner" / "lib" / "hook_output.sh").read_text()
    taken = set(re.findall(r"line ~ /\^([a-z]+)\\\.\[", program))
    assert taken == {line.partition(".")[0] for line in rows("## Hooks", "Line")}


def test_folders_of_hooks_are_there() -> None:
    hooks = ROOT / "runner" / "helpers" / "hooks"
    folders = [
        folder for cell in rows("## Hooks", "Folder below `runner/helpers/hooks/`") for folder in cell.split("`, `")
    ]
    assert folders == [".", "train/pretrain/", "train/posttrain/", "train/<stage>/<framework>/"]
    assert (hooks / "train" / "pretrain" / "prepare_experiment.sh").is_file()
    assert (hooks / "train" / "posttrain" / "prepare_experiment.sh").is_file()


# What writes each file of a record, and the text there that names it.
RECORD = {
    "config.yaml": ("primus/core/runtime/train_runtime.py", '"config.yaml"'),
    "logs/rank-00000.log": ("primus/torchrun.py", 'f"rank-{rank:05d}.log"'),
    "logs/rank-00000.sink.log": ("primus/core/runtime/log_setup.py", 'f"rank-{env.rank:05d}.sink.log"'),
    "metrics.jsonl": ("primus/backends/torchtitan/patches/step_metrics.py", '"metrics.jsonl"'),
    "slurm/": ("runner/lib/slurm_record.sh", "/slurm"),
}


def test_the_files_of_a_record() -> None:
    assert set(rows("## A run's record", "Path")) == set(RECORD)
    for file, text in RECORD.values():
        assert text in (ROOT / file).read_text(), file


def test_the_fields_of_a_step() -> None:
    from primus.backends.torchtitan.step_report import StepReport

    assert list(rows("## A run's record", "Field")) == [field.name for field in dataclasses.fields(StepReport)]


def public_functions() -> set[str]:
    """Return the shell functions that are documented in the public form, which ends with an example."""
    found = set()
    for text in sources("runner/lib", "runner/site.sh", "runner/helpers/execute_hooks.sh"):
        for comment, name in re.findall(r"((?:^#.*\n)+)^([a-z_0-9]+)\(\) [({]", text, re.MULTILINE):
            if "# Example:" in comment and not name.startswith("_"):
                found.add(name)
    return found


def test_public_shell_functions() -> None:
    listed = [
        name for name in quoted(section("## Shell functions")) if re.fullmatch(r"(primus|execute)_[a-z_0-9]+", name)
    ]
    assert listed == sorted(public_functions())
    script = 'source "$1/runner/site.sh"; shift; declare -F "$@" >/dev/null'
    subprocess.run(["bash", "-c", script, "bash", ROOT, *listed], check=True)


def test_public_functions_have_the_fixed_form() -> None:
    for text in sources("runner/lib", "runner/helpers/execute_hooks.sh"):
        for comment, name in re.findall(r"((?:^#.*\n)+)^([a-z_0-9]+)\(\) [({]", text, re.MULTILINE):
            if name in public_functions():
                labels = re.findall(r"^# ([A-Z][a-z]+):", comment, re.MULTILINE)
                assert [label for label in labels if label != "Streams"] == ["Usage", "Does", "Status", "Example"], name


PYTHON = {module: quoted(names) for module, names in rows("## Python", "Module").items()}


@pytest.mark.parametrize("module", PYTHON)
def test_python_names(module: str) -> None:
    imported = importlib.import_module(module)
    own = [
        name
        for name, value in vars(imported).items()
        if not name.startswith("_") and inspect.getmodule(value) is imported and callable(value)
    ]
    # Their other names are not for outsiders.
    if module.startswith(("primus.core.runtime", "primus.core.backend", "primus.core.trainer")):
        assert set(PYTHON[module]) <= set(own)
    else:
        assert sorted(PYTHON[module]) == sorted(getattr(imported, "__all__", own))


def test_members_of_the_base_classes() -> None:
    table = rows("## Python", "Class")
    for base in (BackendAdapter, BaseTrainer):
        assert quoted(table[base.__name__]) == [name for name in vars(base) if not name.startswith("_")]


def test_phases_and_the_entry_point_group() -> None:
    last = section("## Python").rstrip().rpartition("\n\n")[2]
    assert quoted(last) == [ENTRY_POINT_GROUP, *PHASES]


def test_importing_what_is_public_imports_no_framework() -> None:
    code = (
        "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]];"
        "sys.exit(bool({'torch', 'jax', 'torchtitan', 'tokenizers'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code, *PYTHON], cwd=ROOT, check=True)
