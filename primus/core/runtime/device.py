"""Which kind of device a run uses."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping

VISIBLE_DEVICES = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")


def host_has_accelerator(environ: Mapping[str, str] | None = None, dev: str = "/dev") -> bool:
    """Tell whether an NVIDIA or AMD device is there and not hidden by a visible-devices variable.

    Args:
        environ: Environment to read; the process's own when omitted.
        dev: Folder of device files.
    """
    source = os.environ if environ is None else environ
    if any(name in source and source[name].strip() in ("", "-1") for name in VISIBLE_DEVICES):
        return False
    return bool(glob.glob(f"{glob.escape(dev)}/nvidia[0-9]*")) or os.path.exists(f"{dev}/kfd")


def choose_device(wanted: str | None) -> str:
    """Return the device kind: the one asked for, else ``cpu`` on a host without accelerator, else ``cuda``.

    Args:
        wanted: The experiment's ``device``; None or ``auto`` leaves the choice to the host.
    """
    if wanted and wanted != "auto":
        return wanted
    return "cuda" if host_has_accelerator() else "cpu"
