"""How VS Code writes a chat session: one JSON document, or a log of operations that builds it (``*.jsonl``).

``formats/FORMATS.md`` section 6a: ``kind`` 0 sets the whole (``v``), 1 sets the value at a path (``k``), 2 pushes items
(``v``) onto the list at a path, cutting it to ``i`` items first where that is given, 3 deletes what is at a path.
What nobody reads of a session (rendered prompts, file contents that were attached) is dropped as it comes, so that a
session is never held whole; the rest is held up to a bound, and what is left out is counted.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.conversations.drafts import unknown
from anamnesis_lsp.records.conversations.json_items import JsonItems
from anamnesis_lsp.records.conversations.jsonl import JsonLines, JsonObject
from anamnesis_lsp.records.conversations.model import Scan

MAX_HELD_BYTES = 150 << 20
_UNREAD = frozenset(
    (
        "variableData",
        "inputState",
        "renderedUserMessage",
        "renderedGlobalContext",
        "contentReferences",
        "codeCitations",
        "followups",
        "responseMarkdownInfo",
        "summaries",
        "slashCommands",
        "thinking",
        "codeBlocks",
        "references",
        "usage",
        "requesterAvatarIconUri",
        "responderAvatarIconUri",
    )
)
_TRUNCATED = re.compile(r"\[JustRide: value truncated for persistence(?:; original (\d{1,12}) chars)?")
_DEEPEST = 60


class ChatLog:
    """The session that a file holds, built by replaying it: its top-level members, and its requests in order."""

    def __init__(self, path: Path, cancel: CancelToken, scan: Scan) -> None:
        self._path = path
        self._cancel = cancel
        self._scan = scan
        self._held = 0
        self.session: JsonObject = {}

    def read(self) -> None:
        """Replay the file. Raises ``recordGone``, ``storeUnreadable``, ``permissionDenied``, ``Cancelled``."""
        if self._is_log():
            self._replay()
        else:
            self._document()

    def requests(self) -> Iterator[JsonObject]:
        """The requests in order, each given up once it was read."""
        listed = self.session.get("requests")
        waiting = cast("list[object]", listed) if isinstance(listed, list) else []
        waiting.reverse()
        while waiting:
            request = waiting.pop()
            if isinstance(request, dict):
                yield cast(JsonObject, request)
            else:
                unknown(self._scan, "request that is no object")

    def _is_log(self) -> bool:
        return self._path.suffix == ".jsonl"

    def _document(self) -> None:
        items = JsonItems(self._path, self._cancel, lists=("requests",))
        requests: list[object] = []
        for key, value in items:
            if key == "requests":
                requests.append(self._kept(value))
            elif key not in _UNREAD:
                self.session[key] = self._kept(value)
        if requests:
            self.session["requests"] = requests
        self._scan.skipped_lines = items.skipped
        self._scan.incomplete_tail = items.incomplete
        if not items.incomplete and not requests and "requests" not in self.session:
            unknown(self._scan, "(no chat session)")

    def _replay(self) -> None:
        lines = JsonLines(self._path, self._cancel)
        try:
            for _, entry in lines:
                self._apply(entry)
        finally:
            self._scan.skipped_lines = lines.skipped_lines
            self._scan.incomplete_tail = lines.incomplete_tail

    def _apply(self, entry: JsonObject) -> None:
        kind, path = entry.get("kind"), entry.get("k")
        if kind == 0 and isinstance(entry.get("v"), dict):
            self._held = 0
            self.session = cast(JsonObject, self._kept(entry["v"]))
            return
        if kind not in (1, 2, 3) or not isinstance(path, list) or not path:
            unknown(self._scan, f"operation {kind}" if isinstance(kind, int) else "(no operation)")
            return
        keys = cast("list[object]", path)
        if any(key in _UNREAD for key in keys if isinstance(key, str)):
            return
        if kind == 2:
            self._push(keys, entry.get("v"), entry.get("i"))
        else:
            self._set(keys, self._kept(entry.get("v")) if kind == 1 else None)

    def _set(self, keys: list[object], value: object) -> None:
        holder = self._at(keys[:-1])
        key = keys[-1]
        if isinstance(holder, dict) and isinstance(key, str):
            holder[key] = value
        elif isinstance(holder, list) and isinstance(key, int) and 0 <= key <= len(cast("list[Any]", holder)):
            there = cast("list[object]", holder)
            there[key : key + 1] = [value]
        else:
            unknown(self._scan, "operation on nothing")

    def _push(self, keys: list[object], values: object, cut: object) -> None:
        there = self._at(keys)
        if there is None:
            self._set(keys, there := [])
        if not isinstance(there, list):
            unknown(self._scan, "operation on nothing")
            return
        items = cast("list[object]", there)
        if isinstance(cut, int) and cut >= 0:
            del items[cut:]
        if isinstance(values, list):
            items += [self._kept(value) for value in cast("list[object]", values)]

    def _at(self, keys: list[object]) -> Any:
        here: Any = self.session
        for key in keys:
            if isinstance(here, dict) and isinstance(key, str):
                here = cast(JsonObject, here).get(key)
            elif isinstance(here, list) and isinstance(key, int) and 0 <= key < len(cast("list[Any]", here)):
                here = cast("list[Any]", here)[key]
            else:
                return None
        return here

    def _kept(self, value: object, depth: int = 0) -> object:
        """The value without what nobody reads; what is past the bound is left out and counted."""
        if isinstance(value, str):
            cut = _TRUNCATED.match(value) if value.startswith("[") else None
            if cut is not None:
                self._omit(int(cut[1] or 0))
            size = sys.getsizeof(value)
            if self._held + size > MAX_HELD_BYTES:
                self._omit(len(value))
                return ""
            self._held += size
            return value
        if isinstance(value, list):
            items = cast("list[object]", value)
            return [self._kept(item, depth + 1) for item in items] if self._hold(100 + 8 * len(items), depth) else []
        if isinstance(value, dict):
            members = cast(JsonObject, value)
            if not self._hold(250, depth):
                return {}
            return {key: self._kept(item, depth + 1) for key, item in members.items() if key not in _UNREAD}
        self._held += 32
        return value

    def _hold(self, size: int, depth: int) -> bool:
        if depth > _DEEPEST or self._held + size > MAX_HELD_BYTES:
            unknown(self._scan, "(value that is too deep, or past what is held of a session)")
            return False
        self._held += size
        return True

    def _omit(self, chars: int) -> None:
        self._scan.omitted_chars = (self._scan.omitted_chars or 0) + chars
