"""Which names and values look like secrets, and how they are shown."""

from __future__ import annotations

import re
from collections.abc import Mapping

MASK = "***"

# Token is a word of the trade as well: what follows are keys of models and data, not of accounts.
_HARMLESS_TOKEN = re.compile(
    r"(?:^|_)(?:bos|eos|pad|unk|sep|cls|mask|special|image|video|audio|vision|start|end|per|new|next|prefix|suffix"
    r"|middle|begin|system|user|assistant|think|tool|media|speech)_token$"
)
_SECRET_NAME = re.compile(
    r"(?:password|passwd|passphrase)$"
    r"|(?:^|_)(?:hf|hub|huggingface|api|access|auth|bearer|refresh|secret|github|gh|gitlab|slack|wandb)_tokens$"
    r"|(?:^|_)(?:token|secret|pwd|credentials?|apikey|auth|authorization|bearer|cookie|dsn"
    r"|(?:auth|authorization)_header|connection_?string"
    r"|(?:api|access|private|secret|auth|account|signing|encryption|storage|license)_?key(?:_id)?)$"
)
_SECRET_VALUE = re.compile(
    r"\bhf_[A-Za-z0-9]{16,}\b"
    r"|\bsk-[A-Za-z0-9_-]{16,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}\b"
    r"|\bgithub_pat_[A-Za-z0-9_]{20,}\b"
    r"|\bglpat-[A-Za-z0-9_-]{16,}"
    r"|\bxox[abeprs]-[A-Za-z0-9-]{10,}"
    r"|\bA(?:KI|SI)A[A-Z0-9]{16}\b"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"
    r"|(?<=\bBearer )[A-Za-z0-9._~+/=-]{16,}"
    r"|(?<=\bhooks\.slack\.com/)(?:services|workflows|triggers)/[A-Za-z0-9/_-]+"
    r"|(?<=\bAccountKey=)[A-Za-z0-9+/=]{16,}"
    r"|(?<=://)[^/@\s:]*:[^/@\s]+(?=@)"
)
# Variables, not keys: "mytoken" in lower case may be one of a vocabulary.
_RUN_TOGETHER = re.compile(r"[A-Z0-9_]*TOKEN")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_INDEX = re.compile(r"\[[0-9]+\]")
_LEAST_VALUE = 6


def looks_secret_name(name: str) -> bool:
    """Tell whether a name is one that secrets have, as ``HF_TOKEN`` or ``wandb.api_key``.

    Args:
        name: Name of an environment variable, or a dotted key.
    """
    last = _CAMEL.sub("_", _INDEX.sub("", name.rpartition(".")[2])).lower().replace("-", "_")
    if _HARMLESS_TOKEN.search(last) and name != name.upper():
        return False
    return _SECRET_NAME.search(last) is not None or _RUN_TOGETHER.fullmatch(name) is not None


def looks_secret_value(value: str) -> bool:
    """Tell whether a text holds something in the form of a known kind of secret.

    Args:
        value: Any text.
    """
    return _SECRET_VALUE.search(value) is not None


def looks_secret(name: str, value: str, source: str | None = None) -> bool:
    """Tell whether a value must not be shown.

    Args:
        name: Its name or dotted key.
        value: Its text.
        source: What was written, where variables were filled in; a secret variable makes a secret.
    """
    if any(looks_secret_name(part) for part in name.split(".")) or looks_secret_value(value):
        return True
    return source is not None and any(looks_secret_name(variable) for variable in _VARIABLE.findall(source))


def mask_value(name: str, value: str, source: str | None = None) -> str:
    """Return a value fit to be shown.

    Args:
        name: Its name or dotted key.
        value: Its text.
        source: As for ``looks_secret``.
    """
    return MASK if value and looks_secret(name, value, source) else value


def mask_text(text: str, environ: Mapping[str, str] | None = None) -> str:
    """Return a text with everything in it hidden that looks like a secret.

    Args:
        text: Any text, such as a command line or a message.
        environ: Variables; the values of those with secret names are hidden too.
    """
    for name, value in (environ or {}).items():
        if len(value) >= _LEAST_VALUE and looks_secret_name(name):
            text = text.replace(value, MASK)
    return _SECRET_VALUE.sub(MASK, text)
