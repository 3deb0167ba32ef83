"""What is told to be left alone without a diff is what git's diff leaves alone, repeated lines included."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from anamnesis_lsp.records.git.history.patches import parse_patch
from anamnesis_lsp.records.git.history.untouched import BORDER, MARGIN, Content, may_hold, shifted
from tests.builders.repos import hermetic

DIFF = ("diff", "--no-index", "-U0", "--no-renames", "--diff-algorithm=myers", "--indent-heuristic")


def content(lines: list[str]) -> Content:
    return Content("".join(f"{line}\n" for line in lines).encode())


def numbered(count: int) -> list[str]:
    return [f"line {n} of the text" for n in range(1, count + 1)]


def test_a_change_far_above_or_below_shifts_or_leaves_the_lines() -> None:
    old = numbered(300)
    new = [*old[:9], "in", "here", *old[9:]]
    assert shifted(content(new), content(old), 150, 160) == -2
    new = [*old[:280], "in", *old[285:]]
    assert shifted(content(new), content(old), 150, 160) == 0
    new = [*old[3:100], "x", *old[100:280], "in", *old[285:]]
    assert shifted(content(new), content(old), 150, 160) == 2


def test_a_change_in_the_lines_is_never_left_alone() -> None:
    old = numbered(300)
    for place in range(150, 161):
        for new in ([*old[: place - 1], "other", *old[place:]], [*old[: place - 1], *old[place:]]):
            assert shifted(content(new), content(old), 150, 160) is None


def test_a_block_that_was_moved_is_left_to_the_diff() -> None:
    old = numbered(400)
    block = old[100:180]
    new = [*old[:20], *block, *old[20:100], *old[180:390], "changed at the end"]
    assert shifted(content(new), content(old), 60, 62) is None


@pytest.mark.parametrize("seed", range(12))
def test_it_agrees_with_gits_diff(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    words = ["", "}", "    return x;", "    }", "case 1:", "break;"]
    told = 0
    for _ in range(25):
        size = draw.randint(30, 160)
        old = [draw.choice(words) if draw.random() < 0.6 else f"line {draw.randrange(60)}" for _ in range(size)]
        new = list(old)
        for _ in range(draw.randint(1, 3)):
            at, length = draw.randrange(len(new)), draw.randint(0, 4)
            new[at : at + draw.randint(0, 3)] = [draw.choice([*words, f"new {n}", *new[:3]]) for n in range(length)]
        a, b = tmp_path / "a", tmp_path / "b"
        a.write_bytes(content(old).data)
        b.write_bytes(content(new).data)
        out = subprocess.run(["git", *DIFF, str(a), str(b)], capture_output=True, env=hermetic(), check=False).stdout
        patch = parse_patch(out)
        for _ in range(6):
            if len(new) < 12:
                break
            first = draw.randint(1, len(new) - 8)
            last = first + draw.randint(0, 6)
            shift = shifted(content(new), content(old), first, last)
            if shift is not None:
                told += 1
                assert not patch.touching(first, last) and not patch.bordering(first, last), (old, new, first, last)
                assert shift == patch.before(last) - last
    assert told > 20


def test_lines_that_stand_together_blanks_at_their_ends_aside() -> None:
    data = b"a\r\nb \nc\nd\n"
    assert may_hold(data, [b"a", b"b", b"c"])
    assert not may_hold(data, [b"a", b"c"]) and not may_hold(data, [b"a", b"x"])
    assert MARGIN > BORDER
