// What the person can do, and the middleware that makes the server's own commands do the same.
import * as vscode from "vscode";
import { Middleware } from "vscode-languageclient/node";
import { Anamnesis, RESTARTS } from "./client";
import { BEFORE, Documents, PLAIN } from "./documents";
import { Place, placeOf, SCHEME } from "./locator";
import { Recalls } from "./recalls";
import { find, install } from "./server";
import { Stores } from "./stores";
import { RecordShown, Round } from "./wire";

interface Asked {
  uri: string;
  range: { start: { line: number; character: number }; end: { line: number; character: number } };
  version: number;
}

/** What tests and other extensions may ask. */
export interface Api {
  ready: Promise<void>;
  round(): Round | undefined;
  problem(): string;
}

export function activate(context: vscode.ExtensionContext): Api {
  const log = vscode.window.createOutputChannel("Anamnesis", { log: true });
  const middleware: Middleware = {
    executeCommand: (command, args, next) => command_(command, args) ?? next(command, args),
    provideHover: async (document, position, token, next) => {
      const hover = await next(document, position, token);
      const call = encodeURIComponent(JSON.stringify([document.uri.toString(), position.line]));
      for (const content of hover?.contents ?? []) {
        if (content instanceof vscode.MarkdownString) {
          content.value = content.value.replace(/^Recollect for the whole story\./m, `[Recollect the whole story](command:anamnesis.recollectLine?${call})`);
        }
      }
      return hover;
    },
    provideFoldingRanges: (document, context, token, next) => (document.uri.scheme === SCHEME ? next(document, context, token) : undefined),
    provideDocumentLinks: async (document, token, next) => documents.ownLinks((await next(document, token)) ?? []),
    provideTextDocumentContent: async (uri, token, next) => {
      try {
        return (await next(uri, token)) ?? "This record could not be opened: see the Anamnesis log.";
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
    window: {
      showDocument: async (params, token, next) => {
        const uri = vscode.Uri.parse(params.uri);
        if (params.external || uri.scheme !== SCHEME) {
          return next(params, token);
        }
        const s = params.selection;
        const range = s && new vscode.Range(s.start.line, s.start.character, s.end.line, s.end.character);
        return { success: await documents.showRequested(uri, range).catch(() => false) };
      },
    },
  };
  const anamnesis = new Anamnesis(log, middleware);
  const recalls = new Recalls(anamnesis);
  const documents = new Documents(anamnesis, recalls);
  const stores = new Stores(anamnesis);
  /** The place asked about last: kept while the person steps through records. */
  let lastPlace: Asked | undefined;

  // ── the server ───────────────────────────────────────────────────────────────────────────────────────────────────

  async function start(): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      stores.say("$(shield) Recollect", "Restricted Mode: nothing is read until you trust this workspace", "workbench.trust.manage");
      return;
    }
    let program: string | undefined;
    try {
      program = find(context);
    } catch (error) {
      anamnesis.tell(error);
    }
    if (!program) {
      stores.say("$(warning) Recollect", "The server is not installed", "anamnesis.installServer");
      return;
    }
    try {
      await anamnesis.start(program);
    } catch {
      stores.say("$(error) Recollect", "The server did not start: see its log", "anamnesis.showLog");
      return;
    }
    void vscode.commands.executeCommand("setContext", "anamnesis.running", true);
    setTimeout(() => void stores.look(), 1500);
    await recalls.refresh();
  }

  async function restart(): Promise<void> {
    await anamnesis.stop();
    ready = start();
    await ready;
  }

  /** Whether the server can be asked; where it cannot, one message says why and what to do. */
  async function needed(): Promise<boolean> {
    await ready;
    if (anamnesis.running) {
      return true;
    }
    if (!vscode.workspace.isTrusted) {
      const trust = "Manage Workspace Trust";
      // asked for, so it is answered where it is seen: a notification would be gone after some seconds
      const said = "In Restricted Mode nothing is read from this workspace.";
      const detail = "Trust the folder, then run Recollect again.";
      if ((await vscode.window.showInformationMessage(said, { modal: true, detail }, trust)) === trust) {
        await vscode.commands.executeCommand("workbench.trust.manage");
      }
      return false;
    }
    await installServer();
    return anamnesis.running;
  }

  async function installServer(): Promise<void> {
    let found: string | undefined;
    try {
      found = find(context);
    } catch (error) {
      anamnesis.tell(error);
      return;
    }
    if (found && anamnesis.running) {
      void vscode.window.showInformationMessage(`The server is running: ${found} (${anamnesis.version}).`);
      return;
    }
    if (found) {
      await restart();
      return;
    }
    const [choice, path] = ["Install", "Choose its Path…"];
    const answer = await vscode.window.showWarningMessage(
      "Recollect needs the program anamnesis-lsp on this machine. Install it for this extension (Python 3.10 or newer, from the package index), or name the one you have.",
      choice,
      path,
    );
    if (answer === path) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "anamnesis.server.path");
    } else if (answer === choice) {
      try {
        await vscode.window.withProgress(
          { location: vscode.ProgressLocation.Notification, title: "Installing anamnesis-lsp", cancellable: true },
          (_progress, cancel) => install(context, log, cancel),
        );
      } catch (error) {
        log.error(error instanceof Error ? error.message : String(error));
        const [show, settings] = ["Show the Log", "Open the Settings"];
        const said = await vscode.window.showErrorMessage(
          "anamnesis-lsp could not be installed. Install it with pipx or uv, or name a clone of it in the setting anamnesis.server.package.",
          show,
          settings,
        );
        if (said === show) {
          log.show();
        } else if (said === settings) {
          await vscode.commands.executeCommand("workbench.action.openSettings", "anamnesis.server");
        }
        return;
      }
      await restart();
    }
  }

  // ── a recall ─────────────────────────────────────────────────────────────────────────────────────────────────────

  async function presented(round: Round | undefined): Promise<Round | undefined> {
    const reached = round?.reached?.round ?? undefined;
    for (const one of [round, reached]) {
      if (one) {
        recalls.keep(one);
        documents.renew(one);
      }
    }
    const shown = reached ?? round;
    if (shown) {
      await documents.showStory(shown.recall);
      void stores.look();
    }
    return shown;
  }

  async function run(name: string, params: object): Promise<Round | undefined> {
    if (!(await needed())) {
      return undefined;
    }
    return presented(await anamnesis.work<Round>("Recollect", name, { ...params, show: false }));
  }

  function placeOfSelection(): Asked | undefined {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.uri.scheme !== "file") {
      return lastPlace;
    }
    const { start, end } = editor.selection;
    return {
      uri: editor.document.uri.toString(),
      range: { start: { line: start.line, character: start.character }, end: { line: end.line, character: end.character } },
      version: editor.document.version,
    };
  }

  async function recollectSelection(): Promise<Round | undefined> {
    const place = placeOfSelection();
    if (!place) {
      void vscode.window.showInformationMessage("Open a file, select lines, and run Recollect.");
      return undefined;
    }
    lastPlace = place;
    return run("recollect", place);
  }

  async function recollectLine(uri: string, line: number): Promise<Round | undefined> {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
    const at = { line, character: 0 };
    lastPlace = { uri, range: { start: at, end: at }, version: document.version };
    return run("recollect", lastPlace);
  }

  async function recollectCue(given?: unknown): Promise<Round | undefined> {
    const cue =
      typeof given === "string"
        ? given
        : await vscode.window.showInputBox({
            title: "Recollect",
            prompt: "What do you half remember? A word, a time, a person.",
            placeHolder: "that time we gave up on the lock file, before the release",
          });
    return cue?.trim() ? run("recollect", { cue }) : undefined;
  }

  async function say(text: string | undefined, recall: string | undefined): Promise<Round | undefined> {
    return text?.trim() ? run("say", { text, recall }) : undefined;
  }

  async function ask(prompt: string, placeHolder: string, value = ""): Promise<string | undefined> {
    return vscode.window.showInputBox({
      title: "Recollect",
      prompt,
      placeHolder,
      value,
      valueSelection: [value.length, value.length],
      ignoreFocusOut: true,
    });
  }

  async function notThis(named?: unknown, words?: string): Promise<Round | undefined> {
    const recall = recalls.meant(named);
    if (words) {
      return say(words, recall);
    }
    const because = { label: "$(edit) Not this, because…", description: "earlier · Alice, not Bob · the other file" };
    const items: vscode.QuickPickItem[] = [{ label: "$(close) Not this one" }, because];
    const adjacent = recalls.round(recall)?.adjacent ?? [];
    if (adjacent.length) {
      items.push({ label: "Met on the way", kind: vscode.QuickPickItemKind.Separator });
      items.push(...adjacent.map((candidate) => ({ label: candidate.name, description: candidate.rejected ? "you ruled it out" : "" })));
    }
    const chosen = await vscode.window.showQuickPick(items, { title: "Recollect: not this", placeHolder: "What is meant instead?" });
    if (!chosen) {
      return undefined;
    }
    if (chosen === items[0]) {
      return say("Not that one.", recall);
    }
    if (chosen === because) {
      return say(await ask("What is wrong with it?", "earlier · Alice, not Bob · the other file", "No, "), recall);
    }
    return say(`No, I mean “${chosen.label}”.`, recall);
  }

  async function addToCue(named?: unknown, words?: string): Promise<Round | undefined> {
    const recall = recalls.meant(named);
    return say(words ?? (await ask("What else do you remember?", "before the release · Grace was in it · a word that was used")), recall);
  }

  async function lookElsewhere(named?: unknown): Promise<Round | undefined> {
    const recall = recalls.meant(named);
    const expansion = recalls.round(recall)?.expansion;
    if (expansion) {
      const further = { label: `$(search) Search further: ${expansion.reach}`, description: expansion.cost };
      const elsewhere = { label: "$(edit) Somewhere else…" };
      const chosen = await vscode.window.showQuickPick([further, elsewhere], { title: "Recollect: look elsewhere" });
      if (!chosen) {
        return undefined;
      }
      if (chosen === further) {
        return say("Yes, search there too.", recall);
      }
    }
    return say(await ask("Where should it look?", "the 2024 sessions · docs/adr", "Look in "), recall);
  }

  async function copy(named?: unknown, form?: string): Promise<string | undefined> {
    const recall = recalls.meant(named);
    const forms = [
      { label: "Markdown", description: "for a chat, an issue or a pull request", as: "markdown" },
      { label: "Commit message", description: "plain text in 72 columns", as: "commit" },
      { label: "Comment", description: "line comments for the file", as: "comment" },
    ];
    const as = form ?? (await vscode.window.showQuickPick(forms, { title: "Copy the recalled context" }))?.as;
    if (!as || !(await needed())) {
      return undefined;
    }
    try {
      const { text } = await anamnesis.ask<{ text: string }>("copyContext", { recall, as });
      await vscode.env.clipboard.writeText(text);
      vscode.window.setStatusBarMessage("Recollect: copied", 3000);
      return text;
    } catch (error) {
      anamnesis.tell(error);
      return undefined;
    }
  }

  /** Type the command that resumes a conversation. It runs when the person presses Enter. */
  async function resume(named?: unknown): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const shown = typeof named !== "string" && uri?.scheme === SCHEME ? recalls.handleOf(uri) : undefined;
    const all = shown ? [shown] : (recalls.round(recalls.meant(named))?.records ?? []);
    const found = all.filter((r, i) => r.handle && all.findIndex((other) => other.handle === r.handle) === i);
    let record: RecordShown | undefined = found[0];
    if (found.length > 1) {
      const items = found.map((r) => ({ label: `[${r.n}] ${r.gist}`, description: r.handleNote ?? "", record: r }));
      record = (await vscode.window.showQuickPick(items, { title: "Resume which conversation?" }))?.record;
      if (!record) {
        return;
      }
    }
    const handle = record?.handle;
    // a control character in a handle would be typed as a key
    if (!handle || /[\u0000-\u001f\u007f-\u009f]/.test(handle)) {
      void vscode.window.showInformationMessage("No record of this recall can be resumed.");
      return;
    }
    const terminal = vscode.window.createTerminal({ name: "Resume", location: vscode.TerminalLocation.Panel });
    terminal.show();
    await prompted(terminal);
    terminal.sendText(handle, false);
  }

  /** Wait until the shell shows its prompt, as far as that can be known. */
  function prompted(terminal: vscode.Terminal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        listening.dispose();
        resolve();
      };
      const timer = setTimeout(done, 4000);
      const listening = vscode.window.onDidChangeTerminalShellIntegration((event) => {
        if (event.terminal === terminal) {
          setTimeout(done, 600);
        }
      });
    });
  }

  /** The server's own commands (a code action, a link of a hover, a key binding) run as ours do. */
  function command_(command: string, args: unknown[]): Promise<unknown> | undefined {
    const given = (args[0] ?? {}) as { locator?: string; range?: unknown; uri?: string };
    const name = command.replace("anamnesis.", "");
    if (name === "open" && typeof given.locator === "string") {
      return documents.open(given.locator);
    }
    if (["recollect", "say", "identify", "end"].includes(name)) {
      if (name === "recollect" && given.uri && given.range) {
        lastPlace = given as unknown as Asked;
      }
      return run(name, given);
    }
    return undefined;
  }

  function here(run: (place: Place) => Promise<void>): () => Promise<void> {
    return async () => {
      const uri = vscode.window.activeTextEditor?.document.uri;
      if (uri?.scheme === SCHEME && placeOf(uri).path) {
        await run(placeOf(uri));
      }
    };
  }

  const commands: Record<string, (...args: never[]) => unknown> = {
    recollectSelection,
    recollectLine,
    recollectCue,
    thatsIt: (named?: unknown) => run("identify", { recall: recalls.meant(named) }),
    notThis,
    addToCue,
    lookElsewhere,
    endRecall: (named?: unknown) => run("end", { recall: recalls.meant(named) }),
    copy,
    resume,
    showChange: here((place) => documents.showChange(place)),
    compareWithNow: here((place) => documents.compareWithNow(place)),
    openRecord: async (locator: string) => ((await needed()) ? documents.open(locator) : undefined),
    readPlain: async (named?: unknown) => {
      const recall = recalls.meant(named);
      return recall && (await needed()) ? documents.showPlain(recall) : undefined;
    },
    followCitation: () => documents.followCitation(),
    openLatest: () => {
      const recall = recalls.meant();
      return recall && documents.showStory(recall);
    },
    showStores: async () => ((await needed()) ? stores.choose() : undefined),
    readAgain: async () => {
      if (await needed()) {
        await anamnesis.work<null>("Reading conversations", "reindex", {});
        await stores.look();
      }
    },
    installServer,
    restartServer: restart,
    showLog: () => log.show(),
    refreshRecalls: () => recalls.refresh(),
  };
  for (const [name, handler] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(`anamnesis.${name}`, handler as (...args: unknown[]) => unknown));
  }

  let ready = start();
  context.subscriptions.push(
    log,
    stores,
    vscode.window.createTreeView("anamnesis.recalls", { treeDataProvider: recalls }),
    vscode.languages.registerCodeLensProvider({ scheme: SCHEME }, documents),
    vscode.workspace.registerTextDocumentContentProvider(BEFORE, documents),
    vscode.workspace.registerTextDocumentContentProvider(PLAIN, documents),
    anamnesis.onRound((round) => {
      recalls.keep(round);
      documents.renew(round);
    }),
    vscode.window.onDidChangeActiveTextEditor((editor) => {
      recalls.contexts();
      documents.decorate(editor);
    }),
    vscode.window.tabGroups.onDidChangeTabs((event) => void documents.nameAgain([...event.opened, ...event.changed])),
    vscode.workspace.onDidChangeTextDocument((event) => {
      documents.decorate(vscode.window.visibleTextEditors.find((editor) => editor.document === event.document));
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void restart()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (RESTARTS.some((name) => event.affectsConfiguration(name))) {
        void restart();
      }
    }),
    { dispose: () => void anamnesis.stop() },
  );
  return {
    get ready() {
      return ready;
    },
    round: () => recalls.round(recalls.meant()),
    problem: () => anamnesis.problem,
  };
}
