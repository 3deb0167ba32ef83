r"""Which sentences carry *why*: a need, a cause, a refused alternative, a constraint, a decision, or who asked.

A lexicon per language, judged unit by unit; no model. The score orders quotations of one record among themselves. It is
never a claim: what is told is the quotation itself. Another language is another row of a table: words stand apart by
blanks, ``_`` in a word is a blank, ``*`` any ending; scripts without blanks are matched anywhere.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Mapping

from anamnesis_lsp.index import terms

_CAUSE = (
    """
    because since_the since_we since_it since_this since_that since_they so_that due_to caused_by cause_by root_cause
    leads_to leading_to led_to previously currently inconsisten* duplicat* burden
    the_problem the_issue the_reason the_cause the_trouble that's_why which_means which_meant which_caused which_breaks
    which_broke which_leads which_led as_a_result turns_out reason* why in_order_to otherwise to_avoid to_prevent
    to_ensure to_make_sure to_support to_allow to_keep
    weil damit denn sonst grund um_zu  porque para_que ya_que pois  parce_que afin car
    потому_что тому_що бо оскільки щоб чтобы
""",
    "因为 因此 由于 所以 为了 以便 導致 导致 否则 原因 根因 误用 誤用 以免 教训 ため ので 때문 위해 그래서",
)
_NEED = (
    """
    need needs needed must should require requires required want wants wanted have_to has_to please can_you can_we
    could_you let's i'd_like fix fixes fixed bug fail fails failed failing failure broke broken crash* error wrong leak*
    race flak* slow confus* missing
    muss soll* brauch* fehler  necesit* debe*  precisa*  il_faut doit  потрібно треба нужно помилк*
""",
    "需要 必须 應該 应该 修复 错误 失败 问题 必要 すべき 바꿔 필요 오류",
)
_REFUSED = (
    """
    instead_of rather_than worse_than better_than safer_than
    not_use not_using not_worth not_enough not_safe not_possible not_allowed don't_want don't_use
    don't_need don't_like no_longer avoid alternative* considered rejected refus* overengineer* over-engineer* too_slow
    too_complex too_big too_many too_much without stop stops stopped replac* drop drops dropped remov*
    statt anstatt vermeid*  en_lugar_de en_vez_de evita*  au_lieu éviter  замість вместо уникнути
""",
    "而不是 代替 避免 不再 废弃 放弃 代わり 避け 대신",
)
_CONSTRAINT = (
    """
    only can't cannot never always limit* compatib* backward* guarantee* deadline security policy spec at_most at_least
    until  nur  siempre nunca  jamais  ніколи тільки
""",
    "只能 不能 兼容 限制 必ず できない 항상",
)
_DECIDED = (
    """
    decid* decision agreed chose choos* prefer* go_with going_with settled we'll we_will we_now from_now_on the_idea
    the_plan the_approach the_goal the_point the_purpose
    entschied*  décid*  виріши* решили
