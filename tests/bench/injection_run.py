"""Hostile strings by the hundred thousand through every form of the sanitiser and every parser that clients use.

    python tests/bench/injection_run.py --count 100000 [--seed 1] [--marked FOLDER_WITH_NODE_MODULES]

markdown-it (the family of VS Code), rich (our terminal) and, with ``--marked``, marked in Node (VS Code's hovers). A
string counts as live where a parser sees a link, an image, HTML or emphasis in it, where it leaves its fence, where a
character that acts is left, or where it forges a citation. Prints one JSON object of figures; exit code 1 on any find.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from anamnesis_lsp.present import escape  # noqa: E402
from anamnesis_lsp.present.terminal import styled  # noqa: E402
from tests.builders.injection import hostile_text  # noqa: E402
from tests.security.inert import GFM, check_markdown, check_plain, check_terminal  # noqa: E402

INERT = {"text", "code_inline", "softbreak"}

MARKED = """
const fs = require("fs"), path = require("path"), readline = require("readline");
const { marked } = require(path.join(process.argv[2], "node_modules", "marked"));
const live = new Set(["link", "image", "html", "tag", "em", "strong", "del", "heading", "list", "table", "blockquote",
  "hr", "def"]);
let count = 0, found = [];
function walk(tokens, inline, text) {
  for (const t of tokens || []) {
    if (live.has(t.type) || (inline && t.type === "code")) found.push([t.type, text]);
    walk(t.tokens, inline, text); walk(t.items, inline, text);
  }
}
readline.createInterface({ input: fs.createReadStream(process.argv[3]) }).on("line", (line) => {
  const [inline, block] = JSON.parse(line);
  count++;
  walk(marked.lexer(inline, { gfm: true }), true, inline);
  const types = marked.lexer(block, { gfm: true }).filter((t) => t.type !== "space").map((t) => t.type).join();
  if (types !== "paragraph,code,paragraph") found.push([types, block]);
}).on("close", () => console.log(JSON.stringify({ count, live: found.length, first: found.slice(0, 3) })));
"""


def forms(text: str) -> tuple[str, str]:
    """One line with the text in every inline form, and one block of it between two paragraphs of ours."""
    line = f"They said {escape.quoted(text)}: {escape.inline(text)} in {escape.code(text)} end"
    return line, f"before\n\n{escape.block(text)}\n\nafter"


def check(text: str) -> None:
    """Raises AssertionError where anything of the text is live."""
    line, block = forms(text)
    for token in GFM.parse(line):
        kinds = {child.type for child in token.children or []}
        assert token.type in ("paragraph_open", "inline", "paragraph_close") and kinds <= INERT, (token.type, kinds)
    check_markdown(line)
    types = [token.type for token in GFM.parse(block)]
    paragraph = ["paragraph_open", "inline", "paragraph_close"]
    assert types == [*paragraph, "fence", *paragraph], types
    check_markdown(block)
    start = GFM.parse(escape.inline(text))
    assert {token.type for token in start} <= {"paragraph_open", "inline", "paragraph_close"}, start
    check_plain(f"They said {escape.plain(text)}, {escape.quoted_plain(text)}\n{escape.plain_block(text)}")


def check_rich(text: str) -> None:
    """As the terminal shows a story, and as it shows a document."""
    from rich.console import Console
    from rich.markdown import Markdown

    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system="truecolor", width=100, highlight=False)
    console.print(styled(f"They said {escape.plain(text)}\n{escape.plain_block(text)}"))
    console.print(Markdown("\n\n".join(forms(text)), hyperlinks=False))
    check_terminal(out.getvalue())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rich-every", type=int, default=20, help="rich is slow: one string in so many")
    parser.add_argument("--marked", type=Path, help="a folder where `npm install marked` was run")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    figures: dict[str, Any] = {"strings": 0, "rich": 0, "live": 0, "first": []}
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder, "lines.jsonl")
        with lines.open("w", encoding="utf-8") as file:
            for number in range(options.count):
                text = hostile_text(rng)
                figures["strings"] += 1
                try:
                    check(text)
                    if number % options.rich_every == 0:
                        figures["rich"] += 1
                        check_rich(text)
                except AssertionError as found:
                    figures["live"] += 1
                    figures["first"] = [*figures["first"], [text, str(found)[:300]]][:5]
                if options.marked is not None:
                    file.write(json.dumps(forms(text)) + "\n")
        figures["seconds"] = round(time.monotonic() - began)
        if options.marked is not None:
            script = Path(folder, "marked.js")
            script.write_text(MARKED)
            done = subprocess.run(
                ["node", str(script), str(options.marked.resolve()), str(lines)], capture_output=True, check=True
            )
            figures["marked"] = json.loads(done.stdout)
            figures["live"] += figures["marked"]["live"]
    print(json.dumps(figures, indent=1, ensure_ascii=True))
    return 1 if figures["live"] else 0


if __name__ == "__main__":
    sys.exit(main())
