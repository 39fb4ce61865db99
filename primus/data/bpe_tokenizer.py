"""A small byte-level BPE tokenizer, trained on a corpus, in the form that Hugging Face libraries read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from primus.core.errors import LaunchEnvironmentError

BEGIN = "<|begin_of_text|>"
END = "<|end_of_text|>"
TRAINING_BYTES = 16_000_000
"""Merges hardly change with more text, and training time grows with it."""


def train_tokenizer(texts: Iterator[str], vocab_size: int, folder: Path) -> int:
    """Train a tokenizer and write ``tokenizer.json`` and ``tokenizer_config.json``.

    Args:
        texts: Documents; as many as ``TRAINING_BYTES`` allows are used.
        vocab_size: Most tokens it may have, byte values and the two special ones included.
        folder: An existing folder for the files.

    Returns:
        How many tokens it has.

    Raises:
        LaunchEnvironmentError: The ``tokenizers`` library is missing.
    """
    try:
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    except ModuleNotFoundError as error:
        import shlex
        import sys

        raise LaunchEnvironmentError(
            f"corpus: {sys.executable} has no module {error.name!r}, which trains the tokenizer",
            f"{shlex.quote(sys.executable)} -m pip install tokenizers",
        ) from None
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[BEGIN, END],
        # All byte values: then every text has tokens, also one that is unlike the corpus.
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_first(texts, TRAINING_BYTES), trainer)
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": BEGIN, "eos_token": END}
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    return int(tokenizer.get_vocab_size())


def _first(texts: Iterator[str], limit: int) -> Iterator[str]:
    taken = 0
    for text in texts:
        yield text
        taken += len(text)
        if taken >= limit:
            return