""",
    "决定 采用 选择 方案 目标 決定 採用 결정",
)


def _lexicon(spaced: str, spaceless: str) -> re.Pattern[str]:
    words = [
        re.escape(word).replace("_", r"\s+").replace(r"\*", r"\w*").replace("'", "['’]") for word in spaced.split()
    ]
    return re.compile(rf"\b(?:{'|'.join(words)})\b|{'|'.join(spaceless.split())}", re.IGNORECASE)


_SENSES: tuple[tuple[float, re.Pattern[str]], ...] = (
    (1.6, _lexicon(*_CAUSE)),
    (0.8, _lexicon(*_NEED)),
    (1.2, _lexicon(*_REFUSED)),
    (0.6, _lexicon(*_CONSTRAINT)),
    (1.0, _lexicon(*_DECIDED)),
)
_OPENING = re.compile(
    r"^(?:now |ok(?:ay)?[,.!]? |great[,.!]? |perfect[,.!]? |good[,.!]? |excellent[,.!]? )*"
    r"(?:(?:now |next,? |first,? |then |finally,? )?(?:let me|i'?ll|i will|i need to|i should"
    r"|i can see)\b(?: also| now)?"
    r" ?(?:start|begin|check|look|read|run|add|create|update|continue|go|put|fix|re-?read|see|find|verify"
    r"|examine|review|search|view|test)?"
    r"|now (?:i|the|that|update|add|create|run|fix|check|test|we)|next,|let'?s (?:check|see|run|look|verify"
    r"|test|try)|checking|reading|running"
    r"|yes,|no,|sure[,.]|here'?s|done|perfect|great|excellent|good|earlier,|we'?ve (?:made|now|updated)"
    r"|all (?:\*\*)?\d* ?tests"
    r"|looks good|you'?re (?:absolutely )?right)"
    r"\b|^\W*[✅✓🎉🤖👍]|^<thinking>|\bfor (?:your|this) review\b",
    re.IGNORECASE,
)
_TRAILER = re.compile(
    r"^\W*(?:related|references?|links?|see also|source|status|author|owner|reviewers?|关联|相关|来源)\W{0,4}[:：]"
    r"|^(?:co-authored-by|signed-off-by|reviewed-by|acked-by|tested-by|generated with|🤖|change-id|cc|entire-[\w-]+"
    r"|claude-session|fixes|closes|refs?|see also)\b.*[:#]|^\[?https?://\S+\]?$",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"[\w.-]+/[\w./-]+|\b[\w-]+\.(?:py|go|ts|tsx|js|md|json|rs|java|cpp|c|h)\b|\b[0-9a-f]{7,40}\b|\|\s*\d+\s*[+-]+"
)
_CODE_LIKE = re.compile(r"[{};<>=|\\]")
_WORD = re.compile(r"\w+")


def is_trailer(unit: str) -> bool:
    """Whether the unit is a trailer or a bare link: it names, and carries no reason."""
    return _TRAILER.match(unit) is not None


_STILL = re.compile(r"\b(?:but|however|although|fail\w*)\b", re.IGNORECASE)
_DONE = re.compile(
    r"\W*(?:added|modified|updated|created|used|ran|verified|tested|refactored|renamed|moved|fixed|implemented"
    r"|improved"
    r"|changed|removed|replaced|conducted"
    r"|performed|completed|introduced)\b",
    re.IGNORECASE,
)
_SUCCESS = re.compile(
    r"\b(?:works? perfectly|worked perfectly|now works?|(?:is|are) now working|working (?:well|properly"
    r"|perfectly)|successful(?:ly)?"
    r"|tests? (?:now )?pass\w*|passing"
    r"|changes (?:were|have been) made|no (?:other|logic) changes|verified|build succeeded|no (?:lint\w*"
    r"|more) errors?)\b|✅",
    re.IGNORECASE,
)


def why(unit: str, sought: Mapping[str, float]) -> float:
    """How much the unit tells of a reason for what is sought; 0 or less is not worth quoting for its reason."""
    score = _sense(unit)
    if sought and score > -1.0:
        found = {term for term in terms.tokens(unit) if term in sought}
        score += min(2.5, math.fsum(sought[term] for term in found))  # the same in whatever order a set is walked
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
    if _DONE.match(looked_at):
        score -= 0.6
    if celebrates(looked_at):
        score -= 1.2
    if length > 16 and len(_CODE_LIKE.findall(unit)) * 14 > length:
        score -= 1.5
    listed = len(_LISTED.findall(looked_at))
    if listed >= 3 or listed * 6 > len(words):
        score -= 1.0 if listed < 3 else 2.5
    if len(words) < 5 and length < 14:
        score -= 0.8
    if unit.endswith(":"):
        score -= 0.7
    return score


def gives_a_reason(unit: str) -> bool:
    """Whether the unit itself says why: a cause, a refused alternative, a decision.

    Being about the matter is not enough.
    """
    return _sense(unit) >= 1.0


_ASKS = re.compile(
    r"\?|？|^\W*(?:please|can|could|would|let'?s|make|add|use|fix|change|remove|update|create|implement|ensure"
    r"|move|rename|replace|refactor|write|check"
    r"|investigate|look|try|show|set|get|put|keep|do|don'?t|allow|support|enable|disable|improve|build|split"
    r"|extract|convert|i (?:want|need|think|would)"
    r"|we (?:need|should|want|must))\b|请|帮",
    re.IGNORECASE,
)


_OFFERS = re.compile(
    r"\b(?:should i|shall i|shall we|should we|want me to|would you like|do you want|if you(?:'d)? like"
    r"|i can\b.*\?|i suggest|i(?:'d| would) (?:suggest|recommend|propose)"
    r"|i recommend|recommend(?:ed)?:|let me know if)\b",
    re.IGNORECASE,
)


_ACCEPTS = re.compile(
    r"\s*(?:yes|yeah|yep|yup|ok(?:ay)?|sure|alright|right|correct|agreed?|exactly|perfect|great|good|fine"
    r"|sounds good|do it|do all|all of (?:it|them)|both\b|do that|do this"
    r"|go ahead|go for it|please do|proceed|let'?s (?:do|go|proceed|try|use|implement|fix|add)|implement (?:it"
    r"|this|that)|make it so|lgtm"
    r"|ja\b|genau|mach|sí|si\b|oui|так|да\b|давай|добре|хорошо|好|可以|行|是的|はい|네|응)",
    re.IGNORECASE,
)


def accepts(text: str) -> bool:
    """Whether a person's words begin as an acceptance of what was proposed does."""
    return _ACCEPTS.match(text) is not None


