"""What a terminal shows is the plain text, styled and otherwise untouched."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anamnesis_lsp.present.terminal import styled


@given(st.text(st.characters(min_codepoint=32), max_size=200))
def test_styling_adds_and_removes_nothing(text: str) -> None:
    assert styled(text).plain == text


def test_markup_in_a_record_stays_text() -> None:
    assert styled("he said [bold red]no[/]").plain == "he said [bold red]no[/]"


def test_quotations_citations_and_locators_are_told_apart() -> None:
    shown = styled("STORY\n\nIt says: “because” [1]\n[1] anamnesis:///commit/x")
    assert {str(span.style) for span in shown.spans} == {"bold", "italic", "bold cyan", "dim"}
