"""answers: how a person's turn is read. Deterministic, pure, explained: each reading carries the words it rests on.

The door is :func:`read_turn` (a :class:`TurnState` and the words, to a :class:`TurnReading`) and
:func:`read_turns_lines`, the same for lines of JSON. A turn is made comparable (:mod:`.writing`), taken apart into
clauses with acts and moods (:mod:`.clauses`, from one table per language in :mod:`.languages`), the acts that count and
the names it points at are gathered (:mod:`.gathering`), and one kind is decided (:mod:`.reading`). Unclear identifies
nothing. Raises nothing.
"""

from anamnesis_lsp.readings.answers.lines import read_turns_lines
from anamnesis_lsp.readings.answers.reading import read_turn
from anamnesis_lsp.readings.answers.turn import Kind, LastRound, TurnReading, TurnState

__all__ = ["Kind", "LastRound", "TurnReading", "TurnState", "read_turn", "read_turns_lines"]
