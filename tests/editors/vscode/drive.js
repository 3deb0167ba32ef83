'use strict';
// The person's path through the window of VS Code, with a picture of each station.
//   node drive.js ADDRESS PROFILE SHOTS        results: one JSON line per check into $ANAMNESIS_RESULTS
const fs = require('fs');
const path = require('path');
const { launch } = require('./browser.js');
const [address, profile, shots] = process.argv.slice(2);
const env = process.env;
const told = JSON.parse(env.ANAMNESIS_EXAMPLE_TOLD);
fs.mkdirSync(shots, { recursive: true });

(async () => {
  const dark = env.ANAMNESIS_THEME === 'dark';
  const { context, page } = await launch(profile, { colorScheme: dark ? 'dark' : 'light' });
  const check = async (name, run) => {
    let ok = true, detail;
    try { detail = String((await run()) ?? ''); } catch (error) { ok = false; detail = String(error?.stack ?? error).slice(0, 1500); }
    if (!ok) await page.screenshot({ path: path.join(shots, `failed-${name.replace(/\W+/g, '-')}.png`) }).catch(() => undefined);
    fs.appendFileSync(env.ANAMNESIS_RESULTS, JSON.stringify({ name, ok, detail }) + '\n');
  };
  const shot = (name, clip) => page.screenshot({ path: path.join(shots, `${name}.png`), clip });
  const see = (selector, text, timeout = 60000) => {
    const found = page.locator(selector, text === undefined ? {} : { hasText: text }).first();
    return found.waitFor({ timeout }).then(() => found);
  };
  const command = async (title) => {
    for (let tries = 0; ; tries++) { // the palette of the command before may still be closing
      await page.keyboard.press('F1');
      try {
        await page.locator('.quick-input-widget:visible input').first().fill(`>${title}`, { timeout: 3000 });
        await see('.quick-input-list .monaco-list-row', title, 5000);
        break;
      } catch (error) {
        if (tries === 3) throw error;
        await page.keyboard.press('Escape');
        await page.waitForTimeout(500);
      }
    }
    await page.keyboard.press('Enter');
    await page.waitForTimeout(250);
  };
  /** Act again until it is seen: what is pressed while the window is busy with something else is lost. */
  const until = async (act, selector, text, times = 6) => {
    for (let i = 1; ; i++) {
      await act(i);
      try { return await see(selector, text, i === times ? 30000 : 5000); } catch (error) { if (i === times) throw error; }
    }
  };
  const lens = async (title) => { await (await see('.codelens-decoration a:visible', title)).click(); };
  const active = '.editor-group-container.active .view-line';
  const input = async (title, words) => { // the input box of that title, filled and left by Enter
    await see('.quick-input-widget:visible', title);
    await page.locator('.quick-input-widget:visible input').first().fill(words);
    await page.keyboard.press('Enter');
  };
  const settle = (ms = 400) => page.waitForTimeout(ms);
  const quiet = async () => { // no pointer, no toast over the picture
    await page.mouse.move(640, 745);
    for (const close of await page.locator('.notification-toast .codicon-notifications-clear').all()) await close.click().catch(() => undefined);
    await settle(500);
  };

  const toLine = async (number) => {
    await until(() => page.keyboard.press('Control+g'), '.quick-input-widget:visible input');
    await page.locator('.quick-input-widget:visible input').first().fill(`:${number}`);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Home');
  };

  const openFile = async (file) => {
    await until(() => page.keyboard.press('Control+p'), '.quick-input-widget:visible input');
    await page.locator('.quick-input-widget:visible input').first().fill(file);
    await see('.quick-input-list .monaco-list-row', path.basename(file));
    await page.keyboard.press('Enter');
    await see('.tab.active', path.basename(file));
  };

  await check('the window opens', async () => {
    const started = Date.now();
    await page.goto(address, { waitUntil: 'domcontentloaded' });
    await page.waitForSelector('.monaco-workbench .part.sidebar', { timeout: 90000 });
    await see('.statusbar-item', 'Recollect', 60000);
    await openFile(told.file);
    await page.keyboard.press('Control+b');
    await toLine(told.line);
    await see('.monaco-editor .view-line', told.line_code);
    if (told.last < 30) await toLine(1);
    return `${Date.now() - started} ms`;
  });

  await check('nothing opens unasked', async () => {
    await settle(1500);
    const tabs = await page.locator('.tabs-container .tab').count();
    if (tabs !== 1) throw new Error(`${tabs} tabs`);
    const toasts = await page.locator('.notification-toast').allTextContents();
    if (toasts.some((text) => /anamnesis|recollect/i.test(text))) throw new Error(toasts.join());
  });

  await check('hover', async () => {
    const line = await see('.monaco-editor .view-line', told.line_code);
    const box = await line.boundingBox();
    for (let i = 0; i < 60; i++) { // what is not ready yet is left out: hover again
      await page.mouse.move(box.x + 500, box.y + 300); await settle(150);
      await page.mouse.move(box.x + 60, box.y + 9); await settle(80); await page.mouse.move(box.x + 64, box.y + 10);
      const found = await see('.monaco-hover:not(.hidden)', told.hover, 1500).then(() => true, () => false);
      if (found) break;
    }
    const hover = await see('.monaco-hover:not(.hidden)', told.hover, 1000);
    await settle();
    await shot('hover', { x: 48, y: 4, width: 960, height: 380 });
    return hover.textContent();
  });

  await check('a link of the hover opens the commit', async () => {
    const links = page.locator('.monaco-hover:not(.hidden) a[data-href*="anamnesis.open"]');
    const commit = links.and(page.locator('[data-href*="commit"]'));
    const cited = await commit.count(); // a hover may tell of two conversations and no commit
    await (cited ? commit : links).first().click();
    await see('.tab.active', cited ? /^Commit/ : /^Conversation/);
    await see(active, cited ? told.added : '←'); // each opens at its place: the change of these lines, or the turn
    await quiet();
    await shot('commit');
    await page.keyboard.press('Control+w');
    await settle(2500);
    const tabs = await page.locator('.tabs-container .tab').count();
    if (tabs !== 1) throw new Error(`${tabs} tabs after it was closed`);
  });

  await check('code action', async () => {
    await (await see('.monaco-editor .view-line', told.line_code)).click();
    await toLine(told.first);
    for (let i = told.first; i < told.last; i++) await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+End');
    await until(() => page.keyboard.press('Control+.'), '.action-widget', /Recollect(: why is this here\?| this comment)/);
    await settle();
    await shot('code_action');
    await page.keyboard.press('Enter'); // a click is swallowed by the block behind the menu
  });

  await check('the story beside the code', async () => {
    await see('.view-line', told.story[0]);
    await see('.codelens-decoration a', "That's it");
    await see('.tab.active', /^Story$/);
    const groups = await page.locator('.editor-group-container').count();
    if (groups !== 2) throw new Error(`${groups} groups`);
    await quiet();
    await shot('story');
  });

  await check('what stands beside a long story is folded, and unfolds', async () => {
    await until(() => page.keyboard.press('Control+End'), active, '[1]: anamnesis:');
    const second = page.locator(active, { hasText: '[2]: anamnesis:' });
    await see(active, 'Is this it?');
    if (await second.count()) throw new Error('the list of links is not folded');
    await shot('folded');
    await command('Unfold All');
    await until(() => page.keyboard.press('Control+End'), active, '[2]: anamnesis:');
    await until(() => page.keyboard.press('Control+Home'), active, '# Why is this here?');
  });

  const ctrlClick = async (text) => {
    const found = page.locator('.editor-group-container.active .detected-link', { hasText: text }).first();
    for (let pages = 0; pages < 15 && !(await found.isVisible()); pages++, await settle(250)) {
      if (pages) await page.keyboard.press('PageDown'); // a long story is read on
    }
    await found.waitFor({ timeout: 10000 });
    await settle(300);
    const box = await found.boundingBox();
    if (!box) return; // drawn anew just now: it is tried again
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.keyboard.down('Control');
    for (const by of [0, 1]) { await page.mouse.move(x + by, y); await settle(200); } // a link is one once the pointer moves
    await page.mouse.down();
    await page.mouse.up();
    await page.keyboard.up('Control');
  };
  /** The citation of that number, followed until its record is shown. */
  const cite = (number, text) => until(async (tries) => {
    if (tries > 1 && await page.locator(active, { hasText: text }).count()) return;
    await ctrlClick(new RegExp(`^${number}$`));
  }, active, text);
  const latest = async () => {
    await command('Recollect: Open the Latest Story');
    await until(() => page.keyboard.press('Control+Home'), active, '# Why is this here?');
    await see('.tab.active', /^Story$/);
  };

  await check('a citation is followed to the conversation at its turn', async () => {
    await cite(told.session_number, '←');
    await quiet();
    await shot('conversation');
  });

  await check('the change in the diff editor', async () => {
    await latest();
    await cite(told.commit_number, told.added);
    await see('.tab.active', /^Commit/);
    await until((tries) => tries > 1 ? undefined : command('Recollect: Show the Change'), '.monaco-diff-editor .view-line', told.added);
    await settle(1200);
    const groups = await page.locator('.editor-group-container').count();
    if (groups !== 2) throw new Error(`${groups} groups`);
    await shot('diff');
  });

  await check('the file at the revision', async () => {
    await latest();
    await cite(told.commit_number, told.added);
    const file = `${path.basename(told.file)} (${told.commit.slice(0, 9)})`;
    await until((tries) => tries > 1 ? undefined : ctrlClick('the file here'), '.tab.active', file);
    await see(active, told.added);
    await see('.codelens-decoration a:visible', 'Compare with now'); // above the lines it opens at
    await quiet();
    await shot('revision');
  });

  await check('a citation is opened by the keyboard alone', async () => {
    await latest();
    await page.keyboard.press('Enter'); // on no citation: the list of all
    await see('.quick-input-widget:visible', 'open a citation');
    await settle();
    await shot('citations');
    await page.keyboard.type(`[${told.commit_number}]`);
    await page.keyboard.press('Enter');
    await see(active, told.added);
    await until(() => page.keyboard.press('Control+Home'), active, '## Message');
    await see(active, told.commit_says);
    await see('.tab.active', new RegExp(`^Commit ${told.commit.slice(0, 9)}$`));
    await latest();
  });

  await check('the context is copied as Markdown', async () => {
    await latest();
    await lens('Copy…');
    await input('', 'Markdown');
    let text = '';
    for (let i = 0; i < 100 && !text.includes(told.commit.slice(0, 9)); i++, await settle(100)) text = await page.evaluate(() => navigator.clipboard.readText());
    if (!text.includes(told.commit.slice(0, 9))) throw new Error(text);
    return text;
  });

  await check('resume is typed, not run', async () => {
    await latest();
    await command('Recollect: Resume the Conversation in a Terminal…');
    const many = await see('.quick-input-widget', 'Resume which conversation?', 2000).then(() => true, () => false);
    if (many) await page.keyboard.press('Enter');
    await see('.terminal-wrapper .xterm-rows', /claude --/, 20000);
    await settle(800);
    const text = await page.locator('.terminal-wrapper .xterm-rows').first().textContent();
    if (/not found/.test(text)) throw new Error(text);
    await shot('resume');
    await command('Terminal: Kill the Active Terminal Instance');
    await page.locator('.terminal-wrapper').waitFor({ state: 'hidden', timeout: 5000 }).catch(() => undefined);
    return text;
  });

  await check('not this, by the person’s words', async () => {
    await latest();
    await lens('Not this…');
    await see('.quick-input-widget:visible', 'Not this one');
    await settle();
    await shot('not_this');
    await input('Not this one', 'because');
    await input('What is wrong with it?', told.correction);
    for (const said of told.corrected) await see('.view-line', said);
  });

  await check('more of the cue', async () => {
    await lens('Add to the cue…');
    await input('What else do you remember?', told.more);
    await see('.view-line', told.more_told);
  });

  await check('that’s it', async () => {
    await (await see('.monaco-editor .view-line', told.line_code)).click();
    await command('Recollect: Why Is This Here?');
    await see('.view-line', `line ${told.line} of`); // until then the story of before stands there, with its own answers
    await lens("That's it");
    await see('.view-line', '# Recalled');
    await see('.tab.active', /^Story$/);
  });

  await check('a few words are enough', async () => {
    await command('Recollect: Recall by a Few Words…');
    await input('What do you half remember?', told.cue);
    await see('.view-line', told.cue_told);
  });

  await check('recalls', async () => {
    await (await see('.activitybar a[aria-label^="Recollect"]')).click();
    await see('.pane-body .monaco-list-row', 'Open');
    await see('.pane-body .monaco-list-row', 'Closed');
    await see('.pane-body .monaco-list-row', `${path.basename(told.file)}:${told.line}`);
    await quiet();
    await shot('recalls');
    return (await page.locator('.pane-body .monaco-list-row').allTextContents()).join(' | ');
  });

  await check('in the dark', async () => {
    await command('Preferences: Toggle between Light/Dark Themes');
    await settle(1500);
    await quiet();
    await shot('dark');
    await command('Preferences: Toggle between Light/Dark Themes');
    await settle(800);
  });

  const toCode = async () => (await see('.monaco-editor .view-line', told.line_code)).click();

  await check('what is searched, from the status bar', async () => {
    await (await see('.statusbar-item a', 'Recollect')).click();
    await see('.quick-input-list .monaco-list-row', 'claude-code');
    await settle();
    await shot('stores');
    await page.keyboard.press('Escape');
    await toCode(); // else the status bar has the focus, and its hover stays over what is at the bottom
  });

  await check('a search is cancelled where its progress is shown', async () => {
    fs.writeFileSync(env.ANAMNESIS_HOLD_GIT, ''); // every git waits from now on
    try {
      await quiet(); // nothing of the pointer's may cover the button
      await openFile(told.other); // never looked at: nothing that is known already answers it
      await command('Recollect: Why Is This Here?');
      const toast = await see('.notification-toast', 'Recollect');
      await (await see(active)).click();
      await settle();
      await shot('progress');
      await toast.locator('.monaco-button', { hasText: 'Cancel' }).click();
      await page.locator('.notification-toast', { hasText: 'Recollect' }).waitFor({ state: 'detached', timeout: 60000 });
      const toasts = await page.locator('.notification-toast').allTextContents();
      if (toasts.length) throw new Error(`told after Cancel: ${toasts.join()}`);
    } finally { fs.unlinkSync(env.ANAMNESIS_HOLD_GIT); }
    await openFile(told.other);
    await command('Recollect: Why Is This Here?'); // and the next one runs
    await see('.codelens-decoration a', "That's it");
    await see(active, '# Why is this here?');
  });

  await check('walkthrough', async () => {
    await until(async () => {
      await page.keyboard.press('Escape');
      await command('Welcome: Open Walkthrough...');
      await page.locator('.quick-input-widget:visible input').first().fill('Why is this code here', { timeout: 10000 }).catch(() => undefined);
      const found = await see('.quick-input-list .monaco-list-row', 'Why is this code here?', 10000).then(() => true, () => false);
      if (found) await page.keyboard.press('Enter');
    }, '.gettingStartedContainer', 'Have the server');
    await settle(800);
    await shot('walkthrough');
  });

  await context.close();
})().catch((error) => { console.error(error); process.exit(1); });
