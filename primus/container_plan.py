"""What a host needs to know of an experiment before it starts a container: which folders the training will use.

``python -m primus.container_plan train pretrain --config FILE ...`` composes the experiment as the launch in the
container will, and writes NUL-terminated ``key=value`` records to standard output: ``writes`` for a folder that the
training fills, ``reads`` for a file that it reads, ``warning``. Mistakes end it with status 2. Whether keys are
known is left to the check in the container, whose framework may be another than this host's.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from primus.core.config.experiment import Experiment
    from primus.core.config.nodes import Node


def main(argv: Sequence[str] | None = None) -> int:
    """Write the records and return the exit status.

    Args:
        argv: The train command; that of the process when omitted.
    """
    try:
        from primus.core.errors import PrimusError

        try:
            records = container_plan(sys.argv[1:] if argv is None else argv, os.environ)
        except PrimusError as error:
            sys.stderr.write(f"[primus] ERROR {error.message}\n" + (f"[primus] {error.hint}\n" if error.hint else ""))
            return error.exit_status
    except ModuleNotFoundError as error:
        if error.name not in ("yaml", "packaging"):
            raise
        return 3
    sys.stdout.buffer.write("".join(f"{key}={value}\0" for key, value in records).encode(errors="surrogateescape"))
    sys.stdout.flush()
    return 0


def container_plan(argv: Sequence[str], environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the records.

    Args:
        argv: The train command.
        environ: The environment that the container will have.

    Raises:
        PrimusError: The experiment is wrong.
    """
    from primus.core.config.command_line import parse_train_command
    from primus.core.config.experiment import compose_experiment
    from primus.core.config.paths import data_folder

    command = parse_train_command(list(argv))
    experiment = compose_experiment(
        command.config, stage=command.stage, overrides=command.overrides, environ=environ, allow_unknown=True
    )
    data = data_folder(command.data_path, environ)
    records = [("writes", experiment.directory), ("writes", str(data))]
    records += [("reads", file) for file in sorted(_files(experiment))]
    if experiment.workspace.startswith("~"):
        records.append(("warning", f"workspace {experiment.workspace}: ~ is the home of the container's user"))
    return records


def _files(experiment: Experiment) -> set[str]:
    """Return the files that values come from, and what they link to."""
    files = {experiment.path}
    nodes: list[Node] = [experiment.params, experiment.fixed]
    while nodes:
        node = nodes.pop()
        if node.origin.line:
            files.add(node.origin.file)
        items = getattr(node, "items", ())
        nodes += items.values() if isinstance(items, Mapping) else items
        if node.replaced is not None:
            nodes.append(node.replaced)
    return files | {os.path.realpath(file) for file in files}


if __name__ == "__main__":
    sys.exit(main())
