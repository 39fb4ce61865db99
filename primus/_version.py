"""The version of Primus."""

from pathlib import Path


def primus_version() -> str:
    """Return the version: of the checkout's VERSION file, else of the installed distribution."""
    file = Path(__file__).resolve().parent.parent / "VERSION"
    if file.is_file():
        return file.read_text(encoding="utf-8").strip()
    # Imported late: it costs more than the rest of a quick command.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("primus")
    except PackageNotFoundError:
        return "unknown"
