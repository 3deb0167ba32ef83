"""records: what past work left, opened read-only.

This room returns evidence: who said or did what, where and when. It never judges, never ranks, never writes. Its values
are in :mod:`anamnesis_lsp.records.evidence`; its doors are :mod:`.git` (the only code that runs git),
:mod:`.conversations` (one module per runtime), :mod:`.decisions` and :mod:`.links`. All raise ``AnamnesisError``.
"""
