// The recalls of this session: their rounds, which one is meant, and the tree view.
import * as vscode from "vscode";
import { Anamnesis } from "./client";
import { placeOf, recallOf, SCHEME, storyUri, written } from "./locator";
import { RecallListed, RecordShown, Round } from "./wire";

type Group = "open" | "held" | "closed";
type Node = Group | RecallListed;

const GROUPS: Record<Group, string> = { open: "Open", held: "Held", closed: "Closed" };
const ICONS: Record<string, string> = {
  open: "history",
  held: "debug-pause",
  identified: "pass",
  stopped: "circle-slash",
  unresolved: "question",
};
const STATES: Record<string, string> = {
  open: "open",
  held: "held: can be taken up again",
  identified: "identified",
  stopped: "ended",
  unresolved: "not found",
};

/** What a recall is called in a narrow view: a place by its file and lines, else the person's words. */
function nameOf(recall: RecallListed): string {
  const place = /^why lines? ([\d-]+) of (.+?) (?:is|are) there(?:[,;] (.*))?$/s.exec(recall.meant);
  const said = place?.[3] ? `: ${place[3]}` : "";
  return place ? `${place[2].split("/").pop()}:${place[1]}${said}` : recall.meant || "not yet said";
}

const groupOf = (recall: RecallListed): Group => (recall.state === "open" || recall.state === "held" ? recall.state : "closed");

export class Recalls implements vscode.TreeDataProvider<Node> {
  private readonly rounds = new Map<string, Round>();
  private readonly handles = new Map<string, RecordShown>();
  private latest: string | undefined;
  private listed: RecallListed[] = [];
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly anamnesis: Anamnesis) {}

  keep(round: Round): void {
    this.rounds.set(round.recall, round);
    this.latest = round.recall;
    for (const record of round.records) {
      if (record.handle) {
        this.handles.set(record.locator.split("?")[0], record);
      }
    }
    void vscode.commands.executeCommand("setContext", "anamnesis.any", true);
    void this.refresh();
  }

  /** The recall a command is about: the one named, that of the active story, else the latest. */
  meant(named?: unknown): string | undefined {
    if (typeof named === "string") {
      return named;
    }
    if (named && typeof named === "object" && "recall" in named) {
      return (named as RecallListed).recall;
    }
    return recallOf(vscode.window.activeTextEditor?.document.uri) ?? this.latest;
  }

  round(recall: string | undefined): Round | undefined {
    return recall ? this.rounds.get(recall) : undefined;
  }

  /** The conversation a document shows, where it can be resumed. */
  handleOf(uri: vscode.Uri): RecordShown | undefined {
    return this.handles.get(written(uri.with({ query: "" })));
  }

  async refresh(): Promise<void> {
    try {
      this.listed = await this.anamnesis.ask<RecallListed[]>("recalls");
    } catch {
      return;
    }
    this.changed.fire();
    this.contexts();
  }

  /** Tell the menus what the active editor shows. */
  contexts(): void {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const ours = uri?.scheme === SCHEME ? placeOf(uri) : undefined;
    const recall = ours?.kind === "recall" ? recallOf(uri) : undefined;
    const set = (name: string, value: unknown) => vscode.commands.executeCommand("setContext", `anamnesis.${name}`, value);
    void set("story", recall !== undefined);
    void set("presented", this.round(recall)?.outcome === "presented");
    void set("kind", ours?.kind ?? "");
    void set("hasPath", Boolean(ours?.path));
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) {
      return (Object.keys(GROUPS) as Group[]).filter((group) => this.listed.some((recall) => groupOf(recall) === group));
    }
    return typeof node === "string" ? this.listed.filter((recall) => groupOf(recall) === node) : [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (typeof node === "string") {
      return new vscode.TreeItem(GROUPS[node], vscode.TreeItemCollapsibleState.Expanded);
    }
    const item = new vscode.TreeItem(nameOf(node));
    const when = node.when ? new Date(node.when).toLocaleString(undefined, { dateStyle: "short", timeStyle: "short" }) : "";
    item.id = `${node.recall}`;
    item.description = node.leading ?? STATES[node.state];
    item.tooltip = [node.meant, node.leading ?? "", `${STATES[node.state]}${when ? `, ${when}` : ""}`].filter(Boolean).join("\n");
    item.iconPath = new vscode.ThemeIcon(ICONS[node.state] ?? "history");
    item.contextValue = node.state;
    item.accessibilityInformation = { label: `${node.meant}, ${STATES[node.state]}` };
    item.command = { command: "vscode.open", title: "Open the story", arguments: [storyUri(node.recall), {}, "Story"] };
    return item;
  }
}
