"""A rename that is staged and not committed: the name the file has in the last commit.

git is not asked to compare (that would hand it the working tree's attributes): the index is listed, the tree is listed,
and the files that only one of them has are compared by us.
"""

from __future__ import annotations

from collections.abc import Mapping

from rapidfuzz.distance import LCSseq

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.git.objects import ObjectStore

SIMILAR = 0.5
"""Share of equal lines from which a removed file is taken for the old name, as git's ``-M50%``."""
_MOST_COMPARED = 200
_LARGEST = 1 << 20


def staged_origin(
    objects: ObjectStore, index: Mapping[str, str], tree: Mapping[str, str], path: str, cancel: CancelToken
) -> tuple[str, float] | None:
    """The old name of ``path`` and how similar it is (0 to 1). ``index`` and ``tree`` are blob ids by path."""
    blob = index.get(path)
    if blob is None or path in tree:
        return None
    gone = [name for name in tree if name not in index]
    exact = sorted((name for name in gone if tree[name] == blob), key=lambda name: _far(name, path))
    if exact:
        return exact[0], 1.0
    try:
        lines = objects.blob(blob, cancel, _LARGEST).split(b"\n")
    except AnamnesisError:
        return None
    best: tuple[str, float] | None = None
    for name in sorted(gone, key=lambda name: _far(name, path))[:_MOST_COMPARED]:
        cancel.check()
        try:
            other = objects.blob(tree[name], cancel, _LARGEST).split(b"\n")
        except AnamnesisError:
            continue
        if min(len(lines), len(other)) < SIMILAR * max(len(lines), len(other)):
            continue
        score = LCSseq.normalized_similarity(lines, other)
        if score >= SIMILAR and (best is None or score > best[1]):
            best = name, score
    return best


def _far(name: str, path: str) -> tuple[bool, bool, str]:
    """Smaller is nearer: the same file name, then the same folder."""
    folder, _, base = name.rpartition("/")
    own_folder, _, own_base = path.rpartition("/")
    return base != own_base, folder != own_folder, name
