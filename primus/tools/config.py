"""``primus-cli config``: show, explain, check and compare experiments without starting anything."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence

from primus.core.errors import EXIT_ENVIRONMENT, ConfigError, PrimusError

_COMMON = """\
Options:
  --stage pretrain|posttrain  which module; by default the one the file has
  --allow-unknown             warn about unknown keys instead of refusing them
  --backend_path FOLDER       take the framework's version from here
The other options of a launch are taken and do nothing: --data_path, --debug, --export_config.
Everything else with a dash or an equals sign overrides a key, as for a launch: --training.steps 5, training.steps=5.
"""

HELP = {
    "": """\
Usage: primus-cli config COMMAND [ARGUMENTS]

Show, explain, check and compare experiments without starting anything.

  show     the resolved experiment, with the origin of every value
  explain  one key: value, origin, what it replaced, type, default, description
  check    experiments for mistakes, for continuous integration
  diff     the resolved values of two experiments
  new      a commented experiment to start from
  schema   a JSON Schema of the experiment file, for editors

Each takes --help. Exit status: 0 success; 1 diff --exit-code found differences; 2 usage or configuration;
3 the environment lacks something.
""",
    "show": f"""\
Usage: primus-cli config show --config FILE [--format yaml|json] [--only KEY] [OPTIONS] [OVERRIDES]

Print the resolved experiment. As YAML it can be launched again; comments tell where each value was set and what it
replaced. Secrets are hidden.

  --config FILE       the experiment
  --format yaml|json  yaml by default
  --only KEY          print the value of one dotted key, or one section
{_COMMON}""",
    "explain": f"""\
Usage: primus-cli config explain --config FILE KEY [OPTIONS] [OVERRIDES]

Tell a key's value, where it was set, what it replaced, its type, default and description.

  --config FILE  the experiment
{_COMMON}""",
    "check": f"""\
Usage: primus-cli config check FILE|GLOB... [--nnodes N] [--nproc-per-node M] [OPTIONS] [OVERRIDES]

Check experiments. With a number of processes, check too that parallel degrees and batch sizes fit it.

  --config FILE       the same as a bare FILE
  --nnodes N          nodes of the job
  --nproc-per-node M  processes on each
{_COMMON}""",
    "diff": f"""\
Usage: primus-cli config diff FILE FILE [--exit-code] [OPTIONS] [OVERRIDES]

Print the keys whose resolved values differ, with both places. Overrides apply to both files.

  --config FILE  the same as a bare FILE
  --exit-code    exit with 1 when they differ
{_COMMON}""",
    "new": """\
Usage: primus-cli config new --framework NAME --model PRESET [--preset PRESET] [--output FILE [--force]]

Write a commented experiment to start from; it passes check.

  --framework NAME  the backend
  --model PRESET    a model preset
  --preset PRESET   a module preset; the one for pre-training by default
  --output FILE     where to write; standard output by default
  --force           overwrite the file
""",
    "schema": """\
Usage: primus-cli config schema --config FILE | --framework NAME [--output FILE [--force]]

Write a JSON Schema of experiment files. Editors that speak the YAML language server complete and check keys when
the experiment starts with:  # yaml-language-server: $schema=PATH

  --config FILE     take the framework that this experiment names
  --framework NAME  take this one
  --output FILE     where to write; standard output by default
  --force           overwrite a file that is no such schema
  --stage NAME      which module of the experiment; by default the one the file has
""",
}

_VALUE_OPTIONS = {
    "show": ("config", "format", "only", "stage"),
    "explain": ("config", "stage"),
    "check": ("config", "stage", "nnodes", "nproc_per_node"),
    "diff": ("config", "stage"),
    "new": ("framework", "model", "preset", "output"),
    "schema": ("config", "framework", "output", "stage"),
}
_FLAG_OPTIONS = {"diff": ("exit_code",), "new": ("force",), "schema": ("force",)}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    Args:
        argv: Arguments without the program's name; those of the process when omitted.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # YAML and JSON are UTF-8 in any locale, and a file's name may be any bytes.
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        return _run(words)
    except PrimusError as error:
        _report(error)
        return error.exit_status
    except BrokenPipeError:
        # The reader has seen enough; Python would complain once more while closing the stream.
        sys.stderr.close()
        return 0
    except ModuleNotFoundError as error:
        if error.name not in ("yaml", "packaging"):
            raise
        sys.stderr.write(f"[primus] ERROR {sys.executable} has no module {error.name!r}\n")
        sys.stderr.write(f"{sys.executable} -m pip install pyyaml packaging\n")
        return EXIT_ENVIRONMENT


def _run(words: list[str]) -> int:
    from primus.core.config.command_line import FLAG_OPTIONS, VALUE_OPTIONS
    from primus.tools import config_commands

    name = words[0] if words else ""
    if name in ("", "-h", "--help", "help"):
        sys.stdout.write(HELP[""])
        return 0
    if name not in HELP:
        from primus.core.config.nearest import nearest_name

        best = nearest_name(name, [known for known in HELP if known])
        near = f" (did you mean {best}?)" if best else ""
        raise ConfigError(f"config: unknown command {name!r}{near}", "primus-cli config --help lists them")
    before_overrides = words[1 : words.index("--")] if "--" in words else words[1:]
    if "--help" in before_overrides or "-h" in before_overrides:
        sys.stdout.write(HELP[name])
        return 0
    command: Callable[[config_commands.Request], int] = getattr(config_commands, name)
    values, flags = _VALUE_OPTIONS[name], (*_FLAG_OPTIONS.get(name, ()), "allow_unknown")
    if name != "new":
        values, flags = (*values, *VALUE_OPTIONS), (*flags, *FLAG_OPTIONS)
    return command(config_commands.read_request(name, words[1:], values, flags))


def _report(error: PrimusError) -> None:
    sys.stderr.write("[primus] ERROR " + "\n".join(error.lines()) + "\n")


if __name__ == "__main__":
    sys.exit(main())
