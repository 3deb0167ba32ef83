"""A generator of realistic Claude Code logs: real words and code (the standard library's), the real share of noise.

Per session some prompts; to each a reply, files read (their text twice, as the client keeps it), edits with the file as
it was before and the patch, commands with output, now and then a commit. About half a megabyte a session.
"""

from __future__ import annotations

import json
import random
import sysconfig
import uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any


def code(limit: int = 12_000_000) -> list[list[str]]:
    """Real source files as lines, from the standard library that runs this."""
    files: list[list[str]] = []
    total = 0
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).rglob("*.py")):
        if "site-packages" in path.parts or total > limit:
            continue
        text = path.read_text("utf-8", "replace")
        if len(text) > 2000:
            files.append(text.split("\n"))
            total += len(text)
    return files


def session_bytes(rng: random.Random, files: list[list[str]], number: int, size: int) -> bytes:
    """One transcript of about ``size`` bytes."""
    now = datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(minutes=37 * number)
    session = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    out: list[bytes] = []
    written = 0
    count = 0

    def line(kind: str, **fields: Any) -> None:
        nonlocal now, written, count
        now += timedelta(seconds=rng.randint(1, 40))
        count += 1
        record = {
            "parentUuid": None, "isSidechain": False, "userType": "external", "cwd": "/home/dev/app",
            "sessionId": session,
            "version": "2.1.37", "gitBranch": "main", "type": kind, "uuid": f"{session[:24]}{count:012d}",
            "timestamp": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"), **fields,
        }  # fmt: skip
        out.append(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n")
        written += len(out[-1])

    def said(block: dict[str, Any]) -> None:
        message = {"id": f"msg_{count}", "type": "message", "role": "assistant", "model": "m", "content": [block]}
        line("assistant", message=message)

    def prose(lines: int) -> str:
        file = rng.choice(files)
        at = rng.randrange(max(1, len(file) - lines))
        return "\n".join(part.strip(" #\"'") for part in file[at : at + lines])

    def called(name: str, arguments: dict[str, Any], text: str, detail: Any) -> None:
        identity = f"toolu_{session[:8]}_{count}"
        said({"type": "tool_use", "id": identity, "name": name, "input": arguments})
        content = [{"type": "tool_result", "tool_use_id": identity, "content": text}]
        line("user", message={"role": "user", "content": content}, toolUseResult=detail)

    while written < size:
        line("user", message={"role": "user", "content": f"please look at this: {prose(3)} (task {number}-{count})"})
        said({"type": "text", "text": prose(8)})
        for _ in range(rng.randint(2, 5)):
            path = f"/home/dev/app/module_{rng.randrange(200)}.py"
            file = rng.choice(files)
            at = rng.randrange(len(file))
            seen = file[at : at + 250]
            shown = "\n".join(f"{at + n:6d}→{text}" for n, text in enumerate(seen))
            detail = {"type": "text", "file": {"filePath": path, "content": "\n".join(seen)}}
            called("Read", {"file_path": path}, shown, detail)
        for _ in range(rng.randint(1, 4)):
            path = f"/home/dev/app/module_{rng.randrange(200)}.py"
            file = rng.choice(files)
            at = rng.randrange(len(file))
            old, new = file[at : at + 6], [*file[at : at + 6], *rng.choice(files)[: rng.randint(3, 25)]]
            patch = [{"lines": [*(f"-{text}" for text in old), *(f"+{text}" for text in new)]}]
            detail = {
                "filePath": path, "oldString": "\n".join(old), "newString": "\n".join(new),
                "originalFile": "\n".join(file[:400]), "structuredPatch": patch, "userModified": False,
            }  # fmt: skip
            arguments = {"file_path": path, "old_string": "\n".join(old), "new_string": "\n".join(new)}
            called("Edit", arguments, f"The file {path} has been updated.", detail)
        output = prose(60)
        called("Bash", {"command": "pytest -q"}, output, {"stdout": output, "stderr": "", "interrupted": False})
        if rng.random() < 0.2:
            sha = f"{rng.getrandbits(28):07x}"
            output = f"[main {sha}] Change number {number}\n 1 file changed"
            called(
                "Bash", {"command": "git commit -m x"}, output, {"stdout": output, "stderr": "", "interrupted": False}
            )
        said({"type": "text", "text": prose(5)})
    return b"".join(out)


def write_store(root: Path, total: int, sessions: int, seed: int = 7) -> int:
    """Fill ``root`` (a configuration folder) with so many sessions, so many bytes in all; returns what was written."""
    rng = random.Random(seed)
    files = code()
    project = root / "projects" / "-home-dev-app"
    project.mkdir(parents=True, exist_ok=True)
    written = 0
    for number in range(sessions):
        size = int(total / sessions * rng.choice((0.3, 0.5, 0.8, 1.2, 2.2)))
        data = session_bytes(rng, files, number, size)
        (project / f"{uuid.UUID(int=rng.getrandbits(128), version=4)}.jsonl").write_bytes(data)
        written += len(data)
    return written
