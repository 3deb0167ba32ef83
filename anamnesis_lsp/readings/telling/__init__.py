"""Telling: the sentences that one opened record gives a story, a module for each kind of record.

Extractive: a sentence quotes a passage or states a fact of its record, in one of the forms of
:mod:`anamnesis_lsp.readings.forms`, which reads every one of them back. Here is chosen *which* sentence: the one that
speaks of what was pointed at and says why. Where none does, none is told: a story is short rather than wrong.
"""
