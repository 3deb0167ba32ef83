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
  } catch (error) { say('it is said', false, error.stack); }
  await context.close();
})();