_INSTRUCTS = re.compile(
    r"\W*(?:important|rules?|note|constraints?|guidelines?|context|instructions?|work only|only (?:edit|change|touch)"
    r"|ignore|we(?:'re| are) working|switch|you are|act as|read|please read|see|reminder?"
    r"|show (?:me )?(?:the )?(?:diff|changes)|list modified|@)\b",
    re.IGNORECASE,
)


def instructs(unit: str) -> bool:
    """Whether a person's words set how or where to work, and do not yet say what is wanted."""
    return _INSTRUCTS.match(unit) is not None


_TASK = re.compile(
    r"\W*(?:add|remove|update|create|register|fix|implement|replace|move|rename|change|use|write|check|test|run"
    r"|verify|refactor|extract|delete|make"
    r"|set|wire|hook|build|define|introduce|document|ensure|review|clean|migrate|convert|split|merge|drop)\b",
    re.IGNORECASE,
)


def is_task(unit: str) -> bool:
    """Whether the unit names a thing to do: of a list, a step of a plan."""
    return _TASK.match(unit) is not None


def is_done(unit: str) -> bool:
    """Whether the unit lists work that was done (``Added …``, ``Updated …``)."""
    return _DONE.match(unit) is not None


_NARRATES = re.compile(
    r"\W*(?:(?:now|next|first|then|finally|ok(?:ay)?|great|good|perfect|excellent|alright)\b[,.!]? *)*"
    r"(?:let me|let'?s (?:check|see|run|look|verify|test|try)|i'?ll (?:now |start|begin|check|look|read|run|go"
    r"|put|see)|now (?:let|i'?ll|update|add"
    r"|create|run|fix|check|register|remove)|checking|reading|running|looking at|earlier,)",
    re.IGNORECASE,
)


def narrates(unit: str) -> bool:
    """Whether an assistant tells what it looks at or does next."""
    return _NARRATES.match(unit) is not None


def celebrates(unit: str) -> bool:
    """Whether the unit tells that something works now: what came of it, and not why something else does not."""
    return _SUCCESS.search(unit) is not None and _STILL.search(unit) is None


def offers(unit: str) -> bool:
    """Whether the unit offers to do something, which the other may take up."""
    return _OFFERS.search(unit) is not None


def asks(unit: str) -> float:
    """How much a person's words have the form of an ask: a question, an imperative, a wish."""
    return 0.7 if _ASKS.search(unit) else 0.0


def substantial(text: str) -> bool:
    """Whether a person's words ask for something by themselves, rather than only nodding (``yes``, ``go on``)."""
    words = _WORD.findall(text)
    wide = sum(1 for character in text if "\u3000" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7a3")
    return len(words) >= 5 or wide >= 8
