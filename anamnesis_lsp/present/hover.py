"""What a hover shows: a peek at the story of a line, short enough for a tooltip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from anamnesis_lsp.present import escape, records
from anamnesis_lsp.present.markdown import recall_uri
from anamnesis_lsp.present.page import MARKDOWN, PLAIN, Page, Ref, Target
from anamnesis_lsp.present.round import RecordShown, SentenceShown

HoverMode = Literal["brief", "full"]
BRIEF_SENTENCES, FULL_SENTENCES = 2, 7
BRIEF_LIMIT, FULL_LIMIT = 240, 400


@dataclass(frozen=True, slots=True)
class HoverStory:
    """The short story of a line, from what is ready. No state, no turn: a peek, not a recall."""

    sentences: tuple[SentenceShown, ...]
    records: tuple[RecordShown, ...]
    pending: tuple[str, ...] = ()
    """What is left out because it is not ready: ``conversations are still being indexed``. Our own words."""
    recall: str | None = None
    """A recall that presented this line: its full story can be opened."""
    lines: tuple[int, int] | None = None
    """The lines of the buffer this story speaks of: 1-based, inclusive."""


def render_hover(
    story: HoverStory, mode: HoverMode = "brief", *, plain: bool = False, target: Target | None = None
) -> str:
    """The hover's text, about ten lines at most; empty when there is nothing to say."""
    page = Page(PLAIN if plain else MARKDOWN, target)
    count, limit = (BRIEF_SENTENCES, BRIEF_LIMIT) if mode == "brief" else (FULL_SENTENCES, FULL_LIMIT)
    shown = story.sentences[:count]
    for sentence in shown:
        page.write(*records.sentence(page.style, sentence, story.records, limit))
        if page.style.is_markdown:
            page.blank()  # rendered, lines of one paragraph run into each other
    last: list[str | Ref] = []
    if story.recall is not None:
        last.append(Ref("Full story", recall_uri(story.recall), "the story as it was recalled"))
    elif shown:
        last.append("Recollect for the whole story.")
    if story.pending:
        last.append((" · " if last else "") + f"Not ready yet: {escape.plain('; '.join(story.pending))}.")
    if not last:
        return ""
    page.blank()
    page.write(*last)
    return page.finish("").text


def cited(sentences: Sequence[SentenceShown]) -> frozenset[int]:
    """The numbers that these sentences cite."""
    return frozenset(n for sentence in sentences for n in sentence.cites)
