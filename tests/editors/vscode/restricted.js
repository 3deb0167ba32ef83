'use strict';
// Restricted Mode: nothing starts, and it is said.
const fs = require('fs');
const path = require('path');
const { launch } = require('./browser.js');
const [address, profile, shots] = process.argv.slice(2);
(async () => {
  const { context, page } = await launch(profile);
  const say = (name, ok, detail) => fs.appendFileSync(process.env.ANAMNESIS_RESULTS, JSON.stringify({ name, ok, detail: String(detail) }) + '\n');
  try {
    await page.goto(address, { waitUntil: 'domcontentloaded' });
    const item = page.locator('.statusbar-item[id*="anamnesis"]');
    await item.waitFor({ timeout: 90000 });
    say('it is said', /Restricted Mode/.test((await item.locator('a').getAttribute('aria-label')) ?? ''), await item.locator('a').getAttribute('aria-label'));
    await page.waitForTimeout(2000);
    await page.screenshot({ path: path.join(shots, 'restricted.png') });
    await page.keyboard.press('F1');
    const input = page.locator('.quick-input-widget:visible input').first();
    await input.fill('>Recollect: Recall by a Few Words');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Recall by a Few Words' }).first().waitFor({ timeout: 20000 });
    await page.keyboard.press('Enter');
    await page.locator('.quick-input-widget:visible', { hasText: 'What do you half remember?' }).waitFor({ timeout: 20000 });
    await input.fill('the lock file');
    await page.keyboard.press('Enter');
    const answer = page.locator('.monaco-dialog-box', { hasText: 'In Restricted Mode nothing is read' });
    await answer.waitFor({ timeout: 20000 });
    await page.screenshot({ path: path.join(shots, 'restricted_asked.png') });
    say('asked for, it stays in sight', await answer.locator('.monaco-button', { hasText: 'Manage Workspace Trust' }).count() === 1, await answer.textContent());
  } catch (error) { say('asked for, it stays in sight', false, error.stack); }
  await context.close();
})();
