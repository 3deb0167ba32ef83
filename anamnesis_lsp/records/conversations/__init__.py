"""The door to the conversation stores: one module per runtime behind :class:`.model.Runtime`.

Promises: reads only; a turn is a person's only where the record says so; counts what it skips. May not: judge
relevance, write, lock, or import anything above ``records``. Raises ``AnamnesisError`` (``storeUnknown``,
``storeUnreadable``, ``permissionDenied``, ``storeBusy``, ``recordGone``) and ``Cancelled``.

:mod:`.registry` finds runtimes and stores, :mod:`.opening` opens one conversation, :mod:`.belonging` says on what
ground one belongs to a repository. What the readers share: :mod:`.jsonl` (lines), :mod:`.times`, :mod:`.patches` and
:mod:`.tool_edits` (what an edit wrote), :mod:`.shell` (commits and writes made in a shell).
"""
