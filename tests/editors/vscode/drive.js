'use strict';
// The person's path through the window of VS Code, with a picture of each station.
//   node drive.js ADDRESS PROFILE SHOTS        results: one JSON line per check into $ANAMNESIS_RESULTS
const fs = require('fs');
const path = require('path');
const { launch } = require('./browser.js');
const [address, profile, shots] = process.argv.slice(2);
const env = process.env;
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
  const see = (selector, text, timeout = 20000) => {
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
  const lens = async (title) => { await (await see('.codelens-decoration a:visible', title)).click(); };
  const settle = (ms = 400) => page.waitForTimeout(ms);
  const quiet = async () => { // no pointer, no toast over the picture
    await page.mouse.move(640, 745);
    for (const close of await page.locator('.notification-toast .codicon-notifications-clear').all()) await close.click().catch(() => undefined);
    await settle(500);
  };

  await check('the window opens', async () => {
    const started = Date.now();
    await page.goto(address, { waitUntil: 'domcontentloaded' });
    await page.waitForSelector('.monaco-workbench .part.sidebar', { timeout: 90000 });
    await see('.statusbar-item', 'Recollect', 60000);
    await page.keyboard.press('Control+p');
    const input = await see('.quick-input-widget input');
    await input.fill('client.py');
    await see('.quick-input-list .monaco-list-row', 'client.py');
    await page.keyboard.press('Enter');
    await see('.monaco-editor .view-line', 'ATTEMPTS');
    await page.keyboard.press('Control+b');
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
    const line = await see('.monaco-editor .view-line', 'for attempt in range');
    const box = await line.boundingBox();
    for (let i = 0; i < 25; i++) { // what is not ready yet is left out: hover again
      await page.mouse.move(box.x + 500, box.y + 300); await settle(150);
      await page.mouse.move(box.x + 60, box.y + 9); await settle(80); await page.mouse.move(box.x + 64, box.y + 10);
      const found = await see('.monaco-hover:not(.hidden)', 'gateway drops', 1500).then(() => true, () => false);
      if (found) break;
    }
    const hover = await see('.monaco-hover:not(.hidden)', 'gateway drops', 1000);
    await settle();
    await shot('hover', { x: 48, y: 4, width: 960, height: 380 });
    return hover.textContent();
  });

  await check('a link of the hover opens the commit', async () => {
    await page.locator('.monaco-hover:not(.hidden) a', { hasText: /^2$/ }).first().click();
    await see('.editor-group-container .view-line', 'the operators');
    await settle();
    await shot('commit');
    await page.keyboard.press('Control+w');
  });

  await check('code action', async () => {
    await (await see('.monaco-editor .view-line', 'ATTEMPTS = 3')).click();
    await page.keyboard.press('Control+g');
    await (await see('.quick-input-widget input')).fill(':8');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Home');
    for (let i = 0; i < 10; i++) await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+End');
    await page.keyboard.press('Control+.');
    await see('.action-widget', 'Recollect: why is this here?');
    await settle();
    await shot('code_action');
    await page.keyboard.press('Enter'); // a click is swallowed by the block behind the menu
  });

  await check('the story beside the code', async () => {
    await see('.view-line', 'Grace Hopper wrote in the message');
    await see('.codelens-decoration a', "That's it");
    const groups = await page.locator('.editor-group-container').count();
    if (groups !== 2) throw new Error(`${groups} groups`);
    await quiet();
    await shot('story');
  });

  const ctrlClick = async (text) => {
    const found = page.locator('.editor-group-container.active .detected-link', { hasText: text }).first();
    await found.waitFor({ timeout: 10000 });
    await settle(300);
    await page.keyboard.down('Control');
    await found.click();
    await page.keyboard.up('Control');
  };

  await check('a citation is followed to the conversation at its turn', async () => {
    await ctrlClick(/^2$/);
    await see('.editor-group-container.active .view-line', '←');
    await quiet();
    await shot('conversation');
  });

  await check('the change in the diff editor', async () => {
    await command('Recollect: Open the Latest Story');
    await see('.editor-group-container.active .view-line', 'Grace Hopper wrote in the message');
    await ctrlClick(/^3$/);
    await see('.editor-group-container.active .view-line', 'the operators');
    await lens('Show the change');
    await see('.monaco-diff-editor');
    await settle(1200);
    const groups = await page.locator('.editor-group-container').count();
    if (groups !== 2) throw new Error(`${groups} groups`);
    await shot('diff');
  });

  await check('resume is typed, not run', async () => {
    await command('Recollect: Open the Latest Story');
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
    await command('Recollect: Open the Latest Story');
    await lens('Not this…');
    await see('.quick-input-widget', 'Not this one');
    await settle();
    await shot('not_this');
    await page.keyboard.type('because');
    await settle();
    await page.keyboard.press('Enter');
    await settle();
    await page.keyboard.type('the other file: the lock file');
    await page.keyboard.press('Enter');
    await see('.view-line', 'Read as a correction', 20000);
  });

  await check('more of the cue', async () => {
    await lens('Add to the cue…');
    await see('.quick-input-widget', 'What else do you remember?');
    await page.keyboard.type('It was about the gateway and its nightly restart');
    await page.keyboard.press('Enter');
    await see('.view-line', 'nightly', 20000);
  });

  await check('that’s it', async () => {
    await (await see('.monaco-editor .view-line', 'for attempt in range')).click();
    await command('Recollect: Why Is This Here?');
    await see('.codelens-decoration a', "That's it");
    await lens("That's it");
    await see('.view-line', '# Recalled');
  });

  await check('a few words are enough', async () => {
    await command('Recollect: Recall by a Few Words…');
    await see('.quick-input-widget', 'What do you half remember?');
    await page.keyboard.type('that time we gave up on the lock file');
    await page.keyboard.press('Enter');
    await see('.view-line', 'killed worker');
  });

  await check('recalls', async () => {
    await (await see('.activitybar a[aria-label^="Recollect"]')).click();
    await see('.pane-body .monaco-list-row', 'Open');
    await see('.pane-body .monaco-list-row', 'Closed');
    
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

  await check('what is searched, from the status bar', async () => {
    await (await see('.statusbar-item a', 'Recollect')).click();
    await see('.quick-input-list .monaco-list-row', 'claude-code');
    await settle();
    await shot('stores');
    await page.keyboard.press('Escape');
  });

  await check('walkthrough', async () => {
    await command('Open Walkthrough');
    await page.keyboard.type('Why is this code here');
    await settle(600);
    await page.keyboard.press('Enter');
    await see('.gettingStartedContainer', 'Have the server');
    await settle(800);
    await shot('walkthrough');
  });

  await context.close();
})().catch((error) => { console.error(error); process.exit(1); });
