// A unified diff taken back: the text before a change, from the text after it.

/** The lines of a text without their ends; a last line end adds no line. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines[lines.length - 1] === "") {
    lines.pop();
  }
  return lines;
}

/** The text before the change that `diff` (hunks of any context, also none) describes. */
export function before(after: string, diff: string): string {
  const now = linesOf(after);
  const then: string[] = [];
  let next = 0;
  let inHunk = false;
  for (const line of linesOf(diff)) {
    const head = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (head) {
      inHunk = true;
      const start = Number(head[1]);
      const until = head[2] === "0" ? start : start - 1;
      while (next < Math.min(until, now.length)) {
        then.push(now[next++]);
      }
    } else if (inHunk && line.startsWith("-")) {
      then.push(line.slice(1));
    } else if (inHunk && line.startsWith("+")) {
      next++;
    } else if (inHunk && line.startsWith(" ")) {
      then.push(now[next] ?? line.slice(1));
      next++;
    }
  }
  then.push(...now.slice(next));
  return then.length ? then.join("\n") + "\n" : "";
}
