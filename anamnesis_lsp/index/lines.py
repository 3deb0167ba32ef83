"""Line provenance: what makes two lines the same line, and the number it is looked up by.

A line that an edit wrote and a line of a commit are the same when their normalised forms are: white space collapsed,
a line-number prefix of a tool's output removed. Lines that anybody could have written (brackets, ``return nil``,
``else:``) say nothing about who wrote them and have no normalised form. Pure; the stored hashes depend on these rules,
so a change here is a new schema version (``schema.py``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b

from anamnesis_lsp.index.terms import tokens

MIN_LENGTH = 6
"""Shorter normalised lines are trivial."""

MAX_LENGTH = 4000
"""Longer lines (minified code, data) are compared by this many first characters."""

_NUMBERED = re.compile(r"\d{1,6}(?:→|\|)")
_WORDY = re.compile(r"(?:[\W_]*[^\W_]){4}")

_COMMON = frozenset(
    """
    return nil
    return err
    return null
    return true
    return false
    return True
    return False
    return None
    return result
    return self
    return this
    return nil, err
    return nil, nil
    return err;
    return null;
    return true;
    return false;
    return result;
    return;
    return 0;
    return 0
    return {
    return (
    return []
    return {}
    return [];
    return {};
    if err != nil {
    } else {
    } else if
    else if {
    else:
    else {
    try:
    try {
    finally:
    finally {
    } finally {
    except Exception:
    except:
    pass
    break
    break;
    continue
    continue;
    default:
    import (
    const (
    var (
    func() {
    () => {
    async () => {
    switch {
    select {
    for {
    loop {
    while True:
    while (true) {
    begin
    end if
    endif
    endfor
    </div>
    </span>
    </p>
    </li>
    </ul>
    </a>
    </td>
    </tr>
    </table>
    </body>
    </html>
    </head>
    </script>
    </style>
    </section>
    <div>
    <span>
    <ul>
    <li>
    <tr>
    <td>
    <html>
    <head>
    <body>
    <script>
    <br />
    <br/>
    from __future__ import annotations
    import os
    import sys
    import re
    import json
    import "fmt"
    "fmt"
    "os"
    "strings"
    "testing"
    "context"
    "errors"
    import React from 'react'
    import React from 'react';
    import React from "react";
    'use strict';
    "use strict";
    'use client'
    "use client"
    use strict;
    use super::*;
    package main
    #!/bin/bash
    #!/bin/sh
    #!/usr/bin/env bash
    #!/usr/bin/env python3
    #!/usr/bin/env node
    set -e
    set -euo pipefail
    t.Parallel()
    t.Helper()
    @Override
    @override
    @staticmethod
    @classmethod
    @property
    def __init__(self):
    def __init__(self) -> None:
    def main():
    def main() -> None:
    if __name__ == "__main__":
    if __name__ == '__main__':
    main()
    private:
    public:
    protected:
    namespace {
    using namespace std;
    int main() {
    #pragma once
    #include <stdio.h>
    #include <string>
    #include <vector>
    #include <iostream>
    export default {
    module.exports = {
    defer func() {
    defer cancel()
    wg.Wait()
    wg.Done()
    defer wg.Done()
    ctx := context.Background()
    done
    esac
    then
    ```bash
    ```python
    ```go
    ```json
    ```yaml
    ```typescript
    ```javascript
    """.strip().splitlines()
)
_TRIVIAL = frozenset(" ".join(line.split()) for line in _COMMON)


def normalise(line: str) -> str | None:
    """The form in which a line is compared, or None where the line is trivial and identifies nothing."""
    text = " ".join(line.split())
    if len(text) < MIN_LENGTH:
        return None
    if text[0].isdigit():
        numbered = _NUMBERED.match(text)
        if numbered is not None:
            text = text[numbered.end() :].lstrip()
    if len(text) < MIN_LENGTH or text in _TRIVIAL or _WORDY.match(text) is None:
        return None
    return text[:MAX_LENGTH]


_IMPORT = re.compile(
    r"(?:import|from|use|using|require|include|#include|package|export \* from|export \{)\b"
    r"|(?:const|let|var)\b[^=]*=\s*(?:await\s+)?(?:require|import)\("
)
TELLING_LENGTH = 18
TELLING_TERMS = 3


def telling(line: str) -> bool:
    """Whether a line, written twice, was hardly written twice by chance.

    Long enough, of three words at least, and no import: ``id: string;`` is anybody's.
    """
    normalised = normalise(line)
    if normalised is None or len(normalised) < TELLING_LENGTH or _IMPORT.match(normalised):
        return False
    return len(set(tokens(normalised))) >= TELLING_TERMS


def line_hash(normalised: str) -> int:
    """The signed 64-bit number of a normalised line: BLAKE2b over its UTF-8, so the same on every machine."""
    digest = blake2b(normalised.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def hashes(text: str) -> list[int]:
    """The hashes of the non-trivial lines of ``text``, each once, in the order of their first appearance."""
    seen: dict[str, None] = {}
    for line in text.split("\n"):
        normalised = normalise(line)
        if normalised is not None:
            seen[normalised] = None
    return [line_hash(line) for line in seen]


def numbered(lines: Iterator[str] | list[str], first: int = 1) -> Iterator[tuple[int, int]]:
    """``(line number, hash)`` of each non-trivial line, numbered from ``first``: to tell which lines were found."""
    for number, line in enumerate(lines, first):
        normalised = normalise(line)
        if normalised is not None:
            yield number, line_hash(normalised)
