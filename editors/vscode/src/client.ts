// The language client: started once, asked through the documented requests only.
import * as crypto from "node:crypto";
import * as os from "node:os";
import * as vscode from "vscode";
import {
  LanguageClient,
  LanguageClientOptions,
  Middleware,
  ResponseError,
  State,
  TextDocumentContentRequest,
  TransportKind,
  WorkDoneProgress,
} from "vscode-languageclient/node";
import { written } from "./locator";
import { Round, WireError } from "./wire";

const CANCELLED = -32800;

/** Settings that the server takes from the person alone; a change of them needs a new server. */
const OF_INDEX = ["excludeFolders", "excludeSessions", "indexKeepDays", "indexMaxMegabytes"];
const AT_START = ["contract", "hover", "codeLens", "stores", "extraStores", "extraRoots", "index", "keepDays", ...OF_INDEX];
export const RESTARTS = ["extraStores", "extraRoots", "keepDays", "codeLens", "server", ...OF_INDEX].map((name) => `anamnesis.${name}`);

/** What the person set for themselves: never what the opened folder sets. */
function ownSettings(): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration("anamnesis");
  const own: Record<string, unknown> = {};
  for (const name of AT_START) {
    const value = configuration.inspect(name)?.globalValue;
    if (value !== undefined) {
      own[name] = value;
    }
  }
  return own;
}

export class Anamnesis {
  private client: LanguageClient | undefined;
  private readonly presented = new vscode.EventEmitter<Round>();
  /** Every round that the server presents, whoever asked. */
  readonly onRound = this.presented.event;

  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly middleware: Middleware,
  ) {}

  get running(): boolean {
    return this.client?.state === State.Running;
  }

  get version(): string {
    return this.client?.initializeResult?.serverInfo?.version ?? "?";
  }

  async start(program: string): Promise<void> {
    const server = { command: program, args: ["serve"], transport: TransportKind.stdio, options: { cwd: os.homedir() } };
    const options: LanguageClientOptions = {
      documentSelector: [{ scheme: "file" }, { scheme: "anamnesis" }],
      initializationOptions: { virtualDocuments: true, commandLinks: true, anamnesis: ownSettings() },
      markdown: { isTrusted: { enabledCommands: ["anamnesis.open", "anamnesis.recollectLine"] }, supportHtml: false },
      uriConverters: { code2Protocol: written, protocol2Code: (value) => vscode.Uri.parse(value) },
      outputChannel: this.log,
      middleware: this.middleware,
    };
    this.client = new LanguageClient("anamnesis", "Anamnesis", server, options);
    this.client.onNotification("anamnesis/roundPresented", (round: Round) => this.presented.fire(round));
    await this.client.start();
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose(2000).catch(() => undefined);
  }

  /** Ask for a document of ours again where it is open. */
  renew(uri: vscode.Uri): void {
    const feature = this.client?.getFeature(TextDocumentContentRequest.method) as
      | { getProviders(): { onDidChangeEmitter: vscode.EventEmitter<vscode.Uri> }[] }
      | undefined;
    for (const provider of feature?.getProviders() ?? []) {
      provider.onDidChangeEmitter.fire(uri);
    }
  }

  /** Send a request and return its result; an error is thrown. */
  async ask<T>(name: string, params: object = {}, cancel?: vscode.CancellationToken): Promise<T> {
    if (!this.client || !this.running) {
      throw new Error("The server is not running.");
    }
    const method = `anamnesis/${name}`; // a token that is undefined would be sent as a second parameter
    return cancel ? this.client.sendRequest<T>(method, params, cancel) : this.client.sendRequest<T>(method, params);
  }

  /** Send a request that may take long: from half a second on a notification shows how far it is, with Cancel. */
  async work<T>(title: string, name: string, params: object): Promise<T | undefined> {
    const token = crypto.randomUUID();
    const source = new vscode.CancellationTokenSource();
    let told: ((message: string) => void) | undefined;
    let last = "";
    const listening = this.client?.onProgress(WorkDoneProgress.type, token, (value) => {
      last = ("message" in value && value.message) || last;
      told?.(last);
    });
    const answer = this.ask<T>(name, { ...params, workDoneToken: token }, source.token);
    const shown = setTimeout(() => {
      void vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title, cancellable: true },
        async (progress, cancel) => {
          told = (message) => progress.report({ message });
          told(last);
          cancel.onCancellationRequested(() => source.cancel());
          await answer.catch(() => undefined);
        },
      );
    }, 500);
    try {
      return await answer;
    } catch (error) {
      this.tell(error);
      return undefined;
    } finally {
      clearTimeout(shown);
      listening?.dispose();
      source.dispose();
    }
  }

  /** The last problem that was told. */
  problem = "";

  /** Tell an error: what was wrong and what to do. A cancelled request tells nothing. */
  tell(error: unknown): void {
    if (error instanceof ResponseError && error.code === CANCELLED) {
      return;
    }
    const data = error instanceof ResponseError ? (error.data as WireError | undefined) : undefined;
    this.problem = data?.message ? `${data.message} ${data.remedy}` : error instanceof Error ? error.message : String(error);
    this.log.warn(this.problem);
    void vscode.window.showWarningMessage(this.problem);
  }
}
