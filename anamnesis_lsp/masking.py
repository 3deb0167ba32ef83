"""Secrets in text: masked when it is shown or copied, and fixed token formats also before it is indexed.

The rules are facts of token formats as the issuers document them and as gitleaks' rule set maintains them; none judges
by entropy. Each rule names literal words of which one must be in the text before its expression runs, so that text
without a secret costs a few substring searches. A leaf: imports nothing of ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import AnyStr, cast


@dataclass(frozen=True, slots=True)
class Rule:
    """One format. Group ``secret`` of ``expression`` is what is masked; where there is none, the whole match."""

    name: str
    keywords: tuple[str, ...]
    """Any of these, in this case, precedes a match: the prefilter."""
    expression: re.Pattern[str]


_END = r"(?![A-Za-z0-9_-])"


def _fixed(name: str, keywords: tuple[str, ...] | str, expression: str) -> Rule:
    words = (keywords,) if isinstance(keywords, str) else keywords
    return Rule(name, words, re.compile(r"(?<![A-Za-z0-9_])" + f"(?:{expression})"))


FIXED: tuple[Rule, ...] = (
    _fixed(
        "aws access key", ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"), r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"
    ),
    _fixed("github token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{36,255}\b"),
    _fixed("github token", "github_pat_", r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b"),
    _fixed(
        "gitlab token",
        ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-", "glagent-", "GR1348941"),
        r"(?:gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent)-|GR1348941)[A-Za-z0-9_-]{20,}",
    ),
    _fixed(
        "slack token", ("xox", "xapp-"), r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-\d-[A-Z0-9]+-\d+-[a-z0-9]+"
    ),
    _fixed("slack webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{40,}"),
    _fixed("discord webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/\d{17,20}/[A-Za-z0-9_-]{60,}"),
    _fixed(
        "stripe key",
        ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_", "whsec_"),
        r"(?:[sr]k_(?:live|test|prod)|whsec)_[A-Za-z0-9]{10,}",
    ),
    _fixed("google api key", "AIza", rf"AIza[A-Za-z0-9_-]{{35}}{_END}"),
    _fixed(
        "google oauth token",
        ("ya29.", "GOCSPX-", "1//0"),
        r"ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{28}|1//0[A-Za-z0-9_-]{40,}",
    ),
    _fixed("anthropic key", "sk-ant-", r"sk-ant-[a-z]{3,10}\d\d-[A-Za-z0-9_-]{40,}"),
    _fixed("openrouter key", "sk-or-", r"sk-or-v1-[a-f0-9]{64}\b"),
    _fixed(
        "openai key",
        ("T3BlbkFJ", "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-"),
        rf"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{{20,}}|sk-[A-Za-z0-9]{{48}}{_END}|sk-[a-f0-9]{{32}}{_END}"
        r"|sk-[A-Za-z0-9_-]{16,100}?T3BlbkFJ[A-Za-z0-9_-]{16,100}",
    ),
    _fixed("hugging face token", ("hf_", "api_org_"), r"hf_[A-Za-z]{34}\b|api_org_[A-Za-z]{34}\b"),
    _fixed("groq key", "gsk_", r"gsk_[A-Za-z0-9]{52}\b"),
    _fixed("xai key", "xai-", rf"xai-[A-Za-z0-9]{{80}}{_END}"),
    _fixed("perplexity key", "pplx-", r"pplx-[A-Za-z0-9]{48}\b"),
    _fixed("replicate token", "r8_", r"r8_[A-Za-z0-9]{37}\b"),
    _fixed("npm token", "npm_", r"npm_[A-Za-z0-9]{36}\b"),
    _fixed("pypi token", "pypi-AgE", r"pypi-AgE[A-Za-z0-9_-]{50,}"),
    _fixed("rubygems token", "rubygems_", r"rubygems_[a-f0-9]{48}\b"),
    _fixed("crates.io token", "cio", r"cio[A-Za-z0-9]{32}\b"),
    _fixed("docker token", ("dckr_pat_", "dckr_oat_"), r"dckr_[po]at_[A-Za-z0-9_-]{20,}"),
    _fixed("digitalocean token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"do[opr]_v1_[a-f0-9]{64}\b"),
    _fixed("doppler token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,}"),
    _fixed("databricks token", "dapi", r"dapi[a-f0-9]{32}(?:-\d)?\b"),
    _fixed("linear key", ("lin_api_", "lin_oauth_"), r"lin_api_[A-Za-z0-9]{40}\b|lin_oauth_[A-Za-z0-9]{40,64}\b"),
    _fixed("notion token", ("ntn_", "secret_"), r"ntn_\d{11}[A-Za-z0-9]{35}\b|secret_[A-Za-z0-9]{43}\b"),
    _fixed("figma token", "figd_", r"figd_[A-Za-z0-9_-]{40,}"),
    _fixed("airtable token", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}\b"),
    _fixed("atlassian token", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{180,}"),
    _fixed("shopify token", ("shpat_", "shpca_", "shppa_", "shpss_"), r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b"),
    _fixed(
        "square token", ("sq0atp-", "sq0csp-", "EAAA"), r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}|EAAA[A-Za-z0-9_-]{60}"
    ),
    _fixed("twilio key", "SK", r"SK[0-9a-f]{32}\b"),
    _fixed("sendgrid key", "SG.", r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    _fixed("mailgun key", ("key-", "pubkey-"), r"(?:pub)?key-[a-f0-9]{32}\b"),
    _fixed("mailchimp key", "-us", r"[a-f0-9]{32}-us\d{1,2}\b"),
    _fixed("postman key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}\b"),
    _fixed("new relic key", ("NRAK-", "NRJS-", "NRII-"), r"NRAK-[A-Z0-9]{27}\b|NR(?:JS|II)-[A-Za-z0-9-]{19,32}"),
    _fixed("grafana token", ("glc_", "glsa_"), r"glc_[A-Za-z0-9+/=]{32,}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}\b"),
    _fixed("sentry token", ("sntrys_", "sntryu_"), r"sntrys_[A-Za-z0-9+/=_]{40,}|sntryu_[a-f0-9]{64}\b"),
    _fixed("supabase token", ("sbp_", "sb_secret_"), r"sbp_[a-f0-9]{40}\b|sb_secret_[A-Za-z0-9_-]{20,}"),
    _fixed("planetscale token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{32,}"),
    _fixed("vault token", ("hvs.", "hvb.", "s."), r"hv[sb]\.[A-Za-z0-9_-]{24,}"),
    _fixed("terraform token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    _fixed("pulumi token", "pul-", r"pul-[a-f0-9]{40}\b"),
    _fixed("age key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    _fixed("nvidia key", "nvapi-", r"nvapi-[A-Za-z0-9_-]{60,70}"),
    _fixed("fly.io token", ("fm1", "fm2_"), r"fm(?:1[ar]|2)_[A-Za-z0-9+/=,_-]{60,}"),
    _fixed("vercel token", "vercel_blob_rw_", r"vercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{30}\b"),
    _fixed("heroku key", "HRKU-", r"HRKU-[A-Za-z0-9_-]{36,}"),
    _fixed("dynatrace token", "dt0", r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b"),
    _fixed("clojars token", "CLOJARS_", r"CLOJARS_[a-z0-9]{60}\b"),
    _fixed("mapbox token", "sk.eyJ", r"sk\.eyJ[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{20,}"),
    _fixed("teams webhook", "webhookb2/", r"webhookb2/(?P<secret>[a-f0-9@-]{60,}/IncomingWebhook/[a-f0-9/-]{60,})"),
    _fixed(
        "discord bot token", ("MT", "NT", "OD"), r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}\b"
    ),
    _fixed("telegram token", ":AA", r"\d{8,10}:AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9_-])"),
    _fixed(
        "azure secret",
        ("AccountKey=", "SharedAccessKey=", "Q~"),
        r"(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})|[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}",
    ),
    _fixed("azure sas", "sig=", r"[?&]?sig=(?P<secret>[A-Za-z0-9%+/]{43,}(?:%3D|=)?)"),
    _fixed("json web token", "eyJ", r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
)
"""Formats that name themselves: a match is a secret whatever stands around it. Each lies within one line."""

PRIVATE_KEY = Rule(
    "private key",
    ("PRIVATE KEY",),
    # To the next dash: no key's body has one. Bounded, so that hostile text costs no more than its length.
    re.compile(r"-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----(?P<secret>[^-]{16,16384})"),
)
"""The one format that spans lines."""

_NAME = (
    r"(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret"
    r"|credential)s?"
)
_VALUE = r"(?P<secret>[^\s\"'`<>{}()\[\],;$\\]{8,256})"

GENERIC: tuple[Rule, ...] = (
    Rule(
        "password in a url",
        ("://",),
        re.compile(r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,128}:(?P<secret>[^\s/@\"'<>$\{\}]{3,256})@"),
    ),
    Rule(
        "password of a machine",
        ("machine ", "login "),
        re.compile(r"\b(?:machine \S{1,128}\s{1,8})?login \S{1,128}\s{1,8}password (?P<secret>\S{3,256})"),
    ),
    Rule(
        "cookie",
        ("ookie: ", "OOKIE: "),
        re.compile(r"(?i:\b(?:set-)?cookie: )(?P<secret>[^\s\"'`<>]{1,64}=[^\s\"'`<>]{16,4096})"),
    ),
    Rule(
        "authorization header",
        ("earer ", "asic ", "oken ", "uthorization"),
        re.compile(
            r"(?i:\b(?:authorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token)|bearer))\s+(?P<secret>[A-Za-z0-9+/=._~-]{12,})"
        ),
    ),
    Rule(
        "assigned secret",
        (
            "assw",
            "ASSW",
            "pwd",
            "PWD",
            "assphrase",
            "ASSPHRASE",
            "ecret",
            "ECRET",
            "oken",
            "OKEN",
            "key",
            "KEY",
            "Key",
            "redential",
            "REDENTIAL",
        ),
        # A value in quotes, or one without that holds a digit: `password = user.password` and `token: str` are code.
        re.compile(
            rf"(?i:{_NAME}[\w-]{{0,20}}[\"']?\s{{0,4}}(?::=|=>|=|:)\s{{0,4}})"
            rf"(?:[\"'`](?P<quoted>[^\s\"'`<>{{}}$\\]{{8,256}})[\"'`]|(?=[^\s\"'`]{{0,256}}\d){_VALUE})"
        ),
    ),
)
"""Secrets known only by what stands before them. For showing; too broad to keep words out of an index."""

_PLACEHOLDER = re.compile(
    r"(?i)(?:x{4,}|\*{3,}|\.{3,}|(?:your|my|the|some|test|example|dummy|fake|changeme|placeholder|redacted|masked|none|null|true|false)\b)"
)
_CODE = re.compile(r"[./~]|[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)+\Z|[A-Za-z_-]+\Z|\d+\Z|[\w.]+\(")


def mask(text: str) -> str:
    """``text`` with each secret that a rule knows replaced by ``[masked: <what it is>]``: for what is shown or copied.

    Line ends are kept, so that line numbers stay right. Idempotent.
    """
    if not any(keyword in text for keyword in _ANY_KEYWORD) and not _may_hold_secret(text):
        return text
    form = "[masked: {}]"
    lines = _masked(text, (PRIVATE_KEY,), form).split("\n")
    for number, line in enumerate(lines):
        if len(line) > 7:
            masked = _masked(line, FIXED, form) if _may_hold_secret(line) else line
            lines[number] = _masked(masked, GENERIC, form)
    return "\n".join(lines)


def mask_tokens(text: AnyStr) -> AnyStr:
    """``text`` with secrets of a fixed format taken out (a space in their place): the pass before text is indexed."""
    if isinstance(text, str):
        return cast("AnyStr", _without_tokens(text))
    decoded = text.decode("utf-8", "surrogateescape")
    without = _without_tokens(decoded)
    return cast("AnyStr", text if without == decoded else without.encode("utf-8", "surrogateescape"))


_ANY_KEYWORD = tuple(dict.fromkeys(keyword for rule in (PRIVATE_KEY, *GENERIC) for keyword in rule.keywords))
_RUN_BYTES = bytes(b if chr(b).isalnum() or b in b"_-" else 0x20 for b in range(128)) + b" " * 128
_DIGIT = re.compile(rb"[0-9]")
_PLAIN_HEX = re.compile(rb"[0-9a-f-]+\Z")
_PREFIX = re.compile(
    "|".join(
        sorted(
            {
                re.escape(k)
                for rule in FIXED
                for k in rule.keywords
                if len(k) > 2 and k.isascii() and k.strip("-_").isalnum()
            }
        )
    ).encode()
)
"""How tokens begin: by chance one in some hundred holds no digit, and then only this tells it from a long name."""
_LETTERS_ONLY = ("hf_", "api_org_", "PRIVATE KEY", "webhookb2/")


def _may_hold_secret(text: str) -> bool:
    """The prefilter: every fixed format holds a run of 16 letters and digits that is no plain hash, or names itself."""
    for keyword in _LETTERS_ONLY:
        if keyword in text:
            return True
    for run in text.encode("utf-8", "surrogatepass").translate(_RUN_BYTES).split():
        if len(run) > 15 and (_DIGIT.search(run) or _PREFIX.search(run)) and not _PLAIN_HEX.match(run):
            return True
    return False


def _without_tokens(text: str) -> str:
    if not _may_hold_secret(text):
        return text
    lines = _masked(text, (PRIVATE_KEY,), " ").split("\n")
    for number, line in enumerate(lines):
        if len(line) > 15 and _may_hold_secret(line):
            lines[number] = _masked(line, FIXED, " ")
    return "\n".join(lines)


def _masked(text: str, rules: tuple[Rule, ...], form: str) -> str:
    for rule in rules:
        for keyword in rule.keywords:
            if keyword in text:
                text = _replaced(text, rule, form)
                break
    return text


def _replaced(text: str, rule: Rule, form: str) -> str:
    cover = form.format(rule.name)
    generic = rule in GENERIC

    def replacement(match: re.Match[str]) -> str:
        groups = match.groupdict()
        name = next((name for name in ("secret", "quoted") if groups.get(name) is not None), None)
        start, end = match.span(name or 0)
        secret = text[start:end]
        if generic and (_PLACEHOLDER.match(secret) or (rule.name == "assigned secret" and _CODE.match(secret))):
            return match[0]
        if secret.startswith("[masked"):
            return match[0]
        return text[match.start() : start] + cover + "\n" * secret.count("\n") + text[end : match.end()]

    return rule.expression.sub(replacement, text)
