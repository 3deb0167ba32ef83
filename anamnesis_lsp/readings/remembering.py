"""What of a person's words says something of the past, and what only leads up to it.

"No, I mean the time we fixed the sync" says *the time we fixed the sync*; "it was about jemalloc" says *about
jemalloc*. What leads up to it is a small table of frames per language; another language is another row. Pure.
"""

# ruff: noqa: E501  (a pattern reads best whole)

from __future__ import annotations

import re

_YES_NO = (
    r"no+|nope|nah|yes|yeah|yep|ok(?:ay)?|well|hm+|erm?|uh+|wait|sorry|oh|ah|so|but|and|or|maybe|perhaps|rather|also|then"
    r"|please|actually|instead|not (?:quite|really|exactly|that(?: one)?|it|this(?: one)?)|wrong(?: one)?"
    r"|nein|nee|ja|doch|also|naja|eigentlich|vielleicht|si|sí|bueno|pues|vale|non|oui|enfin|plutôt|peut-être|não|nao|sim"
    r"|talvez|нет|да|ну|вообще-то|наверное|не то|не это|ні|так|та|мабуть|не те|не це"
)
_MEANING = (
    r"(?:what )?(?:i|we)(?:['’]m| am|['’]ve| have| was| were)? ?(?:(?:really|actually|just|vaguely|only|still) )*"
    r"(?:meant?|looking for|thinking (?:of|about)|after|talking about|want(?:ed)?|referr(?:ing|ed) to|searching for)"
    r"(?: (?:is|was))?"
    r"|ich (?:meine?|meinte|suche|dachte an)|me refiero a|quiero decir|estoy buscando|busco|je (?:veux dire|parle d[e'’]|cherche)"
    r"|quero dizer|estou procurando|refiro-me a|я (?:имею|имел|имела) в виду|я про|я ищу|я (?:маю|мав|мала) на увазі|я шукаю"
)
_THINKING = (
    r"(?:i|we)(?: (?:do|really|vaguely|kind of|think|also|only|just))* ?"
    r"(?:think|thought|believe|guess|suppose|remember|recall|seem to remember|imagine)(?: (?:that|it was|of))?"
    r"|(?:do|don['’]?t) you remember|remember|iirc|afair|if i remember (?:right|correctly|rightly)"
    r"|ich (?:glaube|denke|erinnere mich)(?: (?:dass|an))?|(?:yo )?creo que|recuerdo(?: que)?|je (?:pense|crois|me souviens)(?: (?:que|d[e'’]))?"
    r"|(?:eu )?(?:acho|lembro)(?: que)?|кажется|по-моему|я (?:думаю|помню)(?: что)?|здається|я (?:думаю|пам['’]ятаю)(?: що)?"
)
_BEING = (
    r"(?:it|that|this)(?:['’]s| is| was| must have been| had(?: something)?| has(?: something)?)(?: (?:to do|something|more|rather|probably))*"
    r"(?! not\b)|es (?:war|ist|ging)|(?:era|fue|es|trataba)(?= )|c['’](?:était|est)|foi|это (?:был[аои]?)|це (?:бул[аои]|був)"
)
_CJK = (
    r"不是(?:的|这个|那个)?|不对|不,|不，|嗯|对了|我(?:的意思)?是(?:说|指)的?(?:是)?|我(?:想)?(?:说|指|找)的是|我(?:好像)?(?:记得|觉得)|好像(?:是)?|应该是"
    r"|いや|いいえ|違う|はい|えっと|つまり|確か|たしか|아니(?:요|야)?|음|네|그러니까|(?:내|제) 말은|아마"
)
_SPACED = re.compile(rf"(?:{_MEANING}|{_THINKING}|{_BEING}|{_YES_NO})(?![\w'’-])", re.IGNORECASE)
_UNSPACED = re.compile(_CJK)
_GAP = re.compile(r"[\s,;:.!?…，。！？、；：—–-]+")
_AFTER = re.compile(
    r"[\s,;:—–-]*\b(?:i (?:think|guess|believe|suppose)|right|or so|please|pls|plz|thanks|thank you|iirc|afair|creo|glaube ich"
    r"|je crois|acho eu|кажется|здається)[\s.!?]*$",
    re.IGNORECASE,
)
_MEANS = re.compile(
    rf"(?<![\w'’])(?:{_MEANING})(?![\w'’])|我(?:的意思)?是(?:说|指)|我(?:想)?(?:说|指|找)的是|(?:내|제) 말은",
    re.IGNORECASE,
)
_ONE_OF_THESE = re.compile(
    r"(?:the|that|this|an?)\s+(?:one|ones|other|others|same|earlier|later|previous|next|first|second|third|last|older|newer|one)\b"
    r"|(?:another|it|he|she|they|who|his|her|their)\b|la otra|el otro|die andere|der andere|l['’]autre|o outro|那个|另",
    re.IGNORECASE,
)


def remembered(text: str) -> str:
    """The words without what only leads up to them ("no, I mean") or hedges them ("I think"); may be empty."""
    left = text.strip()
    while left:
        gap = _GAP.match(left)
        begin = gap.end() if gap else 0
        frame = _SPACED.match(left, begin) or _UNSPACED.match(left, begin)
        if frame is None or frame.end() == begin:
            left = left[begin:]
            break
        left = left[frame.end() :]
    while (after := _AFTER.search(left)) is not None and after.start() > 0:
        left = left[: after.start()]
    return _GAP.sub(" ", left).strip() if not re.search(r"\w", left) else left.strip(" \t\n,;:")


def restates(text: str) -> bool:
    """Whether a correction says anew what is meant, rather than pointing among what is shown ("the other one")."""
    said = remembered(text)
    return bool(said) and _ONE_OF_THESE.match(said) is None


def says_meaning(text: str) -> bool:
    """Whether the person says in so many words what they mean ("I mean …", "me refiero a …")."""
    return _MEANS.search(text) is not None
