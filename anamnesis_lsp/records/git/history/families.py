"""Which rule finds the blocks of a file: braces, Python's indentation, plain indentation, or none. Chosen by the
file's name."""

from __future__ import annotations

from enum import Enum


class Family(Enum):
    """How a language marks its blocks, and so its comments and strings."""

    BRACES = "braces"
    PYTHON = "python"
    INDENTED = "indented"
    """Code without a rule of its own: a header, deeper lines, a closing word."""
    LINES = "lines"
    """Text, data, markup: no blocks; lines are followed as they are."""


_BRACES = """
java kt kts scala groovy gradle c h cc cpp cxx c++ hpp hh hxx ipp m mm cs go rs js jsx mjs cjs ts tsx mts cts php swift
dart sol zig glsl hlsl cu cuh proto thrift hx vala aidl d
"""
_PYTHON = "py pyi pyx pxd pyw bzl star"
_LINES = """
md markdown rst txt adoc org tex json jsonc json5 yaml yml toml ini cfg conf properties xml html htm xhtml svg css scss
less sass csv tsv lock sum mod diff patch log po pot ipynb sql graphql plist sln csproj vcxproj bib
"""
_BY_SUFFIX = {
    **dict.fromkeys(_BRACES.split(), Family.BRACES),
    **dict.fromkeys(_PYTHON.split(), Family.PYTHON),
    **dict.fromkeys(_LINES.split(), Family.LINES),
}


def family_of(path: str) -> Family:
    """The family of the file at ``path``, by the letters after its last dot; code that is not known goes by its
    indentation."""
    return _BY_SUFFIX.get(suffix_of(path), Family.INDENTED)


def suffix_of(path: str) -> str:
    """What follows the last dot of the file's name, lower case; empty when there is none."""
    name = path.rsplit("/", 1)[-1]
    return name.rsplit(".", 1)[-1].lower() if "." in name else ""
