"""The door to the conversation stores: one module per runtime behind :class:`.model.Runtime`.

Promises: reads only; a turn is a person's only where the record says so; counts what it skips. May not: judge relevance,
write, lock, or import anything above ``records``. Raises ``AnamnesisError`` (``storeUnreadable``, ``recordGone``).
"""
