"""The same records tell the same story: what is judged does not hang on the order in which a set is walked."""

from __future__ import annotations

import os
import subprocess
import sys

_JUDGED = """
from anamnesis_lsp.readings import opening, reasons
words = "retry queue backoff lock timeout worker signal drain flush batch window jitter budget cancel".split()
sought = {word: 0.1 / (index + 3) for index, word in enumerate(words)}
unit = "Because " + " ".join(words) + "."
many = " ".join(f"word{number}" for number in range(200))
print(repr(reasons.why(unit, sought)), opening.sought_words([(many, 1.0)]))
"""


def test_what_is_judged_is_the_same_under_every_hash_seed() -> None:
    judged = {
        subprocess.run(
            [sys.executable, "-c", _JUDGED],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(6)
    }
    assert len(judged) == 1
