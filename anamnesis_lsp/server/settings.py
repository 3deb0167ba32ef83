"""The person's settings, validated. A bad value is named and left at its default; it never stops the server.

Two sources, two trusts. ``initializationOptions`` are what the person's own editor configuration sends: every setting
counts. What ``workspace/configuration`` answers may come from a file of the opened repository, and a repository is
hostile input: from there a setting may change what is shown or search *less*, and one that would search more, or run
another program, is ignored and said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

if TYPE_CHECKING:
    from anamnesis_lsp.recall.settings import RecallSettings

ContractName = Literal["anamnesis", "recollect"]
HoverSetting = Literal["brief", "full", "afterRecollect", "off"]

CONTRACTS: tuple[ContractName, ...] = ("anamnesis", "recollect")
HOVERS: tuple[HoverSetting, ...] = ("brief", "full", "afterRecollect", "off")
LIST_LIMIT = 64
PATTERN_LIMIT = 1024
WAIT_SECONDS = 3.0
"""So long a recall in an editor waits for the index to be brought up to date; then it tells of what was read."""


@dataclass(frozen=True, slots=True)
class ExtraStore:
    """A store the person named: a runtime's name, ``transcripts``, ``decisions`` or ``beads``, and where it is."""

    kind: str
    path: Path


@dataclass(frozen=True, slots=True)
class Settings:
    """``anamnesis.*``. Frozen; a change is a new value."""

    contract: ContractName = "anamnesis"
    hover: HoverSetting = "brief"
    code_lens: bool = False
    """``codeLens``: a lens above the lines a held recall is about. Off by default."""
    stores: Mapping[str, bool] = field(default_factory=lambda: dict[str, bool]())
    """``stores``: a runtime's name to whether it is searched; one that is not named is."""
    extra_stores: tuple[ExtraStore, ...] = ()
    """``extraStores``: ``[{"kind", "path"}]``. Only from the person's own configuration."""
    extra_roots: tuple[Path, ...] = ()
    """``extraRoots``: further repositories whose records may be opened. Only from the person's own configuration."""
    index: bool = True
    """``index``: whether the stores are indexed in the background."""
    keep_days: float = 90.0
    """``keepDays``: recalls that did not change for so many days are forgotten; 0: recalls are not kept on disk. Only
    from the person's own configuration."""
    exclude_folders: tuple[str, ...] = ()
    """``excludeFolders``: patterns of folders whose conversations are kept out of the index and of every search. A
    workspace may add to them."""
    exclude_sessions: tuple[str, ...] = ()
    """``excludeSessions``: the same by patterns of session ids."""
    index_keep_days: float = 90.0
    """``indexKeepDays``: how long the index keeps what it read of a conversation that is gone; 0: not at all. Only from
    the person's own configuration."""
    index_max_megabytes: float = 2000.0
    """``indexMaxMegabytes``: beyond, further conversations are left out of the index. Only from the person's own
    configuration."""

    @property
    def of_recalls(self) -> tuple[object, ...]:
        """What a running brain depends on: where this changes, another one is made."""
        off = frozenset(name for name, on in self.stores.items() if not on)
        kept_out = self.exclude_folders, self.exclude_sessions
        of_index = self.index, self.index_keep_days, self.index_max_megabytes
        return self.contract, off, self.extra_stores, self.extra_roots, self.keep_days, kept_out, of_index


@dataclass(frozen=True, slots=True)
class Read:
    """Settings with what was wrong in them: each a sentence that names the setting and what it takes, never its
    value.
    """

    settings: Settings
    problems: tuple[str, ...] = ()


def from_person(options: object) -> Read:
    """Settings of ``initializationOptions``: the object itself, or its ``anamnesis`` or ``settings`` member."""
    return _read(_section(options), Settings(), trusted=True)


def from_workspace(answer: object, person: Settings) -> Read:
    """``person`` as changed by what ``workspace/configuration`` answered for the section ``anamnesis``."""
    return _read(answer, person, trusted=False)


def _section(options: object) -> object:
    if isinstance(options, dict):
        members = cast("dict[str, object]", options)
        for name in ("anamnesis", "settings"):
            if isinstance(members.get(name), dict):
                return members[name]
        return members
    return options


def _read(source: object, base: Settings, *, trusted: bool) -> Read:
    if source is None:
        return Read(base)
    if not isinstance(source, dict):
        return Read(base, ("anamnesis must be an object of settings.",))
    values = cast("dict[str, object]", source)
    changes: dict[str, Any] = {}
    problems: list[str] = []
    for name, (attribute, parse) in _SETTINGS.items():
        if values.get(name) is None:
            continue
        if not trusted and name in _WIDENING:
            if parse(values[name]) != getattr(base, attribute):
                problems.append(
                    f"anamnesis.{name} is only read from your own configuration: a workspace cannot set it."
                )
            continue
        parsed = parse(values[name])
        if parsed is None:
            problems.append(f"anamnesis.{name} must be {_EXPECTED[name]}; its value was left out.")
        elif name == "stores" and not trusted:
            changes[attribute], widened = _narrowed(base.stores, parsed)
            if widened:
                problems.append("anamnesis.stores: a workspace can only turn a store off.")
        elif name in _ADDED_TO and not trusted:
            changes[attribute] = tuple(dict.fromkeys((*getattr(base, attribute), *parsed)))
        else:
            changes[attribute] = parsed
    return Read(replace(base, **changes), tuple(problems))


