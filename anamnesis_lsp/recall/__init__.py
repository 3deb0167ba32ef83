"""recall: running recalls. The door is :class:`anamnesis_lsp.recall.recaller.Recaller`, for the server and the command
line.

Promises: the fused context of each recall is the only state; one utterance at a time; every round is derived from the
context and what it holds, so re-reading it gives the same round; a hover leaves no trace. May not: judge (the readings
do), render (present does), or write under a root that is searched. Raises ``AnamnesisError`` and ``Cancelled``.
"""
