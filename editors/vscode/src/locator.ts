// What a locator (anamnesis:///KIND/ROOT/REST) names, as far as this client needs it.
import * as crypto from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";

export const SCHEME = "anamnesis";

export interface Place {
  kind: string;
  root?: string;
  hash?: string;
  path?: string;
}

/** A URI as the protocol writes it: VS Code leaves out the `//` of an empty authority. */
export const written = (uri: vscode.Uri): string => uri.toString().replace(/^anamnesis:\/(?!\/)/, "anamnesis:///");

export const storyUri = (recall: string): vscode.Uri => vscode.Uri.parse(`${SCHEME}:///recall/${encodeURIComponent(recall)}.md`);
export const scopeUri = (recall: string): vscode.Uri => vscode.Uri.parse(`${SCHEME}:///scope/${encodeURIComponent(recall)}.md`);

/** The recall whose story or scope report a document is. */
export function recallOf(uri: vscode.Uri | undefined): string | undefined {
  return uri?.scheme.startsWith(SCHEME) ? /^\/(?:recall|scope)\/([^/]+)\.(?:md|txt)$/.exec(uri.path)?.[1] : undefined;
}

/** Kind and, for a commit, a file or a diff, the rest. */
export function placeOf(uri: vscode.Uri): Place {
  const [, kind, root, third, ...rest] = uri.path.split("/");
  if (kind === "commit") {
    const named = /(?:^|&)path=(.*?)(?:&lines=\d+-\d+)?$/.exec(uri.query)?.[1];
    return { kind, root, hash: third?.replace(/\.md$/, ""), path: named };
  }
  if (kind === "file" || kind === "diff") {
    return { kind, root, hash: third, path: rest.join("/") };
  }
  return { kind, root: kind === "conversation" ? third : root };
}

const LABELS: Record<string, string> = { recall: "Story", scope: "What was searched", conversation: "Conversation" };

/** What the tab of a document is called. */
export function labelOf(uri: vscode.Uri): string {
  const place = placeOf(uri);
  const last = uri.path.split("/").pop() ?? "";
  if (place.kind === "commit") {
    return `Commit ${place.hash?.slice(0, 9)}`;
  }
  return place.kind === "file" ? `${last} (${place.hash?.slice(0, 9)})` : (LABELS[place.kind] ?? last);
}

const encoded = (file: string): string => file.split("/").map(encodeURIComponent).join("/");

export function fileUri(place: Place): vscode.Uri {
  return vscode.Uri.parse(`${SCHEME}:///file/${place.root}/${place.hash}/${encoded(place.path ?? "")}`);
}

export function diffLocator(place: Place): string {
  return `${SCHEME}:///diff/${place.root}/${place.hash}/${encoded(place.path ?? "")}`;
}

/** The folder of this machine that a ROOT stands for, looked for at and above the workspace's folders. */
export function rootFolder(root: string | undefined): string | undefined {
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    if (folder.uri.scheme !== "file") {
      continue;
    }
    let at = fs.realpathSync(folder.uri.fsPath);
    for (;;) {
      if (crypto.createHash("sha256").update(at).digest("hex").slice(0, 12) === root) {
        return at;
      }
      const above = path.dirname(at);
      if (above === at) {
        break;
      }
      at = above;
    }
  }
  return undefined;
}
