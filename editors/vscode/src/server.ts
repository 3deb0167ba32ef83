// The server's program: found, or installed when the person says so. Nothing is looked for inside the workspace.
import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";

const WINDOWS = process.platform === "win32";
const PROGRAM = WINDOWS ? "anamnesis-lsp.exe" : "anamnesis-lsp";
const OLDEST_PYTHON = "3.10";

const settings = () => vscode.workspace.getConfiguration("anamnesis.server");

export function ownEnvironment(context: vscode.ExtensionContext): string {
  return path.join(context.globalStorageUri.fsPath, "venv");
}

function inEnvironment(folder: string, program: string): string {
  return path.join(folder, WINDOWS ? "Scripts" : "bin", program);
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** `program` on PATH. Relative entries and the workspace's own folders are passed over: they are not the person's. */
function onPath(program: string): string | undefined {
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath + path.sep);
  return (process.env.PATH ?? "")
    .split(path.delimiter)
    .filter((entry) => path.isAbsolute(entry) && !folders.some((folder) => (entry + path.sep).startsWith(folder)))
    .map((entry) => path.join(entry, program))
    .find(isProgram);
}

/** Where the server is, or undefined. A path in the settings that names no program is an error of its own. */
export function find(context: vscode.ExtensionContext): string | undefined {
  const given = settings().get<string>("path", "").trim();
  if (given) {
    const file = given.startsWith("~/") ? path.join(os.homedir(), given.slice(2)) : given;
    if (!path.isAbsolute(file) || !isProgram(file)) {
      throw new Error(`The setting anamnesis.server.path names no program: ${given}`);
    }
    return file;
  }
  const places = [
    inEnvironment(ownEnvironment(context), PROGRAM),
    onPath(PROGRAM),
    path.join(os.homedir(), ".local", "bin", PROGRAM),
  ];
  return places.find((file): file is string => file !== undefined && isProgram(file));
}

function run(file: string, args: string[], log: vscode.LogOutputChannel, cancel?: vscode.CancellationToken): Promise<string> {
  log.info(`${file} ${args.join(" ")}`);
  return new Promise((resolve, reject) => {
    const child = execFile(file, args, { cwd: os.homedir(), maxBuffer: 1 << 24 }, (error, out, err) => {
      if (err) {
        log.info(err);
      }
      if (error) {
        reject(error);
      } else {
        resolve(out);
      }
    });
    cancel?.onCancellationRequested(() => child.kill());
  });
}

async function python(log: vscode.LogOutputChannel): Promise<string | undefined> {
  for (const name of WINDOWS ? ["python.exe", "python3.exe"] : ["python3", "python"]) {
    const file = onPath(name);
    if (!file) {
      continue;
    }
    try {
      await run(file, ["-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))"], log);
      return file;
    } catch {
      continue;
    }
  }
  return undefined;
}

/** Install the server into an environment of this extension: by Python's venv and pip, else by uv. */
export async function install(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  cancel: vscode.CancellationToken,
): Promise<void> {
  const folder = ownEnvironment(context);
  const what = settings().get<string>("package", "anamnesis-lsp");
  const interpreter = await python(log);
  const uv = onPath(WINDOWS ? "uv.exe" : "uv");
  await fs.promises.mkdir(path.dirname(folder), { recursive: true });
  const inside = inEnvironment(folder, WINDOWS ? "python.exe" : "python");
  if (interpreter) {
    await run(interpreter, ["-m", "venv", folder], log, cancel);
    await run(inside, ["-m", "pip", "install", "--disable-pip-version-check", "--upgrade", what], log, cancel);
  } else if (uv) {
    await run(uv, ["venv", "--python", `>=${OLDEST_PYTHON}`, folder], log, cancel);
    await run(uv, ["pip", "install", "--python", inside, "--upgrade", what], log, cancel);
  } else {
    throw new Error(`No Python ${OLDEST_PYTHON} or newer (with venv) and no uv was found on PATH.`);
  }
}
