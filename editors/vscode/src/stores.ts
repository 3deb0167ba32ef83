// The status bar: whether the server runs, and whether the conversations are read.
import * as vscode from "vscode";
import { Anamnesis } from "./client";
import { StoreListed } from "./wire";

const POLL = 2000;

function told(store: StoreListed): string {
  const count = store.records === null ? "" : `, ${store.records.toLocaleString()} ${store.records === 1 ? "record" : "records"}`;
  return `${store.state}${count}${store.note ? `: ${store.note}` : ""}`;
}

export class Stores implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("anamnesis.index", vscode.StatusBarAlignment.Right, 5);
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly anamnesis: Anamnesis) {
    this.item.name = "Recollect";
    this.item.command = "anamnesis.showStores";
  }

  /** Say a state of the server that is not running. */
  say(text: string, tooltip: string, command: string): void {
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.command = command;
    this.item.accessibilityInformation = { label: `Recollect: ${tooltip}` };
    this.item.show();
  }

  /** Look now, and again while something is being read. */
  async look(): Promise<void> {
    clearTimeout(this.timer);
    let listed: StoreListed[];
    try {
      listed = await this.anamnesis.ask<StoreListed[]>("stores");
    } catch {
      return;
    }
    const there = listed.filter((store) => store.state !== "absent");
    const reading = there.some((store) => store.state === "indexing" && !store.note);
    const bad = there.filter((store) => store.state === "unreadable");
    const lines = there.map((store) => `${store.kind}: ${told(store)}`);
    const icon = reading ? "$(sync~spin)" : bad.length ? "$(warning)" : "$(history)";
    this.say(`${icon} Recollect`, [reading ? "Reading conversations" : "Ready", ...lines].join("\n"), "anamnesis.showStores");
    if (reading) {
      this.timer = setTimeout(() => void this.look(), POLL);
    }
  }

  /** Every store, to look at. */
  async choose(): Promise<void> {
    let listed: StoreListed[];
    try {
      listed = await this.anamnesis.ask<StoreListed[]>("stores");
    } catch (error) {
      this.anamnesis.tell(error);
      return;
    }
    const absent = listed.filter((store) => store.state === "absent").map((store) => store.kind);
    const items: (vscode.QuickPickItem & { run?: string })[] = listed
      .filter((store) => store.state !== "absent")
      .map((store) => ({ label: store.kind, description: told(store), detail: store.root ?? undefined }));
    if (absent.length) {
      items.push({ label: "Not on this machine", description: [...new Set(absent)].join(", ") });
    }
    items.push({ label: "", kind: vscode.QuickPickItemKind.Separator });
    items.push({ label: "$(refresh) Read the conversations again", run: "anamnesis.readAgain" });
    items.push({ label: "$(gear) Settings", run: "workbench.action.openSettings" });
    const chosen = await vscode.window.showQuickPick(items, { title: "What is searched here", matchOnDescription: true });
    if (chosen?.run) {
      await vscode.commands.executeCommand(chosen.run, ...(chosen.run.startsWith("workbench") ? ["anamnesis"] : []));
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.item.dispose();
  }
}
