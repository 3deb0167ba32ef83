"""A round's plain text with a terminal's styles: headings, quotations, citations and locators told apart, nothing
added.

The text is printed as text, never as markup, so nothing in it can style itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

_STYLES = (
    (re.compile(r"(?m)^[A-Z][A-Z ?]{3,}$"), "bold"),
    (re.compile(r"“[^”]*”"), "italic"),
    (re.compile(r"\[\d+\]"), "bold cyan"),
    (re.compile(r"(?m)(?<=reopen: ).*?(?= \(|$)"), "green"),
    (re.compile(r"anamnesis:///\S+"), "dim"),
)


def styled(text: str) -> Text:
    """The text for ``rich``: a story's parts in their styles. Lines are wrapped by the console, between words."""
    from rich.text import Text

    shown = Text(text)
    for pattern, style in _STYLES:
        shown.highlight_regex(pattern, style)
    return shown
