"""The words by which decision records head their sections and say how they stand.

In English, Chinese, Ukrainian, Russian and Spanish. English words match whole; in the other languages stems do,
since they inflect or are written without spaces.
"""

from __future__ import annotations

import re

from anamnesis_lsp.records.decisions.model import Sense, Standing


def _words(english: str, stems: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english})\b|{stems}", re.IGNORECASE)


_SENSES = (
    (
        Sense.ALTERNATIVES,
        _words(
            r"alternatives?|considered options?|options? considered|pros and cons|trade-?offs?|rejected|options",
            "备选|替代|方案对比|альтернатив|alternativas",
        ),
    ),
    (
        Sense.CONSEQUENCES,
        _words(
            r"consequences?|impact|implications?|(?<!decision )outcomes?|results?|risks?|drawbacks?",
            "后果|影响|结果|наслідк|последств|consecuencias",
        ),
    ),
    (
        Sense.REASON,
        _words(
            r"rationale|reasons?|reasoning|why|justification|decision drivers?|drivers?|motivation|root cause|cause",
            "理由|原因|动机|依据|为何|причин|обґрунтув|мотив|justificaci|motivo|razon",
        ),
    ),
    (
        Sense.DECISION,
        _words(
            r"decisions?|decision outcome|solution|resolution|resolved|conclusion|proposal|approach",
            "决策|决定|解决方案|结论|рішенн|решени|decisi[oó]n|soluci",
        ),
    ),
    (
        Sense.CONTEXT,
        _words(
            r"context|background|problem|issue|overview|summary|introduction|description|objective|goals?|purpose|needs?",
            "背景|上下文|问题|概述|目标|контекст|проблем|опис|огляд|мета|contexto|problema|resumen|objetivo",
        ),
    ),
    (
        Sense.REQUIREMENTS,
        _words(
            r"requirements?|criteria|constraints?|scope|non-goals?|implementation|steps|tasks?|plan|verification",
            "需求|约束|范围|验收|实施|вимог|обмежен|requisitos|criterios",
        ),
    ),
)
_STANDINGS = (
    (
        Standing.SUPERSEDED,
        _words(r"superseded|replaced|obsoleted?|obsolete", "已取代|被取代|废弃|замінен|заменен|reemplazad|sustituid"),
    ),
    (Standing.DEPRECATED, _words(r"deprecated|withdrawn|retired", "弃用|退役|застаріл|устарел|obsolet[oa]")),
    (
        Standing.REJECTED,
        _words(
            r"rejected|declined|wont ?fix|won't fix|cancell?ed|abandoned|tombstone",
            "否决|拒绝|відхилен|отклонен|rechazad",
        ),
    ),
    (
        Standing.OPEN,
        _words(
            r"in[-_ ]?progress|in[-_ ]?review|to-?do|backlog|open|blocked|planned|pending|ready|deferred|hooked",
            "进行中|待办|в роботі|в работе|en curso|pendiente",
        ),
    ),
    (
        Standing.PROPOSED,
        _words(r"proposed|draft|under discussion|rfc", "提议|草案|запропон|предлож|propuest|borrador"),
    ),
    (
        Standing.ACCEPTED,
        _words(
            r"accepted|approved|adopted|decided|agreed|active|ratified",
            "已接受|接受|采纳|通过|прийнят|принят|aceptad|aprobad",
        ),
    ),
    (
        Standing.DONE,
        _words(
            r"(?<!planning )(?<!plan )(?:done|completed?|closed|implemented|shipped|merged|finished|resolved|fixed)",
            "完成|已实现|виконан|завершен|выполнен|completad|hecho|terminad",
        ),
    ),
)

DATE_KEYS = (
    *("date", "created", "created at", "created on", "decision date", "date created", "start date"),
    *("日期", "дата", "fecha", "datum"),
)
UPDATED_KEYS = (
    *("updated", "updated at", "last updated", "last-updated", "last modified", "modified"),
    *("更新", "更新日期", "оновлено", "actualizado"),
)
STATUS_KEYS = ("status", "state", "状态", "статус", "estado", "statut")

EXTENSIONS = frozenset(
    [
        "py",
        "pyi",
        "ts",
        "tsx",
        "js",
        "jsx",
        "mjs",
        "cjs",
        "go",
        "rs",
        "java",
        "kt",
        "kts",
        "c",
        "h",
        "cc",
        "cpp",
        "hpp",
        "cs",
        "rb",
        "php",
        "swift",
        "scala",
        "sh",
        "bash",
        "zsh",
        "fish",
        "ps1",
        "sql",
        "md",
        "mdx",
        "mdc",
        "rst",
        "txt",
        "toml",
        "yaml",
        "yml",
        "json",
        "jsonl",
        "jsonc",
        "ini",
        "cfg",
        "conf",
        "env",
        "lock",
        "html",
        "css",
        "scss",
        "less",
        "vue",
        "svelte",
        "proto",
        "graphql",
        "tf",
        "dockerfile",
        "makefile",
        "xml",
        "gradle",
        "lua",
        "ex",
        "exs",
        "erl",
        "hs",
        "ml",
        "r",
        "jl",
        "dart",
        "zig",
        "nim",
        "pl",
        "pm",
        "ipynb",
        "csv",
        "svg",
        "lean",
    ]
)
"""Endings of files that projects have: a dotted word with another ending is no path."""


def sense(heading: str) -> Sense:
    """What a section is for, by its heading."""
    return next((found for found, pattern in _SENSES if pattern.search(heading)), Sense.OTHER)


def standing(status: str | None) -> Standing | None:
    """How a status stands; None where it says nothing known. Of several words the first in the text decides."""
    hits = [(m.start(), n) for n, (_, pattern) in enumerate(_STANDINGS) if (m := pattern.search(status or ""))]
    return _STANDINGS[min(hits)[1]][0] if hits else None