def _narrowed(person: Mapping[str, bool], workspace: Mapping[str, bool]) -> tuple[dict[str, bool], bool]:
    merged = dict(person)
    widened = False
    for name, on in workspace.items():
        if on and not person.get(name, True):
            widened = True
        elif not on:
            merged[name] = False
    return merged, widened


def _one_of(names: tuple[str, ...]) -> Callable[[object], object | None]:
    return lambda value: value if isinstance(value, str) and value in names else None


def _boolean(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _days(value: object) -> float | None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(cast("float", value)) if number and 0 <= cast("float", value) <= 36500 else None


def _megabytes(value: object) -> float | None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(cast("float", value)) if number and 1 <= cast("float", value) <= 1e6 else None


def _switches(value: object) -> dict[str, bool] | None:
    if not isinstance(value, dict):
        return None
    switches = cast("dict[object, object]", value)
    if len(switches) > LIST_LIMIT or not all(isinstance(on, bool) for on in switches.values()):
        return None
    return {str(name): bool(on) for name, on in switches.items()}


def _paths(value: object) -> tuple[Path, ...] | None:
    if not isinstance(value, list):
        return None
    listed = cast("list[object]", value)
    if len(listed) > LIST_LIMIT:
        return None
    paths = [_path(item) for item in listed]
    return tuple(path for path in paths if path is not None) if None not in paths else None


def _path(value: object) -> Path | None:
    if not isinstance(value, str) or not value or "\0" in value:
        return None
    try:
        path = Path(value).expanduser()
    except RuntimeError:
        return None
    return path if path.is_absolute() else None


def _extra_stores(value: object) -> tuple[ExtraStore, ...] | None:
    if not isinstance(value, list):
        return None
    listed = cast("list[object]", value)
    if len(listed) > LIST_LIMIT:
        return None
    stores: list[ExtraStore] = []
    for item in listed:
        members = cast("dict[str, object]", item) if isinstance(item, dict) else {}
        kind, path = members.get("kind"), _path(members.get("path"))
        if not isinstance(kind, str) or not kind or path is None:
            return None
        stores.append(ExtraStore(kind, path))
    return tuple(stores)


def _patterns(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list):
        return None
    listed = cast("list[object]", value)
    if len(listed) > LIST_LIMIT:
        return None
    patterns = tuple(item for item in listed if isinstance(item, str) and item.strip() and len(item) <= PATTERN_LIMIT)
    return patterns if len(patterns) == len(listed) else None


_SETTINGS: dict[str, tuple[str, Callable[[object], Any]]] = {
    "contract": ("contract", _one_of(CONTRACTS)),
    "hover": ("hover", _one_of(HOVERS)),
    "codeLens": ("code_lens", _boolean),
    "stores": ("stores", _switches),
    "extraStores": ("extra_stores", _extra_stores),
    "extraRoots": ("extra_roots", _paths),
    "index": ("index", _boolean),
    "keepDays": ("keep_days", _days),
    "excludeFolders": ("exclude_folders", _patterns),
    "excludeSessions": ("exclude_sessions", _patterns),
    "indexKeepDays": ("index_keep_days", _days),
    "indexMaxMegabytes": ("index_max_megabytes", _megabytes),
}
_WIDENING = frozenset({"extraStores", "extraRoots", "keepDays", "indexKeepDays", "indexMaxMegabytes"})
_ADDED_TO = frozenset({"excludeFolders", "excludeSessions"})
"""What a workspace gives is added to the person's own."""
"""Settings that a workspace cannot set: it could have more searched, or have what is kept removed."""
_EXPECTED = {
    "contract": "'anamnesis' or 'recollect'",
    "hover": "'brief', 'full', 'afterRecollect' or 'off'",
    "codeLens": "true or false",
    "stores": "an object of store names to true or false",
    "extraStores": 'a list of {"kind", "path"} with absolute paths',
    "extraRoots": "a list of absolute paths",
    "index": "true or false",
    "keepDays": "a number of days from 0",
    "excludeFolders": "a list of patterns of folders",
    "excludeSessions": "a list of patterns of session ids",
    "indexKeepDays": "a number of days from 0",
    "indexMaxMegabytes": "a number of megabytes from 1",
}
NAMES = tuple(_SETTINGS)
"""Every setting, as the protocol page must name them."""


def for_recall(settings: Settings) -> RecallSettings:
    """What of the settings a recall depends on."""
    from anamnesis_lsp.recall.settings import RecallSettings
    from anamnesis_lsp.records.conversations.excluding import Excluded
    from anamnesis_lsp.records.conversations.stores import Store

    return RecallSettings(
        contract=settings.contract,
        stores_off=frozenset(name for name, on in settings.stores.items() if not on),
        extra_stores=tuple(Store.at(store.kind, store.path) for store in settings.extra_stores),
        refresh=settings.index,
        keep=settings.keep_days > 0,
        keep_days=settings.keep_days or None,
        excluded=Excluded(settings.exclude_folders, settings.exclude_sessions),
        index_retention_days=settings.index_keep_days,
        index_max_bytes=int(settings.index_max_megabytes * 1e6),
        wait_seconds=WAIT_SECONDS,
    )
