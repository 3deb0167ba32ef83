// Stories, records and changes in editors: where they open, what stands above them, what their links do.
import * as vscode from "vscode";
import { Anamnesis } from "./client";
import { before } from "./change";
import { diffLocator, fileUri, labelOf, Place, placeOf, recallOf, rootFolder, scopeUri, SCHEME, storyUri, written } from "./locator";
import { Recalls } from "./recalls";
import { Round, Target } from "./wire";

/** The scheme of a story without marks. */
export const PLAIN = "anamnesis-plain";
/** The scheme of a file as it was before a commit changed it. */
export const BEFORE = "anamnesis-before";

const faded = vscode.window.createTextEditorDecorationType({ opacity: "0.35" });
const focused = vscode.window.createTextEditorDecorationType({
  isWholeLine: true,
  backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
});

export class Documents implements vscode.CodeLensProvider, vscode.TextDocumentContentProvider {
  private readonly lensesChanged = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.lensesChanged.event;
  private readonly changes = new Map<string, string>();
  private readonly misnamed = new Set<string>();

  constructor(
    private readonly anamnesis: Anamnesis,
    private readonly recalls: Recalls,
  ) {}

  /** A round came: its story and scope report are read again where they are open. */
  renew(round: Round): void {
    this.anamnesis.renew(storyUri(round.recall));
    this.anamnesis.renew(scopeUri(round.recall));
    this.plainChanged.fire(plainUri(round.recall));
    this.lensesChanged.fire();
  }

  /** Beside the code: in the column that shows a document of ours already, else in the next one. */
  private column(): vscode.ViewColumn {
    const schemes = (tab: vscode.Tab): string[] =>
      tab.input instanceof vscode.TabInputText
        ? [tab.input.uri.scheme]
        : tab.input instanceof vscode.TabInputTextDiff
          ? [tab.input.original.scheme, tab.input.modified.scheme]
          : [];
    const ours = vscode.window.tabGroups.all.find((group) =>
      group.tabs.some((tab) => schemes(tab).some((scheme) => [SCHEME, BEFORE, PLAIN].includes(scheme))),
    );
    return ours?.viewColumn ?? vscode.ViewColumn.Beside;
  }

  async showStory(recall: string): Promise<void> {
    const editor = await this.show(storyUri(recall));
    if (editor) {
      await this.settled(editor.document, this.recalls.round(recall)?.markdown);
      await this.foldBeside(editor);
    }
  }

