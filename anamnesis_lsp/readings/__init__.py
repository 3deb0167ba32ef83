"""readings: the judgements of a recall, each one method of the contract's ``Readings``, deterministic.

Promises: everything is read from the fused context; the only modules that do I/O are :mod:`.search` (:mod:`.further` in
a dialogue, :mod:`.beyond` past its boundary), with :mod:`.opening` and :mod:`.reachable` beneath it, and what they read
enters the context as evidence turns; a sentence is told only where :mod:`.forms` reads it back against the record it
cites. May not: write to a record, take an index's word for evidence, decide for the person. Raises ``AnamnesisError``
of the rooms below and ``Cancelled``.

The door is :class:`anamnesis_lsp.readings.reader.Reader`.
"""
