"""The server over a brain that answers from a script: what a test asks for, it asks for by the cue.

``slow`` works until it is cancelled, ``stuck`` does not look at its token for a second, ``refused`` raises an error
of ours, ``fault`` raises one that is none. Every cancelled job leaves a line in ``$FAKE_LOG``.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit"))

import rounds  # type: ignore[import-not-found]

from anamnesis_lsp.cancel import Cancelled, CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.present.documents import Document, OpenTarget, file_document, round_document, scope_document
from anamnesis_lsp.present.hover import HoverStory
from anamnesis_lsp.present.locators import parse
from anamnesis_lsp.present.markdown import copy_context, plain_document, render_round
from anamnesis_lsp.present.round import Round, SentenceShown
from anamnesis_lsp.records.evidence import Kind, RecordKey
from anamnesis_lsp.server.app import AnamnesisServer, build
from anamnesis_lsp.server.settings import Settings
from anamnesis_lsp.server.stdio import run


def note(line: str) -> None:
    with Path(os.environ["FAKE_LOG"]).open("a", encoding="utf-8") as log:
        log.write(line + "\n")


class FakeRecaller:
    def __init__(self, settings: Settings, roots: Sequence[Path]) -> None:
        self.settings = settings
        note(f"made {settings.contract} {[str(root) for root in roots]}")

    def round(self, meant: str, **changes: Any) -> Round:
        story = (SentenceShown("Ada wrote it.", (1,)), SentenceShown("The assistant said so.", (2,)))
        shown = rounds.a_round("plain", story=story, cue=replace(rounds.a_round().cue, meant=meant), **changes)
        shown = replace(shown, contract=self.settings.contract)
        return replace(shown, markdown=render_round(shown))

    def recollect(self, request: Any, cancel: CancelToken, progress: Any) -> Round:
        cue = request.cue or ""
        note(f"recollect {request.path} {request.lines} {request.version} {request.buffer!r:.60}")
        if cue == "slow":
            for percent in range(1000):
                progress(f"step {percent}", percent // 10)
                if cancel.wait(0.02):
                    note("cancelled")
                    raise Cancelled
        if cue == "stuck":
            time.sleep(1.0)
        if cue == "refused":
            raise AnamnesisError(ErrorCode.FILE_UNTRACKED, "The file is not tracked.", "Add it.")
        if cue == "fault":
            raise RuntimeError("private words of a record")
        return self.round(cue or "the selection")

    def say(self, text: str, recall: str | None, cancel: CancelToken, progress: Any) -> Round:
        return self.round(text)

    def identify(self, recall: str | None, cancel: CancelToken, progress: Any) -> Round:
        return self.round("it", outcome="identified")

    def end(self, recall: str | None, cancel: CancelToken, progress: Any) -> Round:
        return self.round("it", outcome="holding")

    def recalls(self) -> list[dict[str, Any]]:
        return [{"recall": "r1", "state": "open", "meant": "it", "when": "2024-03-05T14:03:11Z", "leading": "x"}]

    def copy_context(self, recall: str | None, as_: str) -> str:
        return copy_context(self.round("it"), as_)  # type: ignore[arg-type]

    def open(self, locator: str, cancel: CancelToken) -> OpenTarget:
        parse(locator)
        return OpenTarget(locator, None)

    def document(self, uri: str, cancel: CancelToken, *, plain: bool = False) -> Document:
        locator = parse(uri)
        if locator.kind == "recall":
            return plain_document(self.round("it")) if plain else round_document(self.round("it"))
        if locator.kind == "scope":
            return scope_document(self.round("it"))
        if locator.root == "f" * 12:
            raise AnamnesisError(ErrorCode.UNKNOWN_ROOT, "No such root.", "Open it.")
        key = RecordKey(Kind.COMMIT, Path("/r"), "a" * 40)
        text = "".join(f"line {n} of {locator.kind}\n" for n in range(1, 31))
        return replace(file_document(key, f"{locator.kind}.md", text, (10, 12)), uri=uri)

    def stores(self, cancel: CancelToken) -> list[dict[str, Any]]:
        return [{"kind": "claude-code", "root": None, "state": "absent", "records": None, "note": ""}]

    def reindex(self, kind: str | None, cancel: CancelToken, progress: Any) -> None:
        note(f"reindex {kind}")

    def hover(self, path: Path, line: int, buffer: str, version: int, cancel: CancelToken) -> HoverStory | None:
        if "slow hover" in buffer:
            cancel.wait(1.5 if "very slow hover" in buffer else 0.3)
            note("hover cancelled" if cancel.cancelled else "hover done")
            cancel.check()
        shown = self.round("x")
        return HoverStory(shown.story, shown.records, ("conversations are still being indexed",), None, (line, line))

    def warm(self, path: Path, buffer: str, cancel: CancelToken) -> None:
        note(f"warm {path.name}")

    def add_root(self, path: Path) -> None:
        note(f"root {path.name}")

    def keep_fresh(self, watcher: Any = None) -> None:
        note("kept fresh")

    def pause(self) -> None:
        note("paused")

    def close(self) -> None:
        note("closed")


def fake_server() -> AnamnesisServer:
    return build(FakeRecaller)  # type: ignore[arg-type]


if __name__ == "__main__":
    sys.exit(run(fake_server()))
