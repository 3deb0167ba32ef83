"""Which rule finds the blocks of a file: braces, Python's indentation, plain indentation, or none. Chosen by the file's name."""

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


_BRACES = (
    "java kt kts scala groovy gradle c h cc cpp cxx c++ hpp hh hxx ipp m mm cs go rs js jsx mjs cjs ts tsx mts cts php swift dart "
    "sol zig glsl hlsl cu cuh proto thrift hx vala aidl d"
).split()
_PYTHON = "py pyi pyx pxd pyw bzl star".split()
_INDENTED = "rb rake lua sh bash zsh fish ex exs jl pl pm r nim coffee cr vim hs ml mli fs fsx erl tcl ps1 f90 ada adb pas bas vb".split()
_BY_SUFFIX = {
    **dict.fromkeys(_BRACES, Family.BRACES),
    **dict.fromkeys(_PYTHON, Family.PYTHON),
    **dict.fromkeys(_INDENTED, Family.INDENTED),
}


def family_of(path: str) -> Family:
    """The family of the file at ``path``, by the letters after its last dot."""
    name = path.rsplit("/", 1)[-1]
    return _BY_SUFFIX.get(name.rsplit(".", 1)[-1].lower(), Family.LINES) if "." in name else Family.LINES


def suffix_of(path: str) -> str:
    """What follows the last dot of the file's name, lower case; empty when there is none."""
    name = path.rsplit("/", 1)[-1]
    return name.rsplit(".", 1)[-1].lower() if "." in name else ""
