"""Which sentences carry *why*: a need, a cause, a refused alternative, a constraint, a decision, or who asked.

A lexicon per language, judged unit by unit; no model. The score orders quotations of one record among themselves. It is never
a claim: what is told is the quotation itself.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from anamnesis_lsp.index import terms

_CAUSE = (
    r"\bbecause\b|\bsince (?:the|we|it|this|that|they)\b|\bso that\b|\bdue to\b|\bcaused? by\b|\broot cause\b|\bthe (?:problem|issue|"
    r"reason|cause|trouble)\b|\bthat'?s why\b|\bwhich (?:means|meant|caused|breaks|broke|leads|led)\b|\bas a result\b|\bturns out\b"
    r"|\breason(?:s|ing)?\b|\bwhy\b|\bin order to\b|\botherwise\b|\bto (?:avoid|prevent|ensure|make sure|support|allow|keep)\b"
    r"|\bweil\b|\bdamit\b|\bdenn\b|\bsonst\b|\bgrund\b|\bum zu\b|\bporque\b|\bpara que\b|\bya que\b|\bpois\b|\bparce que\b|\bafin\b"
    r"|\bcar\b|\bпотому что\b|\bтому що\b|\bбо\b|\bоскільки\b|\bщоб\b|\bчтобы\b"
    r"|因为|因此|由于|所以|为了|以便|導致|导致|否则|原因|ため|ので|から|때문|위해|그래서"
)
_NEED = (
    r"\bneeds?\b|\bneeded\b|\bmust\b|\bshould\b|\brequire[sd]?\b|\bwants?\b|\bwanted\b|\bhave to\b|\bhas to\b|\bplease\b|\bcan (?:you|we)\b"
    r"|\bcould you\b|\blet'?s\b|\bi'?d like\b|\bfix(?:es|ed)?\b|\bbug\b|\bfail(?:s|ed|ing|ure)?\b|\bbroken?\b|\bcrash\w*\b|\berror\b"
    r"|\bwrong\b|\bleak\w*\b|\brace\b|\bflak\w+\b|\bslow\b|\bconfus\w+\b|\bmissing\b|\bmuss\b|\bsoll\w*\b|\bbraucht?\b|\bfehler\b"
    r"|\bnecesit\w+\b|\bdebe\w*\b|\bprecisa\w*\b|\bil faut\b|\bdoit\b|\bпотрібно\b|\bтреба\b|\bнужно\b|\bпомилк\w+\b"
    r"|需要|必须|應該|应该|修复|错误|失败|问题|必要|すべき|바꿔|필요|오류"
)
_REFUSED = (
    r"\binstead of\b|\brather than\b|\bnot (?:use|using|worth|enough|safe|possible|allowed)\b|\bdon'?t (?:want|use|need|like)\b|\bno longer\b"
    r"|\bavoid\b|\balternative\w*\b|\bconsidered\b|\brejected\b|\brefus\w+\b|\bover-?engineer\w*\b|\btoo (?:slow|complex|big|many|much)\b|\bwithout\b"
    r"|\bstop(?:ped|s)?\b|\breplac\w+\b|\bdrop(?:ped|s)?\b|\bremov\w+\b|\bstatt\b|\banstatt\b|\bvermeid\w+\b|\ben lugar de\b|\ben vez de\b"
    r"|\bevita\w*\b|\bau lieu\b|\béviter\b|\bзамість\b|\bвместо\b|\bуникнути\b|而不是|代替|避免|不再|废弃|放弃|代わり|避け|대신"
)
_CONSTRAINT = (
    r"\bonly (?:if|when|one|after|works?)\b|\bcan(?:no|')?t\b|\bcannot\b|\bnever\b|\balways\b|\blimit\w*\b|\bcompatib\w+\b|\bbackwards?\b"
    r"|\bguarantee\w*\b|\bdeadline\b|\bsecurity\b|\bpolicy\b|\bspec\b|\bonly\b|\bat (?:most|least)\b|\buntil\b|\bnur\b|\bsiempre\b"
    r"|\bnunca\b|\bjamais\b|\bніколи\b|\bтільки\b|只能|不能|兼容|限制|必ず|できない|항상"
)
_DECIDED = (
    r"\bdecid\w+\b|\bdecision\b|\bagreed\b|\bchose\b|\bchoos\w+\b|\bprefer\w*\b|\bgo(?:ing)? with\b|\bsettled\b|\bwe(?:'ll| will| now)\b"
    r"|\bfrom now on\b|\bthe (?:idea|plan|approach|goal|point|purpose)\b|\bentschied\w*\b|\bdecid\w+\b|\bdécid\w+\b|\bвиріши\w+\b|\bрешили\b"
    r"|决定|采用|选择|方案|目标|決定|採用|결정"
)
_SENSES: tuple[tuple[float, re.Pattern[str]], ...] = (
    (1.6, re.compile(_CAUSE, re.IGNORECASE)),
    (0.8, re.compile(_NEED, re.IGNORECASE)),
    (1.2, re.compile(_REFUSED, re.IGNORECASE)),
    (0.6, re.compile(_CONSTRAINT, re.IGNORECASE)),
    (1.0, re.compile(_DECIDED, re.IGNORECASE)),
)
_OPENING = re.compile(
    r"^(?:now |ok(?:ay)?[,.!]? |great[,.!]? |perfect[,.!]? |good[,.!]? |excellent[,.!]? )*(?:let me|i'?ll (?:now |start|begin|check|look|"
    r"read|run|add|create|update|continue|go)|i will now|now i|let'?s (?:check|see|run|look|verify)|checking|reading|running|here'?s|done"
    r"|perfect|great|excellent|good|all tests|looks good|you'?re (?:absolutely )?right)\b|^[✅✓🎉🤖👍]",
    re.IGNORECASE,
)
_TRAILER = re.compile(
    r"^(?:co-authored-by|signed-off-by|reviewed-by|acked-by|tested-by|generated with|🤖|change-id|cc|entire-[\w-]+|claude-session"
    r"|fixes|closes|refs?|see also)\b.*[:#]|^\[?https?://\S+\]?$",
    re.IGNORECASE,
)
_CODE_LIKE = re.compile(r"[{};<>=|\\]")
_WORD = re.compile(r"\w+")


def is_trailer(unit: str) -> bool:
    """Whether the unit is a trailer or a bare link: it names, and carries no reason."""
    return _TRAILER.match(unit) is not None


def why(unit: str, sought: Mapping[str, float]) -> float:
    """How much the unit tells of a reason for what is sought; 0 or less is not worth quoting for its reason."""
    score = _sense(unit)
    if sought and score > -1.0:
        found = {term for term in terms.tokens(unit) if term in sought}
        score += min(2.5, sum(sought[term] for term in found))
    return score


@functools.lru_cache(maxsize=16384)
def _sense(unit: str) -> float:
    words = _WORD.findall(unit)
    length = len(unit)
    if is_trailer(unit) or length < 8:
        return -1.0
    looked_at = unit[:2000]
    score = sum(weight for weight, pattern in _SENSES if pattern.search(looked_at))
    if _OPENING.search(looked_at):
        score -= 1.6
    if length > 16 and len(_CODE_LIKE.findall(unit)) * 14 > length:
        score -= 1.5
    if len(words) < 5 and length < 14:
        score -= 0.8
    if unit.endswith(":"):
        score -= 0.7
    return score


def substantial(text: str) -> bool:
    """Whether a person's words ask for something by themselves, rather than only nodding (``yes``, ``go on``)."""
    words = _WORD.findall(text)
    wide = sum(1 for character in text if "\u3000" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7a3")
    return len(words) >= 5 or wide >= 8
