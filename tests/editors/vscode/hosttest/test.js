'use strict';
// Runs inside the real extension host. One JSON line per check into $ANAMNESIS_RESULTS; the last line is {"done"}.
const vscode = require('vscode');
const fs = require('fs');
const assert = require('assert');
const path = require('path');

const env = process.env;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function eventually(what, test, ms = 60000) {
  const end = Date.now() + ms;
  let value;
  for (;;) {
    value = await test();
    if (value) return value;
    if (Date.now() > end) throw new Error(`never: ${what}; active: ${vscode.window.activeTextEditor?.document.uri}`);
    await sleep(50);
  }
}

exports.activate = async () => {
  const out = env.ANAMNESIS_RESULTS;
  if (!out || env.ANAMNESIS_UI) return;
  const check = async (name, run) => {
    let ok = true, detail;
    try { detail = String((await run()) ?? ''); } catch (error) { ok = false; detail = String(error?.stack ?? error); }
    fs.appendFileSync(out, JSON.stringify({ name, ok, detail: detail.split('\n    at async check')[0].split('\tat async check')[0] }) + '\n');
  };
  const run = (command, ...args) => vscode.commands.executeCommand(`anamnesis.${command}`, ...args);
  const active = () => vscode.window.activeTextEditor?.document;
  const at = (kind) => eventually(kind, () => active()?.uri.path.startsWith(`/${kind}/`) && active().uri.scheme === 'anamnesis' && active());
  const told = JSON.parse(env.ANAMNESIS_EXAMPLE_TOLD);
  const file = vscode.Uri.file(path.join(env.ANAMNESIS_EXAMPLE, told.file));
  const lines = new vscode.Selection(told.first - 1, 0, told.last - 1, 3);
  const extension = vscode.extensions.getExtension('anamnesis.anamnesis');
  let api, story;
  await check('starts', async () => {
    const document = await vscode.workspace.openTextDocument(file);
    await vscode.window.showTextDocument(document);
    api = await extension.activate();
    await api.ready;
    return `VS Code ${vscode.version}`;
  });

  await check('hover', async () => eventually('a hover with the reason', async () => {
    const hovers = await vscode.commands.executeCommand('vscode.executeHoverProvider', file, new vscode.Position(told.line - 1, 1));
    const said = hovers.flatMap((hover) => hover.contents).find((content) => content.value?.includes(told.hover));
    if (!said) return undefined;
    assert.deepStrictEqual(said.isTrusted, { enabledCommands: ['anamnesis.open', 'anamnesis.recollectLine'] });
    assert.ok(!said.supportHtml);
    assert.match(said.value, /command:anamnesis\.open\?/);
    assert.match(said.value, /command:anamnesis\.recollectLine\?/);
    return said.value;
  }));

  await check('code action', async () => {
    const actions = await vscode.commands.executeCommand('vscode.executeCodeActionProvider', file, new vscode.Range(lines.start, lines.end));
    const action = actions.find((one) => one.title.startsWith('Recollect'));
    assert.ok(action, JSON.stringify(actions));
    await vscode.commands.executeCommand(action.command.command, ...action.command.arguments);
    story = await at('recall');
    assert.ok(story.getText().includes(told.story[0]), story.getText());
    return action.kind.value;
  });

  await check('recollect on a selection opens the story beside the code', async () => {
    const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(file), vscode.ViewColumn.One);
    editor.selection = lines;
    await run('recollectSelection');
    story = await at('recall');
    assert.strictEqual(vscode.window.activeTextEditor.viewColumn, vscode.ViewColumn.Two);
    for (const said of told.story) assert.ok(story.getText().includes(said), story.getText());
    assert.strictEqual(story.languageId, 'markdown');
    assert.ok(vscode.window.visibleTextEditors.some((one) => one.document.uri.toString() === file.toString()), 'the code stays');
    assert.ok(editor.selection.isEqual(lines), 'the selection stays');
    return story.uri.toString();
  });

  await check('outline', async () => {
    const symbols = await vscode.commands.executeCommand('vscode.executeDocumentSymbolProvider', story.uri);
    const names = symbols.flatMap((one) => one.children ?? []).map((one) => one.name);
    assert.ok(names.includes('Story') && names.includes('Records'), JSON.stringify(names));
    return names;
  });

  await check('sections fold, and what stands beside a long story is folded', async () => {
    const ranges = await vscode.commands.executeCommand('vscode.executeFoldingRangeProvider', story.uri);
    const heads = (kind) => ranges.filter((range) => range.kind === kind).map((range) => story.lineAt(range.start).text);
    for (const head of ['## Story', '## Records']) assert.ok(heads(undefined).includes(head), JSON.stringify(ranges));
    const beside = heads(vscode.FoldingRangeKind.Region);
    assert.ok(beside.some((head) => head.startsWith('[1]: anamnesis:')), JSON.stringify(beside));
    assert.ok(!beside.includes('## Story') && !beside.includes('## Records'), JSON.stringify(beside));
    const editor = vscode.window.activeTextEditor;
    const last = ranges[ranges.length - 1].end;
    const seen = () => editor.visibleRanges.some((range) => range.start.line <= last && last <= range.end.line);
    editor.revealRange(new vscode.Range(last, 0, last, 0));
    await sleep(500);
    assert.ok(!seen(), 'the list of links is folded');
    await vscode.commands.executeCommand('editor.unfoldAll');
    await eventually('it unfolds', () => { editor.revealRange(new vscode.Range(last, 0, last, 0)); return seen(); }, 5000);
    return beside;
  });

  await check('a citation is opened by the keyboard', async () => {
    const place = story.positionAt(story.getText().indexOf(`[[${told.commit_number}]]`) + 2);
    vscode.window.activeTextEditor.selection = new vscode.Selection(place, place);
    await run('followCitation');
    const commit = await at('commit');
    assert.ok(commit.getText().includes(told.commit_says), commit.getText());
  });

  await check('a tab keeps its name when it is opened again', async () => {
    const label = () => vscode.window.tabGroups.activeTabGroup.activeTab.label;
    for (let i = 0; i < 3; i++) {
      await vscode.window.showTextDocument(story, vscode.ViewColumn.Two); // VS Code itself names it after its URI
      await eventually('its name', () => label() === 'Story', 5000);
      await run('openLatest');
      assert.strictEqual(label(), 'Story');
    }
  });

  await check('the story as plain text, for a screen reader', async () => {
    await run('readPlain');
    const plain = await eventually('plain text', () => active()?.uri.scheme === 'anamnesis-plain' && active());
    assert.strictEqual(plain.languageId, 'plaintext');
    assert.match(plain.getText(), /^WHY IS THIS HERE\?/);
    assert.ok(!/^## |\[\[\d|\]: anamnesis:/m.test(plain.getText()), plain.getText()); // but for the marks of what is quoted
    assert.strictEqual(vscode.window.activeTextEditor.viewColumn, vscode.ViewColumn.Two);
    assert.ok((await run('copy', undefined, 'markdown')).startsWith('**Recalled context**'), 'its recall is the one meant');
    await run('openLatest');
    return plain.getText().slice(0, 200);
  });

  await check('answers stand above the story', async () => {
    const lenses = await vscode.commands.executeCommand('vscode.executeCodeLensProvider', story.uri);
    const titles = lenses.map((lens) => lens.command?.title ?? '').join(' ');
    for (const title of ["That's it", 'Not this…', 'Add to the cue…', 'Look elsewhere…', 'Copy…', 'Resume…', 'End']) {
      assert.ok(titles.includes(title), titles);
    }
    return titles;
  });

  const links = async (document, pattern) => {
    const all = await vscode.commands.executeCommand('vscode.executeLinkProvider', document.uri, 100);
    const found = all.filter((link) => decodeURIComponent(link.target?.toString() ?? '').match(pattern));
    assert.ok(found.length, `no link ${pattern} in ${all.map((link) => link.target)}`);
    return found[0];
  };
  const follow = async (link) => {
    const command = link.target;
    assert.strictEqual(command.scheme, 'command');
    await vscode.commands.executeCommand(command.path, ...JSON.parse(command.query));
    if (api.problem()) throw new Error(api.problem());
  };

  await check('a citation opens the commit', async () => {
    await follow(await links(story, new RegExp(`anamnesis:///commit/\\w+/${told.commit}`)));
    const commit = await at('commit');
    assert.ok(commit.getText().includes(told.commit_says), commit.getText());
    assert.strictEqual(vscode.window.activeTextEditor.viewColumn, vscode.ViewColumn.Two);
    return commit.uri.toString();
  });

  await check('from the commit to the file at the revision', async () => {
    await follow(await links(active(), new RegExp(`anamnesis:///file/\\w+/${told.commit}`)));
    const old = await at('file');
    assert.ok(old.getText().includes(told.added), old.getText());
    assert.ok(old.uri.path.endsWith(`/${told.file}`), old.uri.path);
    assert.ok(old.isClosed === false && old.isUntitled === false);
    return `${old.uri} as ${old.languageId}`;
  });

  const diffTab = () => eventually('a diff editor', () => {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    return input instanceof vscode.TabInputTextDiff && input;
  });

  await check('the change in the diff editor', async () => {
    await run('showChange');
    const diff = await diffTab();
    const before = await vscode.workspace.openTextDocument(diff.original);
    const after = await vscode.workspace.openTextDocument(diff.modified);
    assert.ok(!before.getText().includes(told.added) && before.getText().length > 20, before.getText());
    assert.ok(after.getText().includes(told.added));
    return vscode.window.tabGroups.activeTabGroup.activeTab.label;
  });

  await check('the file at the revision against now', async () => {
    await vscode.window.showTextDocument(story, vscode.ViewColumn.Two);
    await follow(await links(story, new RegExp(`anamnesis:///commit/\\w+/${told.commit}`)));
    await follow(await links(await at('commit'), new RegExp(`anamnesis:///file/\\w+/${told.commit}`)));
    await at('file');
    await run('compareWithNow');
    const diff = await diffTab();
    assert.strictEqual(diff.modified.fsPath, fs.realpathSync(file.fsPath));
  });

  await check('a citation opens the conversation at its turn', async () => {
    await vscode.window.showTextDocument(story, vscode.ViewColumn.Two);
    await follow(await links(story, /anamnesis:\/\/\/conversation\/claude-code\//));
    const talk = await at('conversation');
    const line = talk.lineAt(vscode.window.activeTextEditor.selection.active.line).text;
    assert.match(line, /←/);
    assert.ok(talk.getText().includes(told.session));
    const lenses = await vscode.commands.executeCommand('vscode.executeCodeLensProvider', talk.uri);
    assert.ok(lenses.some((lens) => lens.command?.title.includes('Resume')), 'resume above the conversation');
    return line;
  });

  await check('go to definition on a citation', async () => {
    const text = story.getText();
    const position = story.positionAt(text.indexOf('[[1]]') + 2);
    const [found] = await vscode.commands.executeCommand('vscode.executeDefinitionProvider', story.uri, position);
    assert.strictEqual((found.uri ?? found.targetUri).scheme, 'anamnesis');
    return String(found.uri ?? found.targetUri);
  });

  await check('resume types the command and does not run it', async () => {
    await vscode.window.showTextDocument(story, vscode.ViewColumn.Two);
    let ran = false;
    const listening = vscode.window.onDidStartTerminalShellExecution(() => { ran = true; });
    const resumed = run('resume');
    await eventually('a terminal', async () => {
      if (vscode.window.terminals.some((terminal) => terminal.name === 'Resume')) return true;
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem'); // where several can be resumed
      return false;
    });
    await resumed;
    await sleep(1500);
    listening.dispose();
    assert.ok(!ran);
    for (const terminal of vscode.window.terminals) terminal.dispose();
  });

  await check('copy of the context', async () => {
    const text = await run('copy', undefined, 'commit');
    assert.match(text, /^Recalled:/);
    assert.strictEqual(await vscode.env.clipboard.readText(), text);
    return text;
  });

  await check('correction', async () => {
    const before = story.getText();
    await run('notThis', undefined, told.correction);
    await eventually('the story is read again in place', () => story.getText() !== before);
    for (const said of told.corrected) assert.ok(story.getText().includes(said), story.getText());
    return story.getText().slice(0, 400);
  });

  await check('more of the cue', async () => {
    const round = await run('addToCue', undefined, told.more);
    assert.ok(round && round.recall);
    await eventually('the words are in the story', () => story.getText().includes(told.more_told));
    return round.outcome;
  });

  await check('identification', async () => {
    const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(file), vscode.ViewColumn.One);
    editor.selection = new vscode.Selection(told.line - 1, 0, told.line - 1, 0);
    const round = await run('recollectSelection');
    assert.strictEqual(round.outcome, 'presented');
    const done = await run('thatsIt');
    assert.strictEqual(done.outcome, 'identified');
    const lenses = await eventually('no answers are asked for any more', async () => {
      const all = await vscode.commands.executeCommand('vscode.executeCodeLensProvider', active().uri);
      return !all.some((lens) => lens.command?.title.includes("That's it")) && all;
    });
    return lenses.map((lens) => lens.command.title);
  });

  await check('a cue alone', async () => {
    const round = await run('recollectCue', told.cue);
    assert.strictEqual(round.outcome, 'presented');
    await eventually('its story', () => active()?.getText().includes(told.cue_told));
  });

  await check('the end keeps the recall', async () => {
    const round = await run('endRecall');
    assert.ok(['answered', 'holding'].includes(round.outcome), round.outcome);
    await eventually('the scope searched', () => active().getText().includes('## Scope'));
  });

  await check('recollect in a story goes back to the last place', async () => {
    await vscode.window.showTextDocument(story, vscode.ViewColumn.Two);
    const round = await run('recollectSelection');
    assert.ok(JSON.stringify(round.cue).includes(told.file), JSON.stringify(round.cue));
  });

  await check('an untracked file is one clear message', async () => {
    const stray = vscode.Uri.file(path.join(env.ANAMNESIS_EXAMPLE, 'stray.py'));
    fs.writeFileSync(stray.fsPath, 'x = 1\n');
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(stray), vscode.ViewColumn.One);
    await run('recollectSelection');
    fs.unlinkSync(stray.fsPath);
    assert.match(api.problem(), /stray\.py/);
    return api.problem();
  });

  await check('nothing of the extension is on when it is not asked', async () => {
    const configuration = vscode.workspace.getConfiguration('anamnesis');
    assert.strictEqual(configuration.inspect('codeLens').defaultValue, false);
    assert.deepStrictEqual(extension.packageJSON.extensionKind, ['workspace']);
    assert.strictEqual(extension.packageJSON.capabilities.untrustedWorkspaces.supported, 'limited');
  });

  fs.appendFileSync(out, JSON.stringify({ name: 'done', ok: true, detail: '' }) + '\n');
};
