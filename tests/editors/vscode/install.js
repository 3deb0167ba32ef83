'use strict';
// No server on this machine: one message says so, and installs it when the person says so; the story follows.
const fs = require('fs');
const path = require('path');
const { launch } = require('./browser.js');
const [address, profile, shots] = process.argv.slice(2);
const told = JSON.parse(process.env.ANAMNESIS_EXAMPLE_TOLD);
(async () => {
  const { context, page } = await launch(profile);
  const say = (name, ok, detail) => fs.appendFileSync(process.env.ANAMNESIS_RESULTS, JSON.stringify({ name, ok, detail: String(detail) }) + '\n');
  const see = async (selector, text, timeout = 90000) => {
    const found = page.locator(selector, text === undefined ? {} : { hasText: text }).first();
    await found.waitFor({ timeout });
    return found;
  };
  let now = 'it is said';
  try {
    await page.goto(address, { waitUntil: 'domcontentloaded' });
    const item = page.locator('.statusbar-item[id*="anamnesis"] a[aria-label*="not installed"]');
    await item.waitFor({ timeout: 90000 });
    await page.waitForTimeout(1500);
    const unasked = await page.locator('.notification-toast', { hasText: /recollect|anamnesis/i }).count();
    say(now, unasked === 0, `${unasked} messages unasked; ${await item.getAttribute('aria-label')}`);

    now = 'one message';
    await page.keyboard.press('Control+p');
    await (await see('.quick-input-widget:visible input')).fill(told.file);
    await see('.quick-input-list .monaco-list-row', path.basename(told.file));
    await page.keyboard.press('Enter');
    const line = await see('.monaco-editor .view-line', told.line_code);
    await line.click();
    await page.keyboard.press('F1');
    await page.locator('.quick-input-widget:visible input').first().fill('>Recollect: Why Is This Here?');
    await see('.quick-input-list .monaco-list-row', 'Recollect: Why Is This Here?');
    await page.keyboard.press('Enter');
    await see('.notification-toast', 'Recollect needs the program anamnesis-lsp');
    await page.waitForTimeout(800);
    const toasts = await page.locator('.notification-toast', { hasText: /recollect|anamnesis/i }).allTextContents();
    await page.screenshot({ path: path.join(shots, 'missing.png') });
    say(now, toasts.length === 1, toasts.join(' | '));

    now = 'installed, and the story';
    const started = Date.now();
    await page.locator('.notification-toast .monaco-button', { hasText: 'Install' }).first().click();
    await see('.notification-toast', 'Installing anamnesis-lsp');
    await page.screenshot({ path: path.join(shots, 'installing.png') });
    await see('.editor-group-container .view-line', '## Story', 150000);
    await page.waitForTimeout(500);
    await page.screenshot({ path: path.join(shots, 'first_story.png') });
    say(now, true, `${((Date.now() - started) / 1000).toFixed(1)} s from Install to the story`);
  } catch (error) {
    await page.screenshot({ path: path.join(shots, 'failed-install.png') }).catch(() => undefined);
    say(now, false, error.stack);
  }
  await context.close();
})();
