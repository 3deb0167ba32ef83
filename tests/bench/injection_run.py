"""Hostile strings by the hundred thousand through every form of the sanitiser and every parser that clients use.

    python tests/bench/injection_run.py --count 100000 [--seed 1] [--node FOLDER_WITH_NODE_MODULES] [--nvim NVIM]

markdown-it in Python (CommonMark with all of GFM) and rich (our terminal) always; with ``--node``, where ``npm install
marked markdown-it`` was run, marked (VS Code's hovers) and markdown-it as VS Code's preview sets it; with ``--nvim``,
Neovim's own Markdown trees behind what its hover makes of the text. A string counts as live where a parser sees a link,
an image, HTML or emphasis in it, where it leaves its fence, where a character that acts is left, or where it forges a
citation. Prints one JSON object of figures; exit code 1 on any find.
"""

from __future__ import annotations

import argparse
import io
import json
import os
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

NODE = """
const fs = require("fs"), path = require("path"), readline = require("readline");
const from = (name) => require(path.join(process.argv[2], "node_modules", name));
const { marked } = from("marked");
const markdownIt = from("markdown-it")({ html: true, linkify: true });
const plain = new Set(["text", "code_inline", "softbreak"]);
const live = new Set(["link", "image", "html", "tag", "em", "strong", "del", "heading", "list", "table", "blockquote",
  "hr", "def"]);
let count = 0, found = { marked: [], "markdown-it": [] };
function walk(tokens, inline, text) {
  for (const t of tokens || []) {
    if (live.has(t.type) || (inline && t.type === "code")) found.marked.push([t.type, text]);
    walk(t.tokens, inline, text); walk(t.items, inline, text);
  }
}
function kinds(text) {
  const tokens = markdownIt.parse(text, {}), types = tokens.map((t) => t.type);
  for (const t of tokens) for (const child of t.children || []) if (!plain.has(child.type)) types.push(child.type);
  return types.join().replaceAll("paragraph_open,inline,paragraph_close", "p");
}
readline.createInterface({ input: fs.createReadStream(process.argv[3]) }).on("line", (line) => {
  const [inline, block] = JSON.parse(line);
  count++;
  walk(marked.lexer(inline, { gfm: true }), true, inline);
  const types = marked.lexer(block, { gfm: true }).filter((t) => t.type !== "space").map((t) => t.type).join();
  if (types !== "paragraph,code,paragraph") found.marked.push([types, block]);
  if (kinds(inline) !== "p") found["markdown-it"].push([kinds(inline), inline]);
  if (kinds(block) !== "p,fence,p") found["markdown-it"].push([kinds(block), block]);
}).on("close", () => {
  const told = {};
  for (const name in found) told[name] = { count, live: found[name].length, first: found[name].slice(0, 3) };
  console.log(JSON.stringify(told));
});
"""

NVIM = """
local count, found = 0, {}
local inert = { inline = true, code_span = true, code_span_delimiter = true, backslash_escape = true,
  hard_line_break = true }
local blocks = { document = true, section = true, paragraph = true, inline = true, fenced_code_block = true,
  fenced_code_block_delimiter = true, info_string = true, language = true, code_fence_content = true,
  block_continuation = true }
local function look(node, allowed, fences, text)
  local kind = node:type()
  if node:named() and not allowed[kind] then found[#found + 1] = { kind, text } end
  if kind == "fenced_code_block" then fences[#fences + 1] = { node:range() } end
  for child in node:iter_children() do look(child, allowed, fences, text) end
end
local function check(text, fenced)
  local lines = vim.lsp.util.convert_input_to_markdown_lines({ kind = "markdown", value = text })
  local shown = table.concat(lines, "\\n")
  local parser = vim.treesitter.get_string_parser(shown, "markdown")
  parser:parse(true)
  local fences = {}
  parser:for_each_tree(function(tree, of)
    if of:lang() == "markdown" then look(tree:root(), blocks, fences, text) end
    if of:lang() == "markdown_inline" then look(tree:root(), inert, {}, text) end
  end)
  if #fences ~= (fenced and 1 or 0) then found[#found + 1] = { #fences .. " fences", text } end
  if fenced and fences[1] and (fences[1][1] ~= 2 or fences[1][3] < #lines - 3) then
    found[#found + 1] = { "a fence that is left", text }
  end
end
for line in io.lines(vim.env.LINES_OF) do
  local forms = vim.json.decode(line)
  count = count + 1
  check(forms[1], false)
  check(forms[2], true)
end
local version = vim.version()
io.stdout:write(vim.json.encode({ count = count, live = #found, version = tostring(version),
  first = { found[1], found[2], found[3] } }))
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
    parser.add_argument("--node", type=Path, help="a folder where `npm install marked markdown-it` was run")
    parser.add_argument("--nvim", help="Neovim 0.11 or newer")
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
                if options.node is not None or options.nvim is not None:
                    file.write(json.dumps(forms(text)) + "\n")
        figures["seconds"] = round(time.monotonic() - began)
        if options.node is not None:
            script = Path(folder, "parsers.js")
            script.write_text(NODE)
            run = ["node", str(script), str(options.node.resolve()), str(lines)]
            figures |= json.loads(subprocess.run(run, capture_output=True, check=True).stdout)
        if options.nvim is not None:
            script = Path(folder, "parsers.lua")
            script.write_text(NVIM)
            run = [options.nvim, "--clean", "--headless", "-l", str(script)]
            env = {**os.environ, "LINES_OF": str(lines)}
            figures["nvim"] = json.loads(subprocess.run(run, capture_output=True, check=True, env=env).stdout)
        figures["live"] += sum(one["live"] for one in figures.values() if isinstance(one, dict))
    print(json.dumps(figures, indent=1, ensure_ascii=True))
    return 1 if figures["live"] else 0


if __name__ == "__main__":
    sys.exit(main())
