"""A round to render: small, named, and with every part filled."""

from __future__ import annotations

from dataclasses import replace

from anamnesis_lsp.present.round import (
    AdjacentShown,
    AxisShown,
    CueShown,
    ExpansionShown,
    MemberShown,
    QualificationShown,
    ReachShown,
    ReadingShown,
    RecognizableShown,
    RecordShown,
    Round,
    SearchedShown,
    SentenceShown,
)

ROOT = "0123456789ab"
HASH = "a" * 40
COMMIT = f"anamnesis:///commit/{ROOT}/{HASH}.md?path=src/retry.py&lines=10-20"
CONVERSATION = f"anamnesis:///conversation/claude-code/{ROOT}/5e55.md?turn=12"
DECISION = f"anamnesis:///decision/{ROOT}/docs/adr/0007-lock.md"


def a_round(text: str = "plain", **changes: object) -> Round:
    """A presented round whose every free text is ``text``."""
    commit = MemberShown("commit", HASH, "/home/dev/app", COMMIT, text, None, None)
    conversation = MemberShown("conversation", "5e55", "/home/x", CONVERSATION, text, "claude --resume 5e55", text)
    decision = MemberShown("decision", "docs/adr/0007-lock.md", "/home/dev/app", DECISION, text, None, None)
    shown = Round(
        recall="r1",
        contract="anamnesis",
        outcome="presented",
        reading=ReadingShown("correction", (text,)),
        cue=CueShown(text, "line", (AxisShown("artifact", text, "selection"),)),
        recognizables=(
            RecognizableShown("line", text, 0.4, (commit, conversation)),
            RecognizableShown({"emergent": text}, text, 0.3, (decision,)),
        ),
        story=(SentenceShown(text, (2,)), SentenceShown(text, (1, 2))),
        records=(
            RecordShown(1, commit, "author", "2024-03-05T14:03:11+01:00", text, True),
            RecordShown(2, conversation, "person", "2024-03-05T13:00:00Z", "turn 12", True),
            RecordShown(3, decision, text, text, None, False, text),
        ),
        adjacent=(AdjacentShown(text, True, ("x",)),),
        qualifications=(
            QualificationShown(2, text, (ReachShown(text, text, 4), ReachShown("edits", None, None)), 3, None, 0),
        ),
        searched=(SearchedShown(text, text, 120, 5500, text, None, text, (text,), text),),
        expansion=ExpansionShown(text, text),
        dissent=(text,),
        notes=(text,),
    )
    return replace(shown, **changes)  # type: ignore[arg-type]