  /** A story that is open already is read again: wait for its text, else what was folded would be lines of the old one. */
  private async settled(document: vscode.TextDocument, text: string | undefined): Promise<void> {
    for (let waited = 0; text !== undefined && document.getText() !== text && waited < 2000; waited += 50) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Where a story does not fit its window, what stands beside it is folded: its sections stay, as headings. */
  private async foldBeside(editor: vscode.TextEditor): Promise<void> {
    const last = editor.visibleRanges[editor.visibleRanges.length - 1];
    if (!last || last.end.line >= editor.document.lineCount - 2) {
      return;
    }
    const ranges = await vscode.commands.executeCommand<vscode.FoldingRange[] | undefined>("vscode.executeFoldingRangeProvider", editor.document.uri);
    const beside = (ranges ?? []).filter((range) => range.kind === vscode.FoldingRangeKind.Region).map((range) => range.start);
    if (beside.length && vscode.window.activeTextEditor === editor) {
      await vscode.commands.executeCommand("editor.fold", { levels: 1, direction: "down", selectionLines: beside });
    }
  }

  async show(uri: vscode.Uri, range?: vscode.Range): Promise<vscode.TextEditor | undefined> {
    const document = await vscode.workspace.openTextDocument(uri);
    const selection = range && new vscode.Range(range.start, range.start);
    const options: vscode.TextDocumentShowOptions = { viewColumn: this.column(), preview: true, selection };
    await vscode.commands.executeCommand("vscode.open", uri, options, labelOf(uri));
    const editor = await shown(document);
    if (editor && range) {
      const last = Math.max(range.start.line, range.end.character === 0 ? range.end.line - 1 : range.end.line);
      const whole = new vscode.Range(range.start.line, 0, last, 0);
      editor.setDecorations(focused, [whole]);
      const from = new vscode.Position(headingAbove(document, range.start.line), 0);
      editor.revealRange(new vscode.Range(from, whole.end), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
    this.decorate(editor);
    return editor;
  }

  /** Open what a locator names: a change in the diff editor, everything else at its place. */
  async open(locator: string): Promise<void> {
    const uri = vscode.Uri.parse(locator);
    if (uri.scheme === SCHEME && placeOf(uri).kind === "diff") {
      await this.showChange(placeOf(uri));
      return;
    }
    try {
      const target = await this.anamnesis.ask<Target>("open", { locator });
      const found = target.range;
      const range = found && new vscode.Range(found.start.line, found.start.character, found.end.line, found.end.character);
      await this.show(vscode.Uri.parse(target.uri), range);
    } catch (error) {
      this.anamnesis.tell(error);
    }
  }

  /** The change of one file in one commit, in the diff editor. */
  async showChange(place: Place): Promise<void> {
    try {
      const diff = await this.anamnesis.ask<{ text: string }>("content", { uri: diffLocator(place) });
      const after = await this.anamnesis.ask<{ text: string }>("content", { uri: written(fileUri(place)) }).catch(() => undefined);
      const left = fileUri(place).with({ scheme: BEFORE });
      this.changes.set(left.toString(), before(after?.text ?? "", diff.text));
      const right = after ? fileUri(place) : left.with({ query: "gone" });
      const title = `${place.path?.split("/").pop()} (changed by ${place.hash?.slice(0, 9)})`;
      await vscode.commands.executeCommand("vscode.diff", left, right, title, { viewColumn: this.column(), preview: true });
    } catch (error) {
      this.anamnesis.tell(error);
    }
  }

  /** A file at a revision against the file as it is now. */
  async compareWithNow(place: Place): Promise<void> {
    const root = rootFolder(place.root);
    if (!root || !place.path) {
      void vscode.window.showInformationMessage("The repository of this file is not open in this window.");
      return;
    }
    const now = vscode.Uri.joinPath(vscode.Uri.file(root), place.path);
    const exists = await vscode.workspace.fs.stat(now).then(
      () => true,
      () => false,
    );
    if (!exists) {
      void vscode.window.showInformationMessage(`${place.path} is no longer there.`);
      return;
    }
    const title = `${place.path.split("/").pop()} (${place.hash?.slice(0, 9)} ↔ now)`;
    await vscode.commands.executeCommand("vscode.diff", fileUri(place), now, title, { viewColumn: this.column() });
  }

  /** `window/showDocument` of the server: our documents beside the code. */
  async showRequested(uri: vscode.Uri, range?: vscode.Range): Promise<boolean> {
    const recall = recallOf(uri);
    await (recall && placeOf(uri).kind === "recall" ? this.showStory(recall) : this.show(uri, range));
    return true;
  }

  /** VS Code names a tab after the end of its URI where it opens again what is open already: name it again. */
  async nameAgain(tabs: readonly vscode.Tab[]): Promise<void> {
    for (const tab of tabs) {
      const uri = tab.input instanceof vscode.TabInputText ? tab.input.uri : undefined;
      if (uri?.scheme !== SCHEME || !tab.isActive || !tab.group.isActive) {
        continue;
      }
      const key = uri.toString();
      if (tab.label === labelOf(uri)) {
        this.misnamed.delete(key);
      } else if (!this.misnamed.has(key)) {
        this.misnamed.add(key); // once: where it does not help, it is not tried for ever
        const options = { viewColumn: tab.group.viewColumn, preview: tab.isPreview, preserveFocus: true };
        await vscode.commands.executeCommand("vscode.open", uri, options, labelOf(uri));
      }
    }
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    if (uri.scheme === PLAIN) {
      const story = uri.with({ scheme: SCHEME, path: uri.path.replace(/\.txt$/, ".md") });
      return (await this.anamnesis.ask<{ text: string }>("content", { uri: written(story), as: "plain" })).text;
    }
    return this.changes.get(uri.toString()) ?? "";
  }

  private readonly plainChanged = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.plainChanged.event;

  /** The story without marks, for a screen reader; it is read again with each round. */
  async showPlain(recall: string): Promise<void> {
    const options = { viewColumn: this.column(), preview: true };
    await vscode.commands.executeCommand("vscode.open", plainUri(recall), options, "Story (plain text)");
  }

  /** Links of our documents run our command: it opens a record at its span, and a change in the diff editor. */
  ownLinks(links: vscode.DocumentLink[]): vscode.DocumentLink[] {
    for (const link of links) {
      if (link.target?.scheme === SCHEME) {
        const locator = written(link.target);
        link.tooltip = `Open the ${placeOf(link.target).kind}`;
        link.target = vscode.Uri.parse(`command:anamnesis.openRecord?${encodeURIComponent(JSON.stringify([locator]))}`);
      }
    }
    return links;
  }

  /** By the keyboard: the link under the cursor, else one chosen among those of the document. */
  async followCitation(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.uri.scheme !== SCHEME) {
      void vscode.window.showInformationMessage("Citations are in a story: run Recollect first.");
      return;
    }
    const links = (await vscode.commands.executeCommand<vscode.DocumentLink[] | undefined>("vscode.executeLinkProvider", editor.document.uri)) ?? [];
    const here = links.find((link) => link.range.contains(editor.selection.active) && link.target?.path === "anamnesis.openRecord");
    if (here?.target) {
      await vscode.commands.executeCommand(here.target.path, ...(JSON.parse(here.target.query) as unknown[]));
      return;
    }
    const records = this.recalls.round(recallOf(editor.document.uri))?.records ?? [];
    const items = [];
    for (let line = definitionsFrom(editor.document); line < editor.document.lineCount; line++) {
      const found = /^\[([^\]]+)\]: (anamnesis:\S+)/.exec(editor.document.lineAt(line).text);
      if (found) {
        const record = records.find((one) => String(one.n) === found[1]);
        const what = record ? record.gist : placeOf(vscode.Uri.parse(found[2])).kind;
        items.push({ label: record ? `[${found[1]}] ${record.kind}` : found[1], description: what, locator: found[2] });
      }
    }
    if (!items.length) {
      void vscode.window.showInformationMessage("This document cites nothing.");
      return;
    }
    const chosen = await vscode.window.showQuickPick(items, { title: "Recollect: open a citation", matchOnDescription: true });
    if (chosen) {
      await this.open(chosen.locator);
    }
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const place = placeOf(document.uri);
    const top = new vscode.Range(0, 0, 0, 0);
    const lens = (title: string, command: string, ...args: unknown[]) =>
      new vscode.CodeLens(top, { title, command: `anamnesis.${command}`, arguments: args });
    if (place.kind === "recall") {
      const recall = recallOf(document.uri);
      const round = this.recalls.round(recall);
      const lenses: vscode.CodeLens[] = [];
      if (round?.outcome === "presented") {
        lenses.push(lens("$(check) That's it", "thatsIt", recall), lens("$(close) Not this…", "notThis", recall));
      }
      if (round && !["identified", "stopped"].includes(round.outcome)) {
        lenses.push(lens("$(add) Add to the cue…", "addToCue", recall), lens("$(search) Look elsewhere…", "lookElsewhere", recall));
      }
      if (round?.story.length) {
        lenses.push(lens("$(copy) Copy…", "copy", recall));
      }
      if (round?.records.some((record) => record.handle)) {
        lenses.push(lens("$(terminal) Resume…", "resume", recall));
      }
      if (round && !["identified", "stopped", "holding"].includes(round.outcome)) {
        lenses.push(lens("$(circle-slash) End", "endRecall", recall));
      }
      return lenses;
    }
    if (place.kind === "conversation" && this.recalls.handleOf(document.uri)) {
      return [lens("$(terminal) Resume in a terminal…", "resume")];
    }
    if (place.kind === "commit" && place.path) {
      const heading = document.getText().split("\n").findIndex((line) => line.startsWith("## `"));
      const change = lens("$(diff) Show the change", "showChange");
      return [change, new vscode.CodeLens(new vscode.Range(Math.max(heading, 0), 0, Math.max(heading, 0), 0), change.command)];
    }
    if (place.kind === "file") {
      const both = [lens("$(diff) Show the change", "showChange"), lens("$(compare-changes) Compare with now", "compareWithNow")];
      const line = Math.min(Number(/(?:^|&)lines=(\d+)/.exec(document.uri.query)?.[1] ?? 1), document.lineCount) - 1;
      const there = new vscode.Range(line, 0, line, 0); // where it opens: the first line may be far above
      return line > 0 ? [...both, ...both.map(({ command }) => new vscode.CodeLens(there, command))] : both;
    }
    return [];
  }

  /** A document is read, not edited: no line numbers. The link definitions at its end are faded. */
  decorate(editor: vscode.TextEditor | undefined): void {
    if (editor?.document.uri.scheme !== SCHEME || editor.document.languageId !== "markdown") {
      return;
    }
    editor.options = { lineNumbers: vscode.TextEditorLineNumbersStyle.Off };
    const start = definitionsFrom(editor.document);
    editor.setDecorations(faded, start < editor.document.lineCount ? [new vscode.Range(start, 0, editor.document.lineCount, 0)] : []);
  }
}

const plainUri = (recall: string): vscode.Uri => storyUri(recall).with({ scheme: PLAIN, path: `/recall/${encodeURIComponent(recall)}.txt` });

/** The editor that a document was just opened in: this side hears of it a moment later. */
async function shown(document: vscode.TextDocument): Promise<vscode.TextEditor | undefined> {
  for (let waited = 0; waited < 2000; waited += 20) {
    const all = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors];
    const found = all.find((editor) => editor?.document === document);
    if (found) {
      return found;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return undefined;
}

/** The heading just above a line of a document of ours, with its links; else the line itself. */
function headingAbove(document: vscode.TextDocument, line: number): number {
  for (let above = line; above >= 0 && line - above <= 12 && document.languageId === "markdown"; above--) {
    if (document.lineAt(above).text.startsWith("## ")) {
      return Math.max(above - 1, 0); // what stands above it as a lens, too
    }
  }
  return line;
}

/** The first line of the link definitions that end a document of ours. */
function definitionsFrom(document: vscode.TextDocument): number {
  let line = document.lineCount;
  while (line > 0 && /^$|^\[[^\]]+\]: anamnesis:/.test(document.lineAt(line - 1).text)) {
    line--;
  }
  while (line < document.lineCount && document.lineAt(line).text === "") {
    line++;
  }
  return line;
}
