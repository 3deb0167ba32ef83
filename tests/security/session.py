"""A whole session of a client and of a terminal: every public operation, by name, on one file of one repository."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from anamnesis_lsp import cli
from tests.server.rpc import Inside, Rpc

CAPABILITIES = {
    "textDocument": {"hover": {"contentFormat": ["markdown"]}},
    "window": {"showDocument": {"support": True}, "workDoneProgress": True},
}

Operation = Callable[[], object]


def inside(root: Path, options: Any = None) -> Rpc:
    """An initialized server over the real brain, in this process."""
    from anamnesis_lsp.server.app import build

    client = Rpc(Inside(build()))
    client.initialize(root, CAPABILITIES, {"virtualDocuments": True, **(options or {})})
    return client


class Session:
    """The operations of the server on lines ``first`` to ``last`` (1-based) of ``file``; records go into ``seen``."""

    def __init__(self, client: Rpc, file: Path, first: int, last: int) -> None:
        self.client, self.file, self.uri = client, file, file.as_uri()
        self.span = {"start": {"line": first - 1, "character": 0}, "end": {"line": last, "character": 0}}
        self.at = {"textDocument": {"uri": self.uri}, "position": {"line": first - 1, "character": 1}}
        self.recall: str | None = None
        self.locators: list[str] = []
        self.seen: list[Any] = []

    def ask(self, method: str, params: Any = None) -> Any:
        """The whole answer, a refusal too; a fault of the server's is none."""
        answer = self.client.request(method, params, 60)
        assert answer.get("error", {}).get("code") != -32603, (method, answer)
        self.seen.append(answer)
        return answer

    def recollect(self, **params: Any) -> Any:
        answer = self.ask("anamnesis/recollect", {"show": False, **params})
        shown = answer.get("result")
        if shown is not None:
            self.recall = shown["recall"]
            self.locators += [record["locator"] for record in shown["records"]]
            self.locators += [f"anamnesis:///{kind}/{shown['recall']}.md" for kind in ("recall", "scope")]
            commits = [record for record in shown["records"] if record["kind"] == "commit"]
            for kind in ("file", "diff") if commits else ():
                root = commits[0]["locator"].split("/")[4]
                path = self.file.name if self.file.parent.name != "src" else f"src/{self.file.name}"
                self.locators.append(f"anamnesis:///{kind}/{root}/{commits[0]['id']}/{path}")
        return answer

    def each(self, method: str, params: Callable[[str], Any]) -> None:
        for locator in dict.fromkeys(self.locators):
            self.ask(method, params(locator))

    def command(self, name: str, argument: Any) -> Any:
        return self.ask("workspace/executeCommand", {"command": f"anamnesis.{name}", "arguments": [argument]})

    def operations(self) -> dict[str, Operation]:
        """Every method and command, in an order in which each has something to do."""
        client, here = self.client, {"textDocument": {"uri": self.uri}}
        text = self.file.read_text()

        def inside(locator: str) -> Any:
            return {"textDocument": {"uri": locator}, "position": {"line": 4, "character": 4}}

        return {
            "didOpen": lambda: client.open(self.file),
            "codeAction": lambda: self.ask(
                "textDocument/codeAction", {**here, "range": self.span, "context": {"diagnostics": []}}
            ),
            "hover": lambda: self.ask("textDocument/hover", self.at),
            "recollect lines": lambda: self.recollect(uri=self.uri, range=self.span),
            "hover again": lambda: self.ask("textDocument/hover", self.at),
            "content": lambda: self.each("anamnesis/content", lambda one: {"uri": one}),
            "textDocumentContent": lambda: self.each("workspace/textDocumentContent", lambda one: {"uri": one}),
            "open": lambda: self.each("anamnesis/open", lambda one: {"locator": one}),
            "documentLink": lambda: self.each("textDocument/documentLink", lambda o: {"textDocument": {"uri": o}}),
            "documentSymbol": lambda: self.each("textDocument/documentSymbol", lambda o: {"textDocument": {"uri": o}}),
            "definition": lambda: self.each("textDocument/definition", inside),
            "hover on a citation": lambda: self.each("textDocument/hover", inside),
            "resolve": lambda: self.each(
                "documentLink/resolve", lambda one: {"range": self.span, "data": {"locator": one}}
            ),
            "didChange": lambda: client.notify(
                "textDocument/didChange",
                {"textDocument": {"uri": self.uri, "version": 2}, "contentChanges": [{"text": f"# new\n{text}"}]},
            ),
            "recollect unsaved": lambda: self.recollect(uri=self.uri, range=self.span),
            "recollect cue": lambda: self.recollect(cue="why was number three changed before the release"),
            "recollect untracked": lambda: self.recollect(
                uri=(self.file.parent.parent / "new.py").as_uri(), range=self.span
            ),
            "say": lambda: self.ask("anamnesis/say", {"text": "no, the other one, by Ada", "show": False}),
            "say further": lambda: self.ask("anamnesis/say", {"text": "yes, search further", "show": False}),
            "identify": lambda: self.command("identify", {"show": False, "recall": self.recall}),
            "copyContext": lambda: [self.ask("anamnesis/copyContext", {"as": a}) for a in ("markdown", "commit")],
            "codeLens": lambda: client.request("textDocument/codeLens", here),
            "end": lambda: self.ask("anamnesis/end", {"show": False}),
            "recalls": lambda: self.ask("anamnesis/recalls"),
            "stores": lambda: self.ask("anamnesis/stores"),
            "reindex": lambda: self.command("reindex", {}),
            "recollect shown": lambda: self.command("recollect", {"uri": self.uri, "range": self.span}),
            "didChangeConfiguration": lambda: client.notify(
                "workspace/didChangeConfiguration", {"settings": {"anamnesis": {"hover": "full"}}}
            ),
            "didChangeWorkspaceFolders": lambda: client.notify(
                "workspace/didChangeWorkspaceFolders",
                {"event": {"added": [{"uri": (self.file.parents[1] / "docs").as_uri(), "name": "d"}], "removed": []}},
            ),
            "didSave": lambda: client.notify("textDocument/didSave", here),
            "didClose": lambda: client.notify("textDocument/didClose", here),
            "shutdown": lambda: self.ask("shutdown"),
        }


