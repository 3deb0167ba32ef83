"""Which block of an older text a block comes from.

Inside a file, the first rule that answers: same name and same text; same identity, whatever the likeness; same name
with other parameters or another scope; another name by likeness; a body handed over by a function that lives on.
Between files: a block that is gone from where it was. Thresholds lie in the middle of wide plateaus measured on Java
and Python histories.
"""

from __future__ import annotations

from dataclasses import dataclass

from .blocks import Block, Scan

RENAMED = 0.60
RENAMED_SHORT = 0.65
SHORT = 24
"""Tokens below which a block is short, and :data:`RENAMED_SHORT` holds."""
SAME_NAME = 0.30
"""Likeness that blocks of one name need, where their parameters differ or there are several."""
HANDED_OVER = 0.30
"""How much closer to the old text the new block must be than what the old block became."""
ELSEWHERE_SAME_NAME = 0.50
ELSEWHERE = 0.80
COPIED = 0.90


@dataclass(frozen=True, slots=True)
class Ancestor:
    """The older block and how sure that is, 0 to 1."""

    block: Block
    confidence: float


def in_file(block: Block, new: Scan, old: Scan) -> Ancestor | None:
    """The block of ``old`` that became ``block`` of ``new``; ``None`` when it is new in this file."""
    return (
        _same_text(block, new, old)
        or _same_identity(block, new, old)
        or _same_name(block, new, old)
        or _renamed(block, new, old)
        or _handed_over(block, new, old)
    )


def _same_text(block: Block, new: Scan, old: Scan) -> Ancestor | None:
    text = new.text(block)
    equals = [b for b in old.by_name.get(block.name, ()) if b.is_function == block.is_function and old.text(b) == text]
    if not equals:
        return None
    peers = [b for b in new.by_name[block.name] if new.text(b) == text]
    same = [b for b in equals if b.identity == block.identity]
    if len(same) == 1:
        return Ancestor(same[0], 1.0)
    index = peers.index(block)
    return Ancestor(equals[min(index, len(equals) - 1)], 1.0 if len(equals) == len(peers) else 0.9)


def _same_identity(block: Block, new: Scan, old: Scan) -> Ancestor | None:
    equals = old.by_identity.get(block.identity)
    if not equals:
        return None
    peers = new.by_identity[block.identity]
    if len(equals) == len(peers):
        chosen = equals[peers.index(block)]
    else:
        chosen = max(equals, key=lambda b: old.likeness(b, new.code(block)))
    return Ancestor(chosen, 0.7 + 0.3 * old.likeness(chosen, new.code(block)))


def _same_name(block: Block, new: Scan, old: Scan) -> Ancestor | None:
    heirs = [
        b for b in new.by_name[block.name] if b.identity not in old.by_identity and b.is_function == block.is_function
    ]
    forebears = [
        b
        for b in old.by_name.get(block.name, ())
        if b.identity not in new.by_identity and b.is_function == block.is_function
    ]
    if not forebears:
        return None
    scored = sorted(
        (
            (_nearness(h, f, old.likeness(f, new.code(h))), i, j)
            for i, h in enumerate(heirs)
            for j, f in enumerate(forebears)
        ),
        key=lambda entry: (-entry[0], entry[1], entry[2]),
    )
    sure = len(heirs) == len(forebears) == 1 and heirs[0].parameters == forebears[0].parameters
    taken_heirs: set[int] = set()
    taken_forebears: set[int] = set()
    for score, i, j in scored:
        if i in taken_heirs or j in taken_forebears or (score < SAME_NAME and not sure):
            continue
        taken_heirs.add(i)
        taken_forebears.add(j)
        if heirs[i] == block:
            return Ancestor(forebears[j], 0.5 + 0.45 * old.likeness(forebears[j], new.code(block)))
    return None


def _nearness(heir: Block, forebear: Block, likeness: float) -> float:
    return likeness + (0.1 if heir.scope == forebear.scope else 0.0)


def _threshold(code: tuple[str, ...]) -> float:
    return RENAMED_SHORT if len(code) < SHORT else RENAMED


def _renamed(block: Block, new: Scan, old: Scan) -> Ancestor | None:
    code = new.code(block)
    best, score = None, _threshold(code)
    for candidate in old.blocks:
        if candidate.is_function != block.is_function or candidate.identity in new.by_identity:
            continue
        likeness = old.likeness(candidate, code)
        if likeness >= score and (best is None or likeness > score):
            best, score = candidate, likeness
    if best is None:
        return None
    for rival in new.blocks:
        if rival == block or rival.is_function != block.is_function or rival.identity in old.by_identity:
            continue
        if old.likeness(best, new.code(rival)) > score:
            return None
    return Ancestor(best, 0.9 * score)


def _handed_over(block: Block, new: Scan, old: Scan) -> Ancestor | None:
    code = new.code(block)
    best, score = None, _threshold(code)
    for candidate in old.blocks:
        if candidate.is_function != block.is_function:
            continue
        living = new.by_identity.get(candidate.identity)
        if not living or living[0] == block or new.text(living[0]) == old.text(candidate):
            continue
        likeness = old.likeness(candidate, code)
        if likeness < score or (best is not None and likeness <= score):
            continue
        if likeness - old.likeness(candidate, new.code(living[0])) >= HANDED_OVER:
            best, score = candidate, likeness
    return Ancestor(best, 0.8 * score) if best is not None else None


def gone_elsewhere(block: Block, code: tuple[str, ...], old: Scan, now: Scan | None, any_name: bool) -> Ancestor | None:
    """The block of another file's older text that is gone from it (``now``: the file after, ``None`` when deleted)
    and is like ``block``.

    Blocks of the same name need a likeness of 0.5, others (only when ``any_name``) 0.8.
    """
    best: Ancestor | None = None
    for candidate in old.blocks if any_name else old.by_name.get(block.name, ()):
        if candidate.is_function != block.is_function:
            continue
        if now is not None and candidate.identity in now.by_identity:
            continue
        least = ELSEWHERE_SAME_NAME if candidate.name == block.name else ELSEWHERE
        likeness = old.likeness(candidate, code)
        if likeness >= least and (best is None or likeness > best.confidence):
            best = Ancestor(candidate, likeness)
    return best


def copied_from(block: Block, code: tuple[str, ...], old: Scan) -> Ancestor | None:
    """A block that lives on and is nearly the same (likeness 0.9, 24 tokens or more): what ``block`` was copied
    from."""
    if len(code) < SHORT:
        return None
    alike = [(old.likeness(b, code), b) for b in old.blocks if b.is_function == block.is_function]
    score, found = max(alike, key=lambda pair: pair[0], default=(0.0, None))
    return Ancestor(found, score) if found is not None and score >= COPIED else None
