"""``primus-cli patches list``: every registered patch, without running or importing any framework."""

from __future__ import annotations

import argparse
import json
import sys

from primus.core.backend.backend_registry import BackendRegistry
from primus.core.errors import PrimusError
from primus.core.patches import Patch, load_patches, registered_patches


def main(argv: list[str] | None = None) -> int:
    """Run the command and return its exit status.

    Args:
        argv: Arguments without the program's name; those of the process when omitted.
    """
    parser = argparse.ArgumentParser(prog="primus-cli patches", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("list", help="show the patches in the order in which they run")
    listing.add_argument("--framework", help="only this backend's")
    listing.add_argument("--json", action="store_true", help="for machines")
    args = parser.parse_args(argv)
    try:
        patches = find_patches(args.framework)
    except PrimusError as error:
        sys.stderr.write("".join(f"[primus] {line}\n" for line in error.lines()))
        return error.exit_status
    sys.stdout.write(_as_json(patches) if args.json else _as_text(patches))
    return 0


def find_patches(framework: str | None = None) -> list[Patch]:
    """Return the patches of one backend, or of all.

    Args:
        framework: Name of the backend; None for all.

    Raises:
        BackendNotFoundError: There is no such backend.
    """
    for name in [framework] if framework else BackendRegistry.list_backends():
        adapter = BackendRegistry.get_adapter(name)
        load_patches(type(adapter).__module__.rpartition(".")[0])
    return registered_patches(framework)


def _as_json(patches: list[Patch]) -> str:
    rows = [
        {
            "id": patch.id,
            "backend": patch.backend,
            "phase": patch.phase,
            "backend_version": patch.backend_version,
            "conditional": patch.condition is not None,
            "priority": patch.priority,
            "description": patch.description,
        }
        for patch in patches
    ]
    return json.dumps(rows, indent=2) + "\n"


def _as_text(patches: list[Patch]) -> str:
    lines = []
    for patch in sorted(patches, key=lambda patch: patch.backend):
        when = patch.phase + (f", {patch.backend} {patch.backend_version}" if patch.backend_version else "")
        lines.append(f"{patch.id}  ({when}{', conditional' if patch.condition else ''})\n")
        lines.append(f"    {patch.description}\n")
    return "".join(lines) or "no patches are registered\n"


if __name__ == "__main__":
    sys.exit(main())