def terminal(root: Path, *arguments: str) -> tuple[int, str, str]:
    """The command line in ``root``: exit code, standard output, standard error."""
    out, err, before = io.StringIO(), io.StringIO(), Path.cwd()
    os.chdir(root)
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = cli.main(list(arguments))
    finally:
        os.chdir(before)
    return code, out.getvalue(), err.getvalue()


def terminal_operations(root: Path, path: str, span: str, folder: Path) -> dict[str, Operation]:
    """Every command of the command line, run in ``root``; a fault of ours (exit code 4) is none."""
    requests = folder / "requests.jsonl"
    start, end = span.split("-")
    lines = [
        {"path": path, "start_line": int(start), "end_line": int(end)},
        {"path": path, "start_line": int(start), "end_line": int(end), "rev": "HEAD~1"},
        {"cue": "number three"},
        {"repo": str(root), "rev": "HEAD", "path": path, "start_line": int(start), "end_line": int(end)},
    ]
    requests.write_text("".join(json.dumps(line) + "\n" for line in lines))
    locators: list[str] = []

    def run(*arguments: str) -> Any:
        code, out, err = terminal(root, *arguments)
        assert code in (0, 1, 2, 3), (arguments, code, err)
        assert "Traceback" not in err
        return out

    def recollect_json() -> None:
        told = run("recollect", "--json", f"{path}:{span}")
        if told:  # else it was refused: a clone without its objects
            locators.extend(record["locator"] for record in json.loads(told)["records"])

    commands: dict[str, Operation] = {
        "cli recollect": lambda: run("recollect", f"{path}:{span}"),
        "cli recollect --json": recollect_json,
        "cli recollect --rev": lambda: run("recollect", "--rev", "HEAD~1", f"{path}:{span}"),
        "cli recollect --cue": lambda: run("recollect", "--cue", "number three"),
        "cli recollect --batch": lambda: run("recollect", "--batch", str(requests)),
        "cli recollect untracked": lambda: run("recollect", "new.py:1-1"),
        "cli history": lambda: run("history", f"{path}:{span}"),
        "cli history --json": lambda: run("history", "--json", f"{path}:{span}"),
        "cli history --batch": lambda: run("history", "--batch", str(requests)),
        "cli open": lambda: [run("open", locator) for locator in locators],
        "cli stores": lambda: run("stores", "--json"),
        "cli index --refresh": lambda: run("index", "--refresh"),
        "cli index --rebuild": lambda: run("index", "--rebuild"),
        "cli doctor": lambda: run("doctor", "--json"),
    }
    os.environ.pop("ANAMNESIS_DEBUG", None)
    return commands
